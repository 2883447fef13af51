"""Compute the figures that a gate judges from a single file, without a project."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import IS_HUMAN
from stats.accuracy import accuracy, assumption_checks
from stats.agreement import agreement
from tasks.evaluate.accuracy_warnings import with_check_warnings
from tasks.evaluate.undefined_accuracy import undefined_accuracy
from tasks.formats.weighted import N_ITEMS
from tasks.gate.gate_figures import ALPHA, GateFigure, GateFigures, RowCounts, accuracy_figure, agreement_figure
from tasks.gate.gate_rules import GateRules
from tasks.single_file.accuracy_file import system_ratings
from tasks.single_file.gold_file import read_gold
from tasks.single_file.load_file import FileOptions, LoadedQuestion, load_counted, refuse_misspelling
from tasks.summary.headline import headline_rows


def file_figures(path: Path, options: FileOptions, rules: GateRules, *, gold: Path | None = None) -> GateFigures:
    """Compute the figures that the rules are about, for each question of the file that they check.

    Each system with a limit counts as a system. `gold` is a file of items whose right answers are known. Raises
    ReadError if the file is not an export, and InputError for a question or system that it does not have.
    """
    systems = frozenset(rules.limits.min_accuracy)
    reading = replace(options.reading, systems=options.reading.systems | systems)
    options = replace(options, reading=reading, all_questions=True, questions=rules.questions)
    audited = None if gold is None else read_gold(gold, reading)
    loaded = load_counted(path, options)
    figures = [_question_figures(question, options, rules, audited) for question in loaded.questions]
    return GateFigures(
        place=str(path),
        questions=tuple(question.question for question in loaded.questions),
        systems={question.question: tuple(_systems(question, rules)) for question in loaded.questions},
        agreement={key: figure for of_question, _, _ in figures for key, figure in of_question.items()},
        accuracy={key: figure for _, of_question, _ in figures for key, figure in of_question.items()},
        rows=RowCounts(loaded.n_rows, loaded.n_rejected),
        warnings=tuple(dict.fromkeys(text for _, _, notes in figures for text in notes)),
    )


Figures = dict[tuple[str, str], GateFigure]


def _question_figures(
    loaded: LoadedQuestion, options: FileOptions, rules: GateRules, gold: pl.DataFrame | None
) -> tuple[Figures, Figures, tuple[str, ...]]:
    """Return the agreement by coefficient, the accuracy by system, and notes for people."""
    systems = _systems(loaded, rules)
    accuracies, notes = _accuracy(loaded, options, systems, gold) if systems else ({}, ())
    return _agreement(loaded, options, rules), accuracies, (*loaded.warnings, *notes)


def _agreement(loaded: LoadedQuestion, options: FileOptions, rules: GateRules) -> Figures:
    alpha = [] if rules.limits.min_alpha is None else [ALPHA]
    names = list(dict.fromkeys((*alpha, *rules.limits.min_agreement)))
    if not names:
        return {}
    estimates = agreement(
        loaded.ratings.filter(IS_HUMAN).select(loaded.columns),
        labels=loaded.labels.names,
        scale=options.scale,
        coefficients=names,
        confidence=options.confidence,
        seed=options.seed,
    )
    return {(loaded.question, row["name"]): agreement_figure(row) for row in estimates.to_dicts()}


def _accuracy(
    loaded: LoadedQuestion, options: FileOptions, systems: list[str], gold: pl.DataFrame | None
) -> tuple[Figures, tuple[str, ...]]:
    """Estimate the accuracy of the systems as `kappaflow accuracy` does, with the warnings of its checks."""
    inputs, unused = system_ratings(loaded, options, systems, gold)
    by_gold = inputs.gold is not None
    estimates = undefined_accuracy(_by_kind(loaded, systems), loaded.labels, options.scale, audited=by_gold)
    if estimates is None:
        subset: dict[str, Any] = {
            "systems": inputs.systems,
            "labels": inputs.labels,
            "scale": inputs.scale,
            "seed": inputs.seed,
        }
        estimates = accuracy(inputs.rated, **subset, gold=inputs.gold, confidence=inputs.confidence)
        estimates = (
            estimates
            if inputs.n_raters < 2
            else with_check_warnings(estimates, assumption_checks(inputs.rated, **subset))
        )
    columns = {"question": loaded.question, "system_version": "", "confidence": options.confidence}
    rows = headline_rows(estimates.with_columns(**{name: pl.lit(value) for name, value in columns.items()}))
    return {(loaded.question, row["system"]): accuracy_figure(row) for row in rows.to_dicts()}, unused


def _by_kind(loaded: LoadedQuestion, systems: list[str]) -> pl.DataFrame:
    """Return the ratings with n_items, and with the kind `system` for the systems."""
    kind = pl.when(pl.col("rater").is_in(systems)).then(pl.lit("system")).otherwise("rater_kind")
    n_items = pl.col(N_ITEMS) if N_ITEMS in loaded.ratings.columns else pl.lit(1, pl.Int64).alias(N_ITEMS)
    return loaded.ratings.with_columns(kind.alias("rater_kind"), n_items)


def _systems(loaded: LoadedQuestion, rules: GateRules) -> list[str]:
    """Return the systems with a limit that rate the question. Raises InputError for other spellings of the labels."""
    refuse_misspelling(loaded, sorted(rules.limits.min_accuracy))
    return sorted(set(rules.limits.min_accuracy) & set(loaded.ratings["rater"].unique()))
