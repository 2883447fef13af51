"""Compare a new version of a system with the old one. The date of the change is known, so that no search is needed.

Looks are a day and a version: a day may hold items of both. With D the mean before less the mean after, and V the
variance of D, e = exp((delta |D| - delta^2 / 2) / V). A verdict falls on the first day with e >= 40. If the variances
are known, a version that is as good as the old one gets a verdict with a probability of .05 at most.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from stats.arrays import FloatArray, IntArray
from stats.monitoring.candidate_likelihoods import MAX_EXPONENT
from stats.monitoring.chart_group import MIN_VARIANCE, UNIT
from stats.monitoring.daily_counts import DailyCounts, coded_counts
from stats.monitoring.look_variance import look_variances
from stats.monitoring.question_reference import MIN_SCORES, QuestionReference
from stats.monitoring.scores.system_scores import system_scores

SMALLEST_CHANGE = 0.10
DAY_CORRELATION = 0.03
DECISIVE = 40.0  # two-sided .05
CENTRE = 0.5  # near the scores, so that sums of squares lose no digits; no later day changes it


@dataclass(frozen=True)
class VersionComparison:
    """A new version of a system beside the one before it.

    - first_day: the first day with items of the new version. decided_on: the day of the verdict, or the last day of the
      new version if there is none.
    - n_before, n_after: items of the old and the new version up to decided_on.
    - verdict: worse, better, or None while the evidence does not decide.
    - before, after: mean score up to decided_on. difference: after - before, with its standard error se.
    - e: the evidence; 40 or more decides. These figures are None with a reason where the old version has fewer than 50
      scored items.
    """

    system: str
    old_version: str
    version: str
    first_day: date
    decided_on: date
    n_before: int
    n_after: int
    verdict: str | None = None
    before: float | None = None
    after: float | None = None
    difference: float | None = None
    se: float | None = None
    e: float | None = None
    reason: str | None = None
    detail: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as JSON, with dates as text."""
        return {name: value.isoformat() if isinstance(value, date) else value for name, value in vars(self).items()}


VERSION_SUM_COLUMNS = {
    "system": pl.String,
    "version": pl.String,
    "day": pl.Date,
    "n_items": pl.Int64,
    "score_sum": pl.Int64,
    "centred_sum": pl.Float64,
    "centred_squares": pl.Float64,
}


def version_sums(counts: DailyCounts, *, reference: QuestionReference) -> pl.DataFrame:
    """Add up the scores of the answers of each version of the systems that have a reference, by day.

    Columns: VERSION_SUM_COLUMNS, sorted by the first three. Raises StatsError as `coded_counts`.
    """
    if counts.versions.is_empty():
        return pl.DataFrame(schema=VERSION_SUM_COLUMNS)
    return add_version_scores(_version_scores(counts, reference))


def add_version_scores(scores: pl.DataFrame) -> pl.DataFrame:
    """Add up scores (system, version, day, score, n_items) by version and day.

    score_sum is in whole 1e-6. centred_sum and centred_squares are the sums of score - .5 and its square, not rounded.
    """
    keys = ["system", "version", "day"]
    n, centred = pl.col("n_items"), pl.col("score") - CENTRE
    whole = (pl.col("score") * UNIT).round(mode="half_to_even").cast(pl.Int64)
    by_score = scores.sort(*keys, "score")  # float sums depend on the order
    sums = by_score.group_by(keys, maintain_order=True).agg(
        n_items=n.sum().cast(pl.Int64),
        score_sum=(whole * n).sum().cast(pl.Int64),
        centred_sum=(centred * n).sum(),
        centred_squares=(centred**2 * n).sum(),
    )
    return sums.cast(VERSION_SUM_COLUMNS)  # type: ignore[arg-type]


def _version_scores(counts: DailyCounts, reference: QuestionReference) -> pl.DataFrame:
    """Return system, version, day, score (not rounded), n_items (items with this score), sorted by all of them."""
    coded = coded_counts(counts)
    table = system_scores(coded, reference.systems, reference.one_coin)
    names = np.array(table.subjects, dtype=object)
    schema = {"system": pl.String, "code": pl.Int64, "score": pl.Float64}
    columns = {"system": names[table.series].tolist(), "code": table.pattern, "score": table.score}
    scores = pl.DataFrame(columns, schema=schema)
    keys = ["system", "version", "day", "score"]
    rows = counts.versions.join(coded.codes, on="pattern").join(scores, on=["system", "code"])
    return rows.group_by(keys).agg(pl.col("n_items").sum()).sort(keys)


def compare_versions(
    sums: pl.DataFrame, first_answers: Mapping[tuple[str, str], datetime] | None = None
) -> tuple[VersionComparison, ...]:
    """Compare each version with the one that came before, in order of system and version.

    `sums` is the result of `version_sums`. `first_answers` says when a version (system, version) first answered. If it
    has all versions of a system, it decides which came before: a new version may answer old items again, and its first
    item is then older than those that the old version still has. Else the first days decide.
    """
    known = first_answers or {}
    results = []
    for (system,), rows in sums.group_by("system", maintain_order=True):
        first_days = rows.group_by("version").agg(pl.col("day").min()).sort("day", "version")
        versions = list(first_days.iter_rows())
        if all((system, version) in known for version, _ in versions):
            versions.sort(key=lambda version: known[str(system), version[0]])
        for (old, _), (new, first_day) in pairwise(versions):
            before, after = (rows.filter(version=name).sort("day") for name in (old, new))
            results.append(_comparison(str(system), (old, new), first_day, before, after))
    return tuple(results)


def _comparison(
    system: str, versions: tuple[str, str], first_day: date, old: pl.DataFrame, new: pl.DataFrame
) -> VersionComparison:
    """Return the verdict of the first day that has one, or the state of the last day of the new version."""
    days = [day for day in new["day"].unique().sort() if day > first_day] or [first_day]
    before, after, s2 = _means_by_day(old, days), _means_by_day(new, days), _variances_by_day(old, days)
    D = before.mean - after.mean
    with np.errstate(invalid="ignore", divide="ignore"):
        V = s2 * (1 / before.weight + 1 / after.weight)
        log_e = (SMALLEST_CHANGE * np.abs(D) - SMALLEST_CHANGE**2 / 2) / V
    e = np.exp(np.minimum(log_e, MAX_EXPONENT))
    enough = before.n_items >= MIN_SCORES
    decisive = np.flatnonzero(enough & (e >= DECISIVE) & (np.array(days) > first_day))
    end = int(decisive[0]) if len(decisive) else len(days) - 1
    n_before, n_after = int(before.n_items[end]), int(after.n_items[end])
    shared = (system, *versions, first_day, days[end])
    if not enough[end]:
        detail = f"A comparison needs {MIN_SCORES} scored items of the old version, found {n_before}."
        return VersionComparison(*shared, n_before, n_after, reason="too_few_items", detail=detail)
    return VersionComparison(
        *shared,
        n_before,
        n_after,
        verdict=("worse" if D[end] > 0 else "better") if len(decisive) else None,
        before=float(before.mean[end]),
        after=float(after.mean[end]),
        difference=float(-D[end]),
        se=float(np.sqrt(V[end])),
        e=float(e[end]),
    )


@dataclass(frozen=True)
class _MeansByDay:
    """Up to each day (D,): weighted mean of the looks, their total weight (for a variance of 1) and their items."""

    mean: FloatArray
    weight: FloatArray
    n_items: IntArray


def _means_by_day(looks: pl.DataFrame, days: list[date]) -> _MeansByDay:
    """Add up the looks of one version, sorted by day."""
    n = looks["n_items"].to_numpy().astype(np.float64)
    weights = 1 / look_variances(n, np.array(1.0), np.array(DAY_CORRELATION), 1.0)
    terms = weights * looks["score_sum"].to_numpy() / n
    weight, total = (_until(looks["day"], values, days) for values in (weights, terms))
    with np.errstate(invalid="ignore"):
        return _MeansByDay(total / (UNIT * weight), weight, _until(looks["day"], n, days).astype(np.int64))


def _variances_by_day(looks: pl.DataFrame, days: list[date]) -> FloatArray:
    """Return the variance (ddof 1, .001 or more) of the scores of the items up to each day, not rounded."""
    columns = ("n_items", "centred_sum", "centred_squares")
    items, total, squares = (_until(looks["day"], looks[name].to_numpy().astype(np.float64), days) for name in columns)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.maximum((squares - total**2 / items) / (items - 1), MIN_VARIANCE)


def _until(days: pl.Series, terms: FloatArray, ends: list[date]) -> FloatArray:
    """Return the sum of the terms up to and including each of the days `ends`. `days` is sorted."""
    sums = np.concatenate([[0.0], np.cumsum(terms)])
    positions = np.searchsorted(days.to_numpy(), np.array(ends, dtype="datetime64[D]"), side="right")
    return np.asarray(sums[positions])
