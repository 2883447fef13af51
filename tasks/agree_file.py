"""Agreement of one bare file: no warehouse, no project, no Prefect."""

from pathlib import Path

import polars as pl

from stats.agreement import agreement
from tasks.bare import Asked, Loaded, load


def agree(path: Path, asked: Asked) -> list[dict[str, object]]:
    """Every coefficient for each question asked for, in the shape of `agree --json`.

    Raises ReadError for a file that is no export, InputError for a question that is not in it or not named.
    """
    return [_agree(loaded, asked) for loaded in load(path, asked)]


def _agree(loaded: Loaded, asked: Asked) -> dict[str, object]:
    human = loaded.ratings.filter(pl.col("rater_kind") == "human").select("item", "rater", "label")
    found = agreement(
        human, labels=loaded.labels.names, scale=asked.scale, weights=asked.weights, confidence=asked.confidence
    )
    return {
        "question": loaded.question,
        "labels": list(loaded.labels.names),
        "scale": asked.scale,
        "n_items": human["item"].n_unique(),
        "n_raters": human["rater"].n_unique(),
        "n_ratings": human.height,
        "coefficients": found.to_dicts(),
        "warnings": list(loaded.warnings),
    }
