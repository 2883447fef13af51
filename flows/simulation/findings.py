"""The findings of a simulation, in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from flows.simulation.study import ALWAYS, Study
from tasks.report.formatting import counted, joined, number, percent

_MIN_BIAS = 0.05  # from here a mean estimate is called too low or too high


@dataclass(frozen=True)
class FindingParagraph:
    """One paragraph: a heading and its sentences."""

    title: str
    sentences: Sequence[str]


def findings(
    rows: pl.DataFrame, total: pl.DataFrame, studies: Sequence[Study], confidence: float | None
) -> list[FindingParagraph]:
    """Return the paragraphs on accuracy, the largest errors, the raters and undefined estimates.

    With a confidence there is a paragraph on the intervals, too. `rows` and `total` are from `closeness` and `overall`.
    """
    ranked = total.sort("rmse", nulls_last=True).to_dicts()
    paragraphs = [
        FindingParagraph("Accuracy", [_headline(ranked, studies), _in_sample(ranked)]),
        FindingParagraph("Where it goes wrong", [_extremes(rows, row["method"]) for row in _best_and_lehner(ranked)]),
    ]
    if confidence is not None:
        paragraphs.append(FindingParagraph("Intervals", [_coverage(ranked, confidence)]))
    paragraphs.append(FindingParagraph("Raters", [_kappas(rows, studies)]))
    undefined = [row for row in ranked if row["n_undefined"]]
    if undefined:
        paragraphs.append(FindingParagraph("No estimate", [_undefined(undefined, rows)]))
    return paragraphs


def _headline(ranked: Sequence[dict[str, Any]], studies: Sequence[Study]) -> str:
    scope = f"Over {counted(len(studies), 'setting')}" if len(studies) > 1 else f"In {_scope_name(studies[0])}"
    estimated = [row for row in ranked if row["rmse"] is not None]
    if not estimated:
        return f"{scope}, no method gave an estimate."
    off = [
        f"{row['method']} {'' if place else 'is off '}by {number(row['rmse'])}" for place, row in enumerate(estimated)
    ]
    sentence = f"{scope}, {joined(off)} (root mean square, against the expected accuracy)"
    best = estimated[0]
    if best["method"] == ALWAYS or best["ratio_to_lehner"] is None:
        return f"{sentence}."
    return f"{sentence}: {best['method']} at {number(best['ratio_to_lehner'], 2)} of {ALWAYS}."


def _scope_name(study: Study) -> str:
    return study.name if study.figure is not None else "your design"


def _in_sample(ranked: Sequence[dict[str, Any]]) -> str:
    estimated = [row for row in ranked if row["rmse_in_sample"] is not None]
    texts = [f"{row['method']} by {number(row['rmse_in_sample'])}" for row in estimated]
    return f"Against the accuracy on each run's own items: {joined(texts)}." if texts else ""


def _best_and_lehner(ranked: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the best method and lehner."""
    estimated = [row for row in ranked if row["rmse"] is not None]
    return [row for place, row in enumerate(estimated) if place == 0 or row["method"] == ALWAYS]


def _extremes(rows: pl.DataFrame, method: str) -> str:
    """Return a sentence on the system and study whose mean estimate is farthest from the truth."""
    method_rows = rows.filter(pl.col("method") == method, pl.col("bias").is_not_null())
    worst = method_rows.sort(pl.col("bias").abs(), descending=True).row(0, named=True)
    where = "" if worst["figure"] is None else f" (Figure {worst['figure']})"
    if abs(worst["bias"]) < _MIN_BIAS:
        return f"No system's mean estimate by {method} is off by {_MIN_BIAS:g} or more."
    low, far = (method_rows["bias"] <= -_MIN_BIAS).sum(), (method_rows["bias"].abs() >= _MIN_BIAS).sum()
    direction = "too low" if low == far else "too high" if low == 0 else "too low or too high"
    return (
        f"Farthest off on average is {method} with a system that is right in {number(worst['expected_accuracy'])}:"
        f" it puts it at {number(worst['mean_estimate'])}{where}."
        f" Its mean is {direction} by {_MIN_BIAS:g} or more for {far} of"
        f" {counted(method_rows.height, 'system')}."
    )  # fmt: skip


def _coverage(ranked: Sequence[dict[str, Any]], confidence: float) -> str:
    estimated = [row for row in ranked if row["coverage"] is not None]
    texts = [f"those of {row['method']} in {percent(row['coverage'])} of the cases" for row in estimated]
    if not texts:
        return "No method gave an interval."
    return f"Intervals of a nominal {percent(confidence)} hold the expected accuracy: {joined(texts)}."


def _kappas(rows: pl.DataFrame, studies: Sequence[Study]) -> str:
    kappas = rows.unique("figure").sort("figure").select("figure", "kappa", "printed_kappa").drop_nulls("kappa").rows()
    if studies[0].figure is None:
        return f"The raters' mean kappa is {number(kappas[0][1])}."
    gaps = {figure: abs(kappa - printed) for figure, kappa, printed in kappas}
    worst = max(gaps, key=lambda figure: gaps[figure])
    if len(kappas) == 1:
        return f"The raters' mean kappa is {number(kappas[0][1])}; the paper prints {number(kappas[0][2])}."
    return (
        f"The raters' mean kappa is within {number(gaps[worst])} of the one the paper prints in each of the"
        f" {counted(len(kappas), 'figure')}; farthest in Figure {worst}."
    )


def _undefined(undefined: Sequence[dict[str, Any]], rows: pl.DataFrame) -> str:
    runs = dict(rows.group_by("method").agg(pl.col("runs").sum()).rows())
    texts = [f"{row['method']} in {percent(row['n_undefined'] / runs[row['method']])}" for row in undefined]
    return (
        f"Of all cases there is no estimate by {joined(texts)}: the raters agree no better than chance, or the method"
        " does not apply. These cases are left out of all other figures."
    )
