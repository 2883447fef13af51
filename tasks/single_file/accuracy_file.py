"""Estimate the accuracy of the systems in a single file, without a project."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from stats.accuracy import Annotators, rating_queue, summary
from stats.accuracy.arguments import check_systems
from stats.accuracy.items.consensus import CONSENSUS
from stats.accuracy.raters.annotators import annotators_without_figures
from stats.accuracy.shared_errors import sensitivity, shared_errors
from stats.defaults import DEFAULT_CONSENSUS
from stats.ratings import count_items
from stats.unnamed import name_nobody
from tasks.errors import InputError, some
from tasks.evaluate.gold.gold_inclusion import gold_origin
from tasks.evaluate.gold.usable_gold import gold_of, n_auditable, on_differing_gold, usable_gold
from tasks.evaluate.systems import (
    SystemRatings,
    SystemTables,
    annotators_of,
    estimate_systems,
    without_accuracy,
)
from tasks.evaluate.undefined_accuracy import too_many_labels
from tasks.formats.weighted import N_ITEMS
from tasks.look_alikes import item_note
from tasks.single_file.gold_file import read_gold
from tasks.single_file.load_file import FileOptions, LoadedQuestion, load_file, refuse_misspelling

step_log = logging.getLogger("kappaflow.steps")


@dataclass(frozen=True)
class AccuracyDetail:
    """What else to compute: methods other than the default ones, breakdowns by label or item, label rates."""

    methods: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()
    consensus: str = DEFAULT_CONSENSUS
    rates: bool = False


def estimate(
    path: Path | Sequence[Path],
    options: FileOptions,
    *,
    gold: Path | None = None,
    detail: AccuracyDetail | None = None,
) -> list[dict[str, object]]:
    """Estimate the accuracy of each system for each question, in the shape of `accuracy --json`.

    The systems are those of `options.reading.systems`. Without it they are the raters that the file marks as systems.
    Raises InputError if there is no system, if a named system is not in the file, if a breakdown is unknown, and for
    gold items together with rating patterns.
    """
    detail = detail or AccuracyDetail()
    for name in detail.by:
        if name not in BREAKDOWNS:
            raise InputError(f"--by {name!r} is unknown.", f"Use one of {', '.join(BREAKDOWNS)}; repeat for several.")
    if detail.consensus not in CONSENSUS:
        raise InputError(f"--consensus {detail.consensus!r} is unknown.", f"Use one of {', '.join(CONSENSUS)}.")
    audited = None if gold is None else read_gold(gold, options.reading)
    questions = load_file(path, options)
    results = []
    for number, loaded in enumerate(questions, start=1):
        step_log.debug("accuracy %d/%d %s", number, len(questions), loaded.question)
        results.append(_estimate(loaded, options, audited, detail))
    return results


def _estimate(
    loaded: LoadedQuestion, options: FileOptions, gold: pl.DataFrame | None, detail: AccuracyDetail
) -> dict[str, object]:
    systems, names = _systems(loaded, options), loaded.labels.names
    inputs, unused = system_ratings(loaded, options, systems, gold)
    inputs = replace(inputs, consensus=detail.consensus)
    check_systems(inputs.rated, systems, names, audited=inputs.gold is not None)
    too_many = too_many_labels(inputs.rated, loaded.labels, options.scale, audited=inputs.gold is not None)
    if too_many is not None:
        return {**_without_figures(loaded, inputs, too_many), "warnings": [*loaded.warnings, *unused]}
    people = annotators_of(inputs)
    tables = estimate_systems(
        inputs, methods=detail.methods, labels="label" in detail.by, raters=people, rates=detail.rates
    )
    whole = summary(human_ratings(inputs), labels=names)
    return {
        "question": loaded.question,
        "labels": list(names),
        "n_items": whole.n_items,
        "kappa": whole.kappa,
        "rater_accuracy": whole.rater_accuracy,
        "annotators": _annotators(people),
        **{name: frame.to_dicts() for name, frame in _shown(tables).items()},
        **{
            f"by_{name}": rows.to_dicts()
            for name in detail.by
            if (rows := BREAKDOWNS[name](inputs, tables, loaded.texts)) is not None
        },
        "sensitivity": sensitivity(tables.accuracy, len(names)),
        "shared_errors": _shared_errors(inputs),
        **({} if tables.label_rates is None else {"rates": tables.label_rates.to_dicts()}),
        "columns": None if loaded.read_columns is None else loaded.read_columns.to_json(),
        "warnings": [*loaded.warnings, *unused, *_other_method(detail)],
    }


def _without_figures(loaded: LoadedQuestion, inputs: SystemRatings, why: tuple[str, str]) -> dict[str, object]:
    """Return the result of a question with too many labels: who answered how many items, and why nothing is known."""
    humans, names = human_ratings(inputs), loaded.labels.names
    tables = without_accuracy(inputs, why)
    return {
        "question": loaded.question,
        "labels": list(names),
        "n_items": count_items(humans),
        "kappa": None,
        "rater_accuracy": None,
        "annotators": _annotators(annotators_without_figures(humans, labels=names, why=why)),
        **{name: frame.to_dicts() for name, frame in _shown(tables).items()},
        "sensitivity": [],
        "shared_errors": None,
        "columns": None if loaded.read_columns is None else loaded.read_columns.to_json(),
    }


def _shown(tables: SystemTables) -> dict[str, pl.DataFrame]:
    """Return the tables that `accuracy --json` always has, by name."""
    return {
        "systems": tables.accuracy,
        "bins": tables.bins,
        "checks": tables.checks,
        "comparison": tables.comparison,
        "against_raters": tables.against_raters,
        "annotator_test": tables.annotator_test,
    }


def human_ratings(inputs: SystemRatings) -> pl.DataFrame:
    """Return the ratings of the human raters."""
    return inputs.rated.filter(~pl.col("rater").is_in(list(inputs.systems)))


def _shared_errors(inputs: SystemRatings) -> dict[str, object] | None:
    """Return how strongly the raters' errors go together, in the shape of `accuracy --json`; None without gold."""
    if inputs.gold is None:
        return None
    humans = human_ratings(inputs)
    correlation = shared_errors(humans, inputs.gold, labels=inputs.labels, confidence=inputs.confidence)
    return {**correlation.to_json(), "gold_origin": gold_origin(inputs.gold)}


def system_ratings(
    loaded: LoadedQuestion, options: FileOptions, systems: list[str], gold: pl.DataFrame | None
) -> tuple[SystemRatings, tuple[str, ...]]:
    """Return the ratings that the accuracy of these systems is estimated from, and notes on the gold.

    `gold` are the items of a gold file; without it the gold raters of the file count. Raises InputError for a gold file
    together with rating patterns.
    """
    if gold is not None and N_ITEMS in loaded.columns:
        raise InputError(
            "The file holds rating patterns, which have no items that --gold could name.",
            "Let the gold rater be one of the raters before they are reduced, with rater_kind 'gold' in the file.",
        )
    rated = loaded.ratings.filter(IS_HUMAN | pl.col("rater").is_in(systems)).select(loaded.columns)
    audited, unused = _gold(loaded, gold, rated, systems)
    names = loaded.labels.names
    return SystemRatings(rated, systems, names, options.scale, audited, options.confidence, options.seed), unused


def _gold(
    loaded: LoadedQuestion, gold_file: pl.DataFrame | None, rated: pl.DataFrame, systems: list[str]
) -> tuple[pl.DataFrame | None, tuple[str, ...]]:
    """Return the gold of the gold file, or else of the gold raters, and notes. None if it is too little for an audit.

    A gold file without any item of the systems is returned all the same: `stats.accuracy.accuracy` refuses it.
    """
    gold = gold_of(loaded.ratings) if gold_file is None else gold_file
    if gold_file is not None and n_auditable(gold_file, rated, systems) == 0:
        return gold_file, ()
    usable, notes = usable_gold(gold, rated, systems)
    differs = on_differing_gold(loaded.ratings) if gold_file is None else ()
    return usable, (*_gold_alike(gold_file, rated), *differs, *notes)


def _gold_alike(gold_file: pl.DataFrame | None, rated: pl.DataFrame) -> tuple[str, ...]:
    """Say that items of the gold file which nobody rated look like rated ones."""
    if gold_file is None:
        return ()
    items = rated["item"].unique().cast(pl.String)
    missed = gold_file["item"].unique().cast(pl.String)
    missed = missed.filter(~missed.is_in(items.implode()))
    alike = item_note(pl.concat([missed, items])) if len(missed) else None
    return (f"Gold and ratings: {alike}",) if alike else ()


def _annotators(people: Annotators) -> dict[str, object]:
    """Return the accuracy of the annotators and of each rater, the best first, in the shape of `accuracy --json`."""
    figures = ("accuracy", "se", "low", "high", "n_ratings", "n_gold", "reason", "detail")
    raters = people.raters.sort("accuracy", "rater", descending=[True, False], nulls_last=True)
    return {
        **{name: getattr(people, name) for name in figures},
        "best_rater": people.best,
        "left_out": list(people.left_out.names),
        "warnings": list(people.warnings),
        "raters": raters.to_dicts(),
    }


def _other_method(detail: AccuracyDetail) -> tuple[str, ...]:
    if detail.methods is None or "average" in detail.methods:
        return ()
    return ("The comparisons and the annotators' accuracy are by `average`, which is not among the methods asked for.",)


def _by_label(inputs: SystemRatings, tables: SystemTables, texts: pl.DataFrame) -> pl.DataFrame | None:
    return tables.label_quality


def _by_item(inputs: SystemRatings, tables: SystemTables, texts: pl.DataFrame) -> pl.DataFrame | None:
    """Return the items whose next rating is worth most first, with their text if the file has one.

    The right label of an item with gold is known, so that it is left out.
    """
    humans = human_ratings(inputs)
    method = "lehner" if name_nobody(humans["rater"].unique()) else inputs.consensus
    queue = rating_queue(humans, labels=inputs.labels, method=method)
    if inputs.gold is not None:
        queue = queue.join(inputs.gold, on="item", how="anti", maintain_order="left")
    return queue.join(texts, on="item", how="left", maintain_order="left")


Breakdown = Callable[[SystemRatings, SystemTables, pl.DataFrame], pl.DataFrame | None]
BREAKDOWNS: dict[str, Breakdown] = {"label": _by_label, "item": _by_item}


def _systems(loaded: LoadedQuestion, options: FileOptions) -> list[str]:
    raters = loaded.ratings["rater"].unique().sort().to_list()
    marked = loaded.ratings.filter(IS_SYSTEM)["rater"].unique().sort().to_list()
    absent = sorted(options.reading.systems - set(raters))
    refuse_misspelling(loaded, loaded.labels.misspelling if not (absent or marked) else absent)
    if absent:
        raise InputError(f"No rating of '{loaded.question}' is by '{absent[0]}'.", f"Its raters: {some(raters)}.")
    if not marked:
        raise InputError(
            f"No rater of '{loaded.question}' is known to be a system.",
            f"Name one with --system NAME; its raters: {some(raters)}.",
        )
    return sorted(options.reading.systems) if options.reading.systems else marked
