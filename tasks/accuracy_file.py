"""Accuracy of the systems in one bare file: no warehouse, no project, no Prefect."""

from pathlib import Path

import polars as pl

from stats.accuracy import accuracy, bins, summary
from tasks.bare import Asked, Loaded, load, some
from tasks.errors import InputError
from tasks.read import read_gold


def estimate(path: Path, asked: Asked, *, gold: Path | None = None) -> list[dict[str, object]]:
    """The accuracy of each system for each question asked for, in the shape of `accuracy --json`.

    The systems are those of `asked.options.systems`, else those that the file itself marks as such.
    Raises InputError where there is none, or one that was named is not in the file.
    """
    audited = None if gold is None else read_gold(gold, asked.options)
    return [_estimate(loaded, asked, audited) for loaded in load(path, asked)]


def _estimate(loaded: Loaded, asked: Asked, gold: pl.DataFrame | None) -> dict[str, object]:
    systems = _systems(loaded, asked)
    rated = loaded.ratings.filter((pl.col("rater_kind") == "human") | pl.col("rater").is_in(systems)).select(
        "item", "rater", "label"
    )
    human = rated.filter(~pl.col("rater").is_in(systems))
    names = loaded.labels.names
    found = accuracy(
        rated, systems=systems, labels=names, scale=asked.scale, gold=gold, confidence=asked.confidence, seed=asked.seed
    )
    whole = summary(human, labels=names)
    return {
        "question": loaded.question,
        "labels": list(names),
        "n_items": whole.n_items,
        "kappa": whole.kappa,
        "rater_accuracy": whole.rater_accuracy,
        "systems": found.to_dicts(),
        "bins": bins(rated, systems=systems, labels=names).to_dicts(),
        "checks": [],
        "warnings": list(loaded.warnings),
    }


def _systems(loaded: Loaded, asked: Asked) -> list[str]:
    raters = loaded.ratings["rater"].unique().sort().to_list()
    marked = loaded.ratings.filter(pl.col("rater_kind") == "system")["rater"].unique().sort().to_list()
    absent = sorted(asked.options.systems - set(raters))
    if absent:
        raise InputError(f"No rating of '{loaded.question}' is by '{absent[0]}'.", f"Its raters: {some(raters)}.")
    if not marked:
        raise InputError(
            f"No rater of '{loaded.question}' is known to be a system.",
            f"Name one with --system NAME; its raters: {some(raters)}.",
        )
    return sorted(asked.options.systems) if asked.options.systems else marked
