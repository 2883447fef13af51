"""Accuracy of the systems in one bare file: no warehouse, no project, no Prefect."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from stats.accuracy import Annotators, rating_queue, summary
from stats.accuracy.arguments import check_systems
from tasks.errors import InputError
from tasks.evaluate.systems import (
    SystemRatings,
    SystemTables,
    annotators_of,
    estimate_systems,
    gold_of,
    n_auditable,
    usable_gold,
)
from tasks.formats.weighted import N_ITEMS
from tasks.ingest.read_export import read_gold
from tasks.single_file.load_file import FileOptions, LoadedQuestion, load_file, some


@dataclass(frozen=True)
class AccuracyDetail:
    """What is computed beside the usual: methods other than the default, and breakdowns by label or item."""

    methods: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()


def estimate(
    path: Path, asked: FileOptions, *, gold: Path | None = None, detail: AccuracyDetail | None = None
) -> list[dict[str, object]]:
    """The accuracy of each system for each question asked for, in the shape of `accuracy --json`.

    The systems are those of `asked.options.systems`, else those that the file itself marks as such.
    Raises InputError where there is none, or one that was named is not in the file, for an unknown breakdown, and for
    gold items beside rating patterns.
    """
    detail = detail or AccuracyDetail()
    for name in detail.by:
        if name not in BREAKDOWNS:
            raise InputError(f"--by {name!r} is unknown.", f"Use one of {', '.join(BREAKDOWNS)}; repeat for several.")
    audited = None if gold is None else read_gold(gold, asked.options)
    return [_estimate(loaded, asked, audited, detail) for loaded in load_file(path, asked)]


def _estimate(
    loaded: LoadedQuestion, asked: FileOptions, gold: pl.DataFrame | None, detail: AccuracyDetail
) -> dict[str, object]:
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
    audited, unused = _gold(loaded, gold, rated, systems)
    question = SystemRatings(rated, systems, names, asked.scale, audited, asked.confidence, asked.seed)
    check_systems(rated, systems, names)
    people = annotators_of(question)
    found = estimate_systems(question, methods=detail.methods, labels="label" in detail.by, raters=people)
    whole = summary(rated.filter(~pl.col("rater").is_in(systems)), labels=names)
    return {
        "question": loaded.question,
        "labels": list(names),
        "n_items": whole.n_items,
        "kappa": whole.kappa,
        "rater_accuracy": whole.rater_accuracy,
        "annotators": _annotators(people),
        "systems": found.accuracy.to_dicts(),
        "bins": found.bins.to_dicts(),
        "checks": found.checks.to_dicts(),
        "comparison": found.comparison.to_dicts(),
        "against_raters": found.against_raters.to_dicts(),
        "annotator_test": found.annotator_test.to_dicts(),
        **{
            f"by_{name}": rows.to_dicts()
            for name in detail.by
            if (rows := BREAKDOWNS[name](question, found, loaded.texts)) is not None
        },
        "columns": None if loaded.read_columns is None else loaded.read_columns.to_json(),
        "warnings": [*loaded.warnings, *unused, *_other_method(detail)],
    }


def _gold(
    loaded: LoadedQuestion, given: pl.DataFrame | None, rated: pl.DataFrame, systems: list[str]
) -> tuple[pl.DataFrame | None, tuple[str, ...]]:
    """The gold of the file that was named, else that of the gold raters; None where it is too little for an audit, with
    what to say of that. A file without any item of the systems is kept, and refused by `stats.accuracy.accuracy`."""
    gold = gold_of(loaded.ratings) if given is None else given
    if given is not None and n_auditable(given, rated, systems) == 0:
        return given, ()
    return usable_gold(gold, rated, systems)


def _annotators(people: Annotators) -> dict[str, object]:
    """The annotators' accuracy and the raters one by one, the best first, as `accuracy --json` has them."""
    figures = ("accuracy", "se", "low", "high", "n_ratings", "n_gold", "reason", "detail")
    raters = people.raters.sort("accuracy", "rater", descending=[True, False], nulls_last=True)
    best = {"best_rater": people.best, "warnings": list(people.warnings)}
    return {**{name: getattr(people, name) for name in figures}, **best, "raters": raters.to_dicts()}


def _other_method(detail: AccuracyDetail) -> tuple[str, ...]:
    if detail.methods is None or "average" in detail.methods:
        return ()
    return ("The comparisons and the annotators' accuracy are by `average`, which is not among the methods asked for.",)


def _by_label(asked: SystemRatings, found: SystemTables, texts: pl.DataFrame) -> pl.DataFrame | None:
    return found.label_quality


def _by_item(asked: SystemRatings, found: SystemTables, texts: pl.DataFrame) -> pl.DataFrame | None:
    """The items, those whose next rating is worth most first, with their text where the file has one."""
    queue = rating_queue(asked.rated.filter(~pl.col("rater").is_in(list(asked.systems))), labels=asked.labels)
    return queue.join(texts, on="item", how="left", maintain_order="left")


Breakdown = Callable[[SystemRatings, SystemTables, pl.DataFrame], pl.DataFrame | None]
BREAKDOWNS: dict[str, Breakdown] = {"label": _by_label, "item": _by_item}


def _systems(loaded: LoadedQuestion, asked: FileOptions) -> list[str]:
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
