"""Is a system better than its human raters? Difference to the average rater and to the best one, in one model.

A system's fit also holds how accurate the raters are, so their difference comes with one error that counts what the
two have in common; models are weighted as in `average`.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from stats.accuracy import notes
from stats.accuracy.compare.contrast import Fitted, answered_counts
from stats.accuracy.compare.pooling import average_models, pooled_error, weights
from stats.accuracy.estimator import FloatArray, Patterns
from stats.accuracy.likelihood import data_of, why_undefined
from stats.accuracy.per_label_error import cost_of_not_knowing
from stats.accuracy.prepared import Prepared, prepared
from stats.accuracy.systems import Schema
from stats.accuracy.valid import check_confidence, check_scale
from stats.counts import distinct_raters

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
}
MIN_ITEMS = 30  # that a rater must share with the system to count as the best
ALIKE = (
    "The raters differ hardly more than chance makes them differ, so their accuracies are drawn far towards their mean"
    " and the best of them is little better than the average rater."
)
Row = dict[str, object]


def better_than_raters(
    ratings: pl.DataFrame | Prepared,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    scale: str = "nominal",
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Each system against the average human rater and against the best one: two rows per system.

    Columns: system; compared_with, `average_rater` or `best_rater`; rater, who the best one is; accuracy of the system
    and rater_accuracy, in [0, 1]; difference, the first less the second; se, low, high; p_system_better, the
    probability that the system is the more accurate one; n_items that the system answered and somebody rated; reason
    and detail where they are null; warnings.

    The average rater's accuracy is the probability that a human rating of one of these items is right: raters count by
    how many they gave. The system is fitted as by `average` of `accuracy`; the best rater is found by those of its
    models that let raters differ, so that the system's accuracy may be slightly different there, among the raters of 30
    or more of these items. The best of many looks better than he is, so the raters' accuracies are first drawn towards
    their mean (`drawn_together`). The interval is Student's t, with the variance between the models; in simulations a
    nominal 90 % held the truth in 87 to 98 %. `seed` is not used: there is no randomness in it.

    Undefined as `accuracy` by `average`, and for the best rater where no rater has 30 items (`too_few_items`). Raises
    StatsError as `accuracy`.

    >>> rows = [(str(i), rater, "AB"[(i + (i % 5 == j)) % 2])
    ...         for i in range(40) for j, rater in enumerate(("ann", "bob", "cy", "bot"))]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> better_than_raters(frame, systems=["bot"], labels=["A", "B"])["compared_with"].to_list()
    ['average_rater', 'best_rater']
    """
    check_scale(scale)
    check_confidence(confidence)
    once = prepared(ratings, systems=systems, labels=labels, scale=scale)
    humans = [rater for rater in distinct_raters(once.ratings) if rater not in set(systems)]
    rows = [
        {"system": system, **row}
        for system in systems
        for row in _rows(once.patterns(system, by_rater=True), humans, confidence)
    ]
    return pl.DataFrame(rows, schema=BETTER_SCHEMA)


def _rows(patterns: Patterns, humans: list[str], confidence: float) -> list[Row]:
    n = patterns.count(patterns.rated & patterns.answered)
    names = ("average_rater", "best_rater")
    why = why_undefined(patterns)
    if why is not None:
        return [{"compared_with": name, "n_items": n, "reason": why[0], "detail": why[1]} for name in names]
    data = data_of(patterns)
    models = average_models([(patterns, data)])
    found = [Fitted(model, data, answered_counts(model, data)) for model in models]
    about = notes.on_any(patterns, 1.0)
    everyone = _row(found, None, confidence)
    rows: list[Row] = [{"compared_with": names[0], "n_items": n, **_with(everyone, about)}]
    own = [fitted for fitted in found if fitted.n_raters == len(humans)]
    many = own[0].ratings >= MIN_ITEMS
    if not many.any():
        detail = f"No rater labelled {MIN_ITEMS} of the items that the system answered."
        return [*rows, {"compared_with": names[1], "n_items": n, "reason": "too_few_items", "detail": detail}]
    own_models = [fitted.model for fitted in own]
    w, _ = weights(own_models, [data])
    each = w @ np.stack([[fitted.rater_accuracy(rater) for rater in range(len(humans))] for fitted in own])
    error = float(w @ np.array(cost_of_not_knowing(own_models, data))) / np.maximum(own[0].ratings, 1)
    drawn, alike = drawn_together(each[many], error[many])
    best = int(drawn.argmax())
    rater = int(np.flatnonzero(many)[best])
    shift = float(drawn[best] - each[rater])
    row = _with(_row(own, rater, confidence, shift), (*((ALIKE,) if alike else ()), *about))
    return [*rows, {"compared_with": names[1], "rater": humans[rater], "n_items": n, **row}]


def _with(row: Row, about: tuple[str, ...]) -> Row:
    """The row with warnings, and with one more where it has no interval."""
    return row | {"warnings": [*([] if "se" in row else [notes.NO_INFORMATION]), *about]}


def drawn_together(accuracy: FloatArray, error: FloatArray) -> tuple[FloatArray, bool]:
    """Accuracies (r,) drawn towards their mean, and whether by more than half, so that none is best by luck.

    Each keeps the share t / (t + v) of its distance from the mean p: v = p(1 - p) error is the variance that chance
    gives it (error is 1/ratings, times what not knowing the right labels costs), t that of the raters themselves, what
    the variance between them has more than the mean of v (C. N. Morris 1983, J. Am. Stat. Assoc. 78, 47-55).

    >>> drawn_together(np.array([0.6, 0.7, 0.8]), np.array([0.01, 0.01, 0.01]))[0].round(3).tolist()
    [0.621, 0.7, 0.779]
    """
    mean = float(np.average(accuracy, weights=1 / error))
    chance = mean * (1 - mean) * error
    spread = float(accuracy.var(ddof=1)) if len(accuracy) > 1 else 0.0
    own = max(0.0, spread - float(chance.mean()))
    kept = own / np.maximum(own + chance, 1e-300)
    return mean + kept * (accuracy - mean), bool(kept.mean() < 0.5)


def _row(found: list[Fitted], rater: int | None, confidence: float, shift: float = 0.0) -> Row:
    """The comparison with one rater, or with all; `shift` is added to his accuracy."""
    w, v = weights([fitted.model for fitted in found], [found[0].data])
    system = np.array([fitted.system_accuracy for fitted in found])
    human = np.array([fitted.rater_accuracy(rater) for fitted in found])
    human_accuracy, value = float(w @ human) + shift, float(w @ (system - human))
    row: Row = {"accuracy": float(w @ system), "rater_accuracy": human_accuracy, "difference": value - shift}
    variances = [fitted.difference_variance(rater) for fitted in found]
    # a rater who was never wrong has a coin whose variance is none at all
    least = 0.0 if rater is None else human_accuracy * (1 - human_accuracy) / float(found[0].ratings[rater])
    error = pooled_error(system - human, [None if each is None else max(each, least) for each in variances], value, v)
    if error is None:
        return row
    value, se = value - shift, error[0] ** 0.5
    half, better = se * float(stdtrit(error[1], (1 + confidence) / 2)), float(stdtr(error[1], value / se))
    return row | {"se": se, "low": max(-1.0, value - half), "high": min(1.0, value + half), "p_system_better": better}
