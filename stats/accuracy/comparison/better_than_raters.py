"""Comparison of a system with its human raters: with the average rater and with the best one.

Both accuracies are those of the other tables: the system's from `average` (audited with gold), the raters' from
`stats.accuracy.raters.annotators`. Only the error is computed here. A system's fit also estimates the raters'
accuracy, so the error of the difference takes account of what the two have in common. With gold the error comes from
the gold items.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy import warnings_in_words
from stats.accuracy.arguments import check_confidence, check_scale, check_systems
from stats.accuracy.comparison.contrast import ContrastFit, answered_counts
from stats.accuracy.comparison.interval_arithmetic import as_sure_as_interval, at_least_between
from stats.accuracy.comparison.pooling import average_models, pooled_error, weights
from stats.accuracy.estimators.average import AVERAGE
from stats.accuracy.fitting.estimator import Interval, SystemFit, SystemPatterns
from stats.accuracy.fitting.likelihood import data_of
from stats.accuracy.gold.audit import audit, check_gold, gold_items
from stats.accuracy.gold.gold_rows import (
    LEAST_GOLD,
    NOT_AUDITED,
    GoldRows,
    Influence,
    difference_error,
    gold_rows,
    system_influence,
)
from stats.accuracy.prepared_ratings import PreparedRatings, frame_of, prepared
from stats.accuracy.raters.annotators import ALIKE, MIN_RATINGS, Annotators, annotators
from stats.accuracy.systems import FEW_GOLD_OF_SYSTEM, Schema
from stats.counts import distinct_raters
from stats.special_functions import stdtr, stdtrit
from stats.unnamed import DETAIL, UNNAMED, name_nobody

BETTER_SCHEMA: Schema = {
    "system": pl.String,
    "compared_with": pl.String,
    "rater": pl.String,
    "accuracy": pl.Float64,
    "rater_accuracy": pl.Float64,
    "difference": pl.Float64,
    "se": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p_system_better": pl.Float64,
    "n_items": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
    "warnings": pl.List(pl.String),
    "n_gold": pl.Int64,
}
STANDARDS = ("average_rater", "best_rater")
NO_BEST = f"No rater gave {MIN_RATINGS} ratings or more, so none counts as the best."
NO_BEST_AUDITED = f"No rater of {MIN_RATINGS} ratings or more rated {LEAST_GOLD} of the gold items."
OTHER_ITEMS = (
    "The system answered {:,} of the {:,} items that people rated: its accuracy is over these, the raters' over all."
)
Row = dict[str, object]
Ends = tuple[float, float]


def better_than_raters(
    ratings: Any,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    scale: str = "nominal",
    gold: Any = None,
    raters: Annotators | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare each system with the average human rater and with the best one: two rows per system.

    Columns: system; compared_with, `average_rater` or `best_rater`; rater, the name of the best one; accuracy of the
    system and rater_accuracy, in [0, 1]; difference, the first minus the second; se, low, high; p_system_better, the
    probability that the system is the more accurate one; n_items, items that the system answered and at least one
    human rated; reason and detail where they are null; warnings; n_gold, gold items that the system answered.

    The system's accuracy is that of `average` in `accuracy`, the raters' that of `annotators`. Pass the result of
    `annotators` for the human ratings as `raters`, or it is called here. The average rater has the annotators'
    accuracy. The best rater is the most accurate one of their table. A system that left out items is still compared
    with the raters on all their items, with a warning.

    Without gold the interval is Student's t with the variance between the models. It is never narrower than the
    intervals of the two accuracies allow. If one of these is missing, so is the interval of the difference. In
    simulations a nominal 90 % held the truth in 85 to 98 %. With `gold` (see `accuracy`) both accuracies are audited,
    and the error is computed from their difference on each gold item; p_system_better follows from the interval. `seed`
    is not used, because nothing is random.

    Rows are undefined where `accuracy` by `average` or `annotators` is, where no rater has MIN_RATINGS
    (`too_few_items`), where none of those has an accuracy (with the reason of the first: `too_few_raters` where there
    are two), for the best of votes without names (`unnamed_raters`), and with gold where the system, all raters or the
    best one have fewer than two gold items (`too_few_gold`). Raises StatsError as `accuracy`.

    >>> rows = [(str(i), rater, "AB"[(i + (i % 5 == j)) % 2])
    ...         for i in range(40) for j, rater in enumerate(("ann", "bob", "cy", "bot"))]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> better_than_raters(frame, systems=["bot"], labels=["A", "B"])["compared_with"].to_list()
    ['average_rater', 'best_rater']
    """
    check_scale(scale)
    check_confidence(confidence)
    check_systems(frame_of(ratings), systems, labels)
    prepared_ratings = prepared(ratings, systems=systems, labels=labels, scale=scale, audited=gold is not None)
    gold = None if gold is None else check_gold(gold, labels=labels)
    humans = [rater for rater in distinct_raters(prepared_ratings.ratings) if rater not in set(systems)]
    if raters is None:
        human = prepared_ratings.ratings.filter(~pl.col("rater").is_in(list(systems)))
        raters = annotators(human, labels=labels, scale=scale, gold=gold, confidence=confidence)
    rows = None
    if gold is not None:
        rows = gold_rows(prepared_ratings.ratings, gold, systems=systems, raters=humans, labels=labels)
    comparison = _ComparisonInput(prepared_ratings, humans, raters, gold, rows, confidence)
    return pl.DataFrame([row for system in systems for row in _rows(comparison, system)], schema=BETTER_SCHEMA)


@dataclass(frozen=True)
class _ComparisonInput:
    """The input of one comparison: the systems' ratings, the human raters' names and accuracies, and the gold items."""

    prepared_ratings: PreparedRatings
    humans: list[str]
    raters: Annotators
    gold: pl.DataFrame | None
    rows: GoldRows | None
    confidence: float


@dataclass(frozen=True)
class _Difference:
    """The accuracies of a system and of a standard, the centre of the interval, and its error.

    The error is None where undefined. `intervals` are those of the two accuracies, where the difference must be no
    surer than they are.
    """

    accuracy: float
    rater_accuracy: float
    centre: float
    se: float | None = None
    degrees: float = 0.0
    intervals: tuple[Ends, Ends] | None = None

    def row(self, confidence: float) -> Row:
        value = self.accuracy - self.rater_accuracy
        row: Row = {"accuracy": self.accuracy, "rater_accuracy": self.rater_accuracy, "difference": value}
        if self.se is None:
            return row
        quantile = float(stdtrit(self.degrees, (1 + confidence) / 2))
        low, high = min(self.centre - quantile * self.se, value), max(self.centre + quantile * self.se, value)
        if self.intervals is not None:
            low, high = at_least_between(low, high, *self.intervals)
        se = max(self.se, (high - low) / 2 / quantile)
        better = as_sure_as_interval(float(stdtr(self.degrees, value / se)), low, high, confidence=confidence)
        return row | {"se": se, "low": max(-1.0, low), "high": min(1.0, high), "p_system_better": better}


def _rows(comparison: _ComparisonInput, system: str) -> list[Row]:
    patterns = comparison.prepared_ratings.patterns(system, by_rater=True)
    fitted, best = AVERAGE.fit(patterns), comparison.raters.best
    n = patterns.count(patterns.rated & patterns.answered)
    n_gold = 0 if comparison.rows is None else len(comparison.rows.of_system(system).system)
    shared = {"system": system, "n_items": n, "n_gold": n_gold}
    why = _why_not(comparison, fitted, n_gold)
    if why is not None:
        return [{**shared, "compared_with": name, "reason": why[0], "detail": why[1]} for name in STANDARDS]
    differences = (
        _audited(comparison, patterns, fitted, system)
        if comparison.gold is not None
        else _modelled(comparison, patterns, fitted)
    )
    notes = _about(comparison, patterns, n)
    average = {**shared, "compared_with": STANDARDS[0], **_with(differences[0].row(comparison.confidence), notes)}
    if best is None:
        reason, detail = _why_no_best(comparison)
        return [average, {**shared, "compared_with": STANDARDS[1], "reason": reason, "detail": detail}]
    alike = tuple(note for note in comparison.raters.warnings if note == ALIKE)
    row = _with(differences[1].row(comparison.confidence), (*alike, *notes))
    return [average, {**shared, "compared_with": STANDARDS[1], "rater": best, **row}]


def _why_not(comparison: _ComparisonInput, fitted: SystemFit, n_gold: int) -> tuple[str, str] | None:
    if comparison.gold is not None and n_gold < LEAST_GOLD:
        return NOT_AUDITED, FEW_GOLD_OF_SYSTEM
    if comparison.gold is None and fitted.reason is not None:
        return fitted.reason, fitted.detail or ""
    return None if comparison.raters.reason is None else (comparison.raters.reason, comparison.raters.detail or "")


def _why_no_best(comparison: _ComparisonInput) -> tuple[str, str]:
    """Say why no rater is the best one: nobody has enough ratings, or those who have lack an accuracy."""
    if name_nobody(comparison.humans):
        return UNNAMED, DETAIL
    if comparison.gold is not None:
        return NOT_AUDITED, NO_BEST_AUDITED
    many = comparison.raters.raters.filter(pl.col("n_ratings") >= MIN_RATINGS).to_dicts()
    return (many[0]["reason"], f"No rater has an accuracy. {many[0]['detail']}") if many else ("too_few_items", NO_BEST)


def _about(comparison: _ComparisonInput, patterns: SystemPatterns, n: int) -> tuple[str, ...]:
    rated = patterns.count(patterns.rated)
    other = (OTHER_ITEMS.format(n, rated),) if n < rated else ()
    if comparison.gold is not None:
        return (*comparison.raters.warnings[:1], *other)
    return (*other, *warnings_in_words.on_any(patterns, 1.0))


def _modelled(comparison: _ComparisonInput, patterns: SystemPatterns, fitted: SystemFit) -> list[_Difference]:
    """Return the differences by the models: to the average rater, and to the best one if there is one.

    The error is that of the difference in the system's own fit. To it is added how far the tables' accuracies are from
    that fit, because the tables fit the raters without the system.
    """
    data = data_of(patterns)
    models = average_models([(patterns, data)])
    fits = [ContrastFit(model, data, answered_counts(model, data)) for model in models]
    headline, mean = fitted.accuracy or 0.0, comparison.raters.accuracy or 0.0
    w, _ = weights(models, [data])
    apart = headline - mean - float(w @ [fit.system_accuracy - fit.rater_accuracy(None) for fit in fits])
    differences = [replace(_error(fits, None, mean, apart), accuracy=headline)]
    if comparison.raters.best is not None:
        own = [fit for fit in fits if fit.n_raters == len(comparison.humans)]
        accuracy = float(comparison.raters.of(comparison.raters.best)["accuracy"])
        best = _error(own, comparison.humans.index(comparison.raters.best), accuracy, apart)
        differences.append(replace(best, accuracy=headline))
    inner = AVERAGE.interval(patterns, fitted, comparison.confidence, 0)
    centred = [replace(fit, centre=fit.accuracy - fit.rater_accuracy) for fit in differences]
    ends = _rater_intervals(comparison.raters)
    return [_no_surer_than(fit, inner, of_rater) for fit, of_rater in zip(centred, ends, strict=True)]


def _rater_intervals(raters: Annotators) -> list[tuple[float | None, float | None]]:
    """Return the interval of the average rater, and that of the best one if there is one."""
    if raters.best is None:
        return [(raters.low, raters.high)]
    best = raters.of(raters.best)
    return [(raters.low, raters.high), (best["low"], best["high"])]


def _no_surer_than(fit: _Difference, inner: Interval, rater: tuple[float | None, float | None]) -> _Difference:
    """Hold the difference to the intervals of the two accuracies. If one of them has none, the difference has none."""
    low, high = rater
    if inner.low is None or inner.high is None or low is None or high is None:
        return replace(fit, se=None)
    return replace(fit, intervals=((inner.low, inner.high), (low, high)))


def _error(fits: list[ContrastFit], rater: int | None, accuracy: float, apart: float) -> _Difference:
    """Return the error of the difference to one rater, or to all.

    `apart` is how far the tables' difference is from the fit's.
    """
    w, v = weights([fitted.model for fitted in fits], [fits[0].data])
    d = np.array([fitted.system_accuracy - fitted.rater_accuracy(rater) for fitted in fits])
    variances = [fitted.difference_variance(rater) for fitted in fits]
    # a rater who was never wrong has a coin without any variance, so the variance gets a lower limit
    least = 0.0 if rater is None else accuracy * (1 - accuracy) / max(float(fits[0].ratings[rater]), 1.0)
    error = pooled_error(d, [None if each is None else max(each, least) for each in variances], float(w @ d), v)
    if error is None:
        return _Difference(0.0, accuracy, 0.0)
    return _Difference(0.0, accuracy, 0.0, float(np.sqrt(error[0] + apart**2)), error[1])


def _audited(
    comparison: _ComparisonInput, patterns: SystemPatterns, fitted: SystemFit, system: str
) -> list[_Difference]:
    """Return the differences on the gold items: to the average rater, and to the best one if there is one."""
    rows, gold, audited = comparison.rows, comparison.gold, comparison.raters.audit
    if rows is None or gold is None or audited is None or audited.together is None:
        raise ValueError("There is no audit.")
    own = gold_items(
        comparison.prepared_ratings.ratings,
        gold,
        system=system,
        systems=comparison.prepared_ratings.systems,
        labels=comparison.prepared_ratings.labels,
    )
    headline = audit(patterns, fitted, own, confidence=comparison.confidence)
    moves = system_influence(patterns, fitted, rows, system)
    unbiased = headline.accuracy if headline.unbiased is None else headline.unbiased

    def against(accuracy: float, rater_unbiased: float, other: Influence) -> _Difference:
        centre = unbiased - rater_unbiased
        return _Difference(headline.accuracy, accuracy, centre, *difference_error(centre, moves, other))

    differences = [against(audited.together.accuracy, audited.together.unbiased, audited.together.influence)]
    best = None if comparison.raters.best is None else audited.each[comparison.humans.index(comparison.raters.best)]
    if best is not None and comparison.raters.best is not None:
        accuracy = float(comparison.raters.of(comparison.raters.best)["accuracy"])
        differences.append(against(accuracy, best.unbiased, best.influence))
    return differences


def _with(row: Row, about: tuple[str, ...]) -> Row:
    """Return the row with the warnings, and with one more where it has no interval."""
    return row | {"warnings": [*([] if "se" in row else [warnings_in_words.NO_INFORMATION]), *about]}
