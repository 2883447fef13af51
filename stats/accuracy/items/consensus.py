"""Consensus of the human raters: their overall agreement and accuracy, and the most probable label of every item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.arguments import check_labels
from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.lehner_fit import why_no_accuracy
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.evidence import Evidence
from stats.accuracy.fitting.likelihood import solve
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.item_patterns import ItemPatterns, item_patterns
from stats.accuracy.items import glad
from stats.accuracy.models import dawid_skene
from stats.accuracy.raters.left_out import without_left_out
from stats.arrays import FloatArray, IntArray
from stats.counts import distinct_raters, long_patterns
from stats.defaults import DEFAULT_CONSENSUS
from stats.errors import StatsError
from stats.patterns import RatingPatterns, counts_of

CONSENSUS_SCHEMA = {
    "item": pl.String,
    "label": pl.String,
    "probability": pl.Float64,
    "entropy": pl.Float64,
    "n_ratings": pl.Int64,
    "method": pl.String,
}
ERROR_CORRELATION = 0.65  # of errors under dawid_skene, in the mixture: best calibrated on five public sets
MAX_PATTERNS = 4_000_000  # patterns times labels, up to which the models that know the raters are fitted


@dataclass(frozen=True)
class RaterSummary:
    """The raters as a whole. Values are None where undefined.

    kappa is corrected for chance 1/N. rater_accuracy is Lehner's P_c.
    """

    kappa: float | None
    rater_accuracy: float | None
    base_rates: dict[str, float] | None
    n_items: int
    reason: str | None
    detail: str | None


def summary(ratings: Any, *, labels: Sequence[str]) -> RaterSummary:
    """Return kappa, accuracy and base rates of the raters in `ratings`. Leave out systems and gold.

    Accuracy and base rates do not rest on raters who gave nearly always the same label, or the labels of another one
    (`stats.accuracy.raters.left_out`).

    kappa is None when no item has two ratings. Accuracy and base rates are also None when the raters agree no better
    than chance 1/N. `reason` says why. Raises StatsError for ratings that `stats.counts` refuses, and for fewer than
    two labels.

    >>> frame = pl.DataFrame({"item": list("1122"), "rater": list("abab"), "label": list("AABB")})
    >>> result = summary(frame, labels=["A", "B"])
    >>> result.kappa, result.rater_accuracy, result.base_rates
    (1.0, 1.0, {'A': 0.5, 'B': 0.5})
    """
    check_labels(labels)
    names = distinct_raters(ratings)
    everyone = long_patterns(ratings, labels=labels, raters=names)
    P_a = _figures(everyone)[0].P_a
    kappa = None if np.isnan(P_a[0]) else float(lehner.kappa(P_a, len(labels))[0])
    raters, C, n_items = _figures(without_left_out(everyone, names)[0])
    undefined = why_no_accuracy(raters, C, n_items)
    if undefined is not None:
        return RaterSummary(kappa, None, None, int(n_items.sum()), *undefined)
    rates = dict(zip(labels, map(float, raters.base_rates[0]), strict=True))
    return RaterSummary(kappa, float(raters.P_c[0]), rates, int(n_items.sum()), None, None)


def consensus(ratings: Any, *, labels: Sequence[str], method: str = DEFAULT_CONSENSUS) -> pl.DataFrame:
    """Return the most probable right label of every rated item: item, label, probability, entropy (bits), n_ratings,
    method.

    Leave systems and gold out of `ratings`. `method` is a name of CONSENSUS:

    - `mixture`: the mean of two posteriors, that of `glad` and that of `dawid_skene`. GLAD knows that some items are
      difficult, Dawid & Skene that some labels are. The latter takes raters for independent and is far too sure, so its
      probabilities are tempered: m ratings count as the n_effective independent ones that they are worth where errors
      correlate by ERROR_CORRELATION. On five public sets its labels are right more often than those of any method of
      crowd-kit, and its probabilities the best calibrated (docs/accuracy-on-real-data.md).
    - `glad`: raters differ in ability and items in ease (Whitehill et al. 2009; `stats.accuracy.items.glad`).
    - `dawid_skene`: a free matrix for each rater (Dawid & Skene 1979, Appl. Stat. 28, 20-28), each row with the two
      pseudo-ratings of `stats.accuracy.models.free_rows`.
    - `lehner`: the posterior of Lehner's method: all raters are equally good and errors spread evenly.

    Ratings of people who gave nearly always the same label, or the labels of another one, do not count
    (`stats.accuracy.raters.left_out`), except in `majority`. An item that nobody else rated gets the most frequent
    label, with its frequency as probability. `n_ratings` counts all ratings.

    In the rare case that a model has not converged within its steps (100 at least), the labels are those of the last
    step.

    The column `method` names the one that was used: `lehner` also in place of the others where there are more than
    MAX_PATTERNS cells to fit, and `majority` where the raters' accuracy is undefined (see `summary`). Then the label is
    the one most raters gave, and probability and entropy are null. Ties go to the first declared label. Rows are
    sorted by item. An item that represents several (n_items, as in `accuracy`) has one row, and counts that many times
    in all estimates. Raises as `summary`, and StatsError for an unknown method.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("BBAABA")})
    >>> result = consensus(frame, labels=["A", "B"], method="lehner")
    >>> result.with_columns(pl.col("probability", "entropy").round(2)).drop("method").rows()
    [('1', 'B', 0.93, 0.35, 2), ('2', 'A', 0.93, 0.35, 2), ('3', 'A', 0.5, 1.0, 2)]
    """
    check_labels(labels)
    items = item_patterns(ratings, labels=labels)
    posterior = posteriors(items, method=method)
    top, probability, entropy = (
        np.concatenate(part)[items.row] for part in zip(*map(_summed_up, posterior.blocks), strict=True)
    )
    return pl.DataFrame(
        {
            "item": items.names,
            "label": pl.Series(list(labels), dtype=pl.String).gather(top),
            "probability": None if posterior.rater_accuracy is None else probability,
            "entropy": None if posterior.rater_accuracy is None else entropy,
            "n_ratings": items.counts.sum(axis=1)[items.row],
            "method": pl.Series([posterior.method] * len(top), dtype=pl.String),
        },
        schema=CONSENSUS_SCHEMA,
    )


@dataclass(frozen=True)
class Posteriors:
    """The probabilities (rows, k) of each label, in portions of the patterns, and the method that made them.

    `rater_accuracy` is Lehner's P_c. Where it is None, for the reason `reason`, the portions are the counts of each
    label instead.
    """

    blocks: Iterator[FloatArray]
    method: str
    rater_accuracy: float | None
    reason: str | None = None


def posteriors(items: ItemPatterns, *, method: str = DEFAULT_CONSENSUS) -> Posteriors:
    """Return the probabilities of each label for every pattern. Raises StatsError for an unknown method."""
    if method not in CONSENSUS:
        raise StatsError(f"There is no method {method!r} of consensus. Choose from {', '.join(CONSENSUS)}.")
    used = replace(items, patterns=without_left_out(items.patterns, items.raters)[0])
    C = used.counts
    patterns = SystemPatterns(C, np.full(len(C), -1), used.patterns.n_items, raters=used.patterns)
    W = patterns.n_items[None, :].astype(np.float64)
    data = ModelData(patterns, W, lehner.rater_figures(C, W))
    if (undefined := why_no_accuracy(data.raters, C, patterns.n_items)) is not None:
        return Posteriors(iter([items.counts.astype(np.float64)]), "majority", None, undefined[0])
    chosen = method if C.size <= MAX_PATTERNS else "lehner"
    return Posteriors(CONSENSUS[chosen](data), chosen, float(data.raters.P_c[0]))


def _by_lehner(data: ModelData) -> Iterator[FloatArray]:
    """Return Lehner's posterior of the labels (rows, k), in portions of the patterns."""
    C = data.patterns.C
    return (lehner.posterior(C[rows], data.raters)[0] for rows in lehner.blocks(*C.shape))


def _by_dawid_skene(data: ModelData) -> Iterator[FloatArray]:
    """Return the posterior (rows, k) from a matrix for each rater, in portions of the patterns."""
    solution = solve(dawid_skene.MODEL, data)
    return (part.responsibilities(solution.Phi)[0][0] for _, part in _portions(data))


def _by_glad(data: ModelData) -> Iterator[FloatArray]:
    """Return the posterior (rows, k) from an ability for each rater and the ease of items, in portions."""
    solution = glad.solve(data)
    return (glad.posterior(part, solution, data.k) for _, part in _portions(data))


def _by_mixture(data: ModelData) -> Iterator[FloatArray]:
    """Return the mean of GLAD's and Dawid & Skene's tempered posterior (rows, k), in portions of the patterns."""
    m = np.maximum(data.patterns.C.sum(axis=1), 1)  # an item may have ratings of left out raters only
    posteriors = zip(_portions(data), _by_glad(data), _by_dawid_skene(data), strict=True)
    return (mixed(by_ease, by_label, m[rows]) for (rows, _), by_ease, by_label in posteriors)


def _portions(data: ModelData) -> Iterator[tuple[slice, Evidence]]:
    """Yield the same portions for each model that knows the raters. The block of a system is empty."""
    return data.by_rater.evidence.blocks(glad.LEVELS * data.k)


def mixed(by_ease: FloatArray, by_label: FloatArray, m: IntArray, correlation: float = ERROR_CORRELATION) -> FloatArray:
    """Return the mean of two posteriors (q, k) of items with m (q,) ratings, the second of them tempered."""
    return np.asarray((by_ease + tempered(by_label, m, correlation)) / 2)


def tempered(P: FloatArray, m: IntArray, correlation: float = ERROR_CORRELATION) -> FloatArray:
    """Return probabilities P (q, k) of items with m (q,) ratings whose errors correlate: P to the power n_eff / m.

    n_eff / m is 1 / (1 + (m - 1) correlation). The most probable label stays the same.

    >>> tempered(np.array([[0.99, 0.01]] * 3), np.array([1, 3, 20])).round(3)[:, 0].tolist()
    [0.99, 0.881, 0.585]
    """
    exponent = 1 / (1 + (m - 1) * correlation)
    with np.errstate(divide="ignore"):
        logs = exponent[:, None] * np.log(P)
    T = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(T / T.sum(axis=1, keepdims=True))


CONSENSUS = {
    "mixture": _by_mixture,
    "glad": _by_glad,
    "dawid_skene": _by_dawid_skene,
    "lehner": _by_lehner,
}


def _summed_up(P: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the top label, its probability and the entropy in bits, for each row of P."""
    entropy = -(P * np.log2(P, out=np.zeros_like(P), where=P > 0)).sum(axis=1)
    return lehner.top_label(P), P.max(axis=1), np.clip(entropy, 0, None)


def _figures(raters: RatingPatterns) -> tuple[lehner.RaterFigures, IntArray, IntArray]:
    """Return the raters' figures, their distinct counts (Q, k), and the number of items (Q,) with each."""
    C, row = counts_of(raters)
    n_items = np.bincount(row, weights=raters.n_items, minlength=len(C)).astype(np.int64)
    return lehner.rater_figures(C, n_items[None, :].astype(np.float64)), C, n_items
