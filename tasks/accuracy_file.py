"""Accuracy of the systems in one bare file: no warehouse, no project, no Prefect."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from stats.accuracy import rating_queue, summary
from tasks.bare import Asked, Loaded, load, some
from tasks.errors import InputError
from tasks.formats.weighted import N_ITEMS
from tasks.read import read_gold
from tasks.systems import Found, Question, estimate_systems, gold_of


@dataclass(frozen=True)
class Detail:
    """What is computed beside the usual: methods other than the default, and breakdowns by label or item."""

    methods: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()


def estimate(
    path: Path, asked: Asked, *, gold: Path | None = None, detail: Detail | None = None
) -> list[dict[str, object]]:
    """The accuracy of each system for each question asked for, in the shape of `accuracy --json`.

    The systems are those of `asked.options.systems`, else those that the file itself marks as such.
    Raises InputError where there is none, or one that was named is not in the file, for an unknown breakdown, and for
    gold items beside rating patterns.
    """
    detail = detail or Detail()
    for name in detail.by:
        if name not in BREAKDOWNS:
            raise InputError(f"--by {name!r} is unknown.", f"Use one of {', '.join(BREAKDOWNS)}; repeat for several.")
    audited = None if gold is None else read_gold(gold, asked.options)
    return [_estimate(loaded, asked, audited, detail) for loaded in load(path, asked)]


def _estimate(loaded: Loaded, asked: Asked, gold: pl.DataFrame | None, detail: Detail) -> dict[str, object]:
    systems = _systems(loaded, asked)
    if gold is not None and N_ITEMS in loaded.columns:
        raise InputError(
            "The file holds rating patterns, which have no items that --gold could name.",
            "Let the gold rater be one of the raters before they are reduced, with rater_kind 'gold' in the file.",
        )
    rated = loaded.ratings.filter((pl.col("rater_kind") == "human") | pl.col("rater").is_in(systems)).select(
        loaded.columns
    )
    names = loaded.labels.names
    audited = gold_of(loaded.ratings) if gold is None else gold
    question = Question(rated, systems, names, asked.scale, audited, asked.confidence, asked.seed)
    found = estimate_systems(question, methods=detail.methods, labels="label" in detail.by)
    whole = summary(rated.filter(~pl.col("rater").is_in(systems)), labels=names)
    return {
        "question": loaded.question,
        "labels": list(names),
        "n_items": whole.n_items,
        "kappa": whole.kappa,
        "rater_accuracy": whole.rater_accuracy,
        "systems": found.accuracy.to_dicts(),
        "bins": found.bins.to_dicts(),
        "checks": found.checks.to_dicts(),
        "comparison": found.comparison.to_dicts(),
        "against_raters": found.against_raters.to_dicts(),
        "annotator_test": found.annotator_test.to_dicts(),
        **{
            f"by_{name}": rows.to_dicts()
            for name in detail.by
            if (rows := BREAKDOWNS[name](question, found)) is not None
        },
        "warnings": list(loaded.warnings),
    }


def _by_label(asked: Question, found: Found) -> pl.DataFrame | None:
    return found.label_quality


def _by_item(asked: Question, found: Found) -> pl.DataFrame | None:
    """The items, those whose next rating is worth most first."""
    return rating_queue(asked.rated.filter(~pl.col("rater").is_in(list(asked.systems))), labels=asked.labels)


BREAKDOWNS: dict[str, Callable[[Question, Found], pl.DataFrame | None]] = {"label": _by_label, "item": _by_item}


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
