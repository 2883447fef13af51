"""Compare each rater with the others on the same items: agreement, and the bias of each label."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.agreement.scorecard.share_interval import share_interval
from stats.arrays import FloatArray
from stats.counts import distinct_raters, long_patterns
from stats.intervals import check_confidence, t_interval

AGREEMENT_SCHEMA = pl.Schema(
    {
        "rater": pl.String(),
        "n_ratings": pl.Int64(),
        "n_items": pl.Int64(),
        "agreement": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "reason": pl.String(),
    }
)
BIAS_SCHEMA = pl.Schema(
    {
        "rater": pl.String(),
        "label": pl.String(),
        "n_items": pl.Int64(),
        "own_share": pl.Float64(),
        "others_share": pl.Float64(),
        "bias": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "reason": pl.String(),
    }
)
LEAST_ITEMS = 2  # for an interval


@dataclass(frozen=True)
class AgainstOthers:
    """Each rater beside the others.

    - agreement (AGREEMENT_SCHEMA): the share of the pairs (rater, other rater of the same item) that agree.
    - bias (BIAS_SCHEMA): the rater's share of a label minus the mean share of it among the others, on the same items.

    An undefined figure is null, with `too_few_raters` or `too_few_items`. n_items counts the items that another rater
    rated too.
    """

    agreement: pl.DataFrame
    bias: pl.DataFrame


def against_others(ratings: Any, *, labels: Sequence[str], confidence: float = 0.95) -> AgainstOthers:
    """Compute the agreement and the bias of each rater, with intervals over items. Rows are sorted by rater.

    The agreement is a ratio of sums over items, and its error that of a ratio of item totals (Cochran 1977, Sampling
    Techniques, 6.3). The interval is Wilson's. Its n is the number of independent pairs that would have this error, so
    that a few items in full agreement still have a wide interval. The interval of a bias is that of a mean of items,
    with t; where no item differs, it is as wide as for a share of 0 by Wilson.

    >>> rows = [(i, r, l) for i, all in enumerate(["AAB", "AAB", "BBB", "BBA"]) for r, l in zip("xyz", all)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> result = against_others(ratings, labels=["A", "B"])
    >>> result.agreement.select("rater", "n_items", "agreement").rows()
    [('x', 4, 0.625), ('y', 4, 0.625), ('z', 4, 0.25)]
    >>> result.bias.filter(rater="z", label="A").select("own_share", "others_share", "bias").rows()
    [(0.25, 0.5, -0.25)]
    """
    check_confidence(confidence)
    raters = distinct_raters(ratings)
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    counts = np.zeros((len(patterns.n_items), len(labels)))
    np.add.at(counts, (patterns.pattern, patterns.label), 1)
    others = counts.sum(axis=1)[patterns.pattern] - 1
    shared = others > 0
    pattern, rater, label = patterns.pattern[shared], patterns.rater[shared], patterns.label[shared]
    others, weight = others[shared], patterns.n_items[pattern].astype(float)

    def summed(values: FloatArray | float) -> FloatArray:
        return np.bincount(rater, weights=weight * values, minlength=len(raters)).astype(float)

    n = summed(1.0)
    ratings_of = np.bincount(
        patterns.rater, weights=patterns.n_items[patterns.pattern], minlength=len(raters)
    )  # those of items that nobody else rated included
    reasons = [_reason(len(raters), int(items)) for items in n]
    sizes = {"rater": raters, "n_items": n, "reason": pl.Series(reasons, dtype=pl.String)}
    agreeing = counts[pattern, label] - 1
    share, low, high = _agreement(n, summed, agreeing, others, confidence)
    agreement = {**sizes, "n_ratings": ratings_of, "agreement": share, "low": low, "high": high}
    frames = []
    for code, name in enumerate(labels):
        has_label = (label == code).astype(float)
        theirs = (counts[pattern, code] - has_label) / others
        figures = _bias(n, summed, has_label, theirs, confidence)
        frames.append(pl.DataFrame({**sizes, "label": [name] * len(raters), **figures}))
    bias = (
        pl.concat(frames).select(BIAS_SCHEMA.names()).cast(BIAS_SCHEMA) if frames else pl.DataFrame(schema=BIAS_SCHEMA)
    )
    whole = pl.DataFrame(agreement).select(AGREEMENT_SCHEMA.names()).cast(AGREEMENT_SCHEMA)
    return AgainstOthers(_undefined(whole), _undefined(bias.sort("rater", maintain_order=True)))


def _undefined(frame: pl.DataFrame) -> pl.DataFrame:
    """Set the figures to null where there is a reason."""
    return frame.with_columns(pl.when(pl.col("reason").is_null()).then(pl.col(pl.Float64).fill_nan(None)))


def _reason(n_raters: int, n_items: int) -> str | None:
    if n_raters < 2:
        return "too_few_raters"
    return None if n_items >= LEAST_ITEMS else "too_few_items"


def _agreement(
    n: FloatArray,
    summed: Callable[[FloatArray], FloatArray],
    agreeing: FloatArray,
    others: FloatArray,
    confidence: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (r,) shares of agreeing pairs, with intervals."""
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = summed(others)
        share = summed(agreeing) / pairs
        squares = summed(agreeing**2) - 2 * share * summed(agreeing * others) + share**2 * summed(others**2)
        variance = np.maximum(squares, 0) / pairs**2 * n / (n - 1)
        varies = variance > 1e-12 / n
        size = np.where(varies, np.minimum(share * (1 - share) / np.where(varies, variance, 1), pairs), n)
        return share, *share_interval(share, size, confidence)


def _bias(
    n: FloatArray,
    summed: Callable[[FloatArray], FloatArray],
    own: FloatArray,
    others: FloatArray,
    confidence: float,
) -> dict[str, FloatArray]:
    with np.errstate(divide="ignore", invalid="ignore"):
        mine, theirs = summed(own) / n, summed(others) / n
        bias = mine - theirs
        variance = np.maximum(summed((own - others) ** 2) - n * bias**2, 0) / (n - 1)
        varies = variance > 1e-12
        low, high = t_interval(bias, np.sqrt(np.where(varies, variance, 0) / n), n - 1, confidence=confidence)
        least = share_interval(np.zeros_like(n), n, confidence)[1]
        low, high = np.where(varies, low, bias - least), np.where(varies, high, bias + least)
    ends = {"low": np.maximum(low, -1), "high": np.minimum(high, 1)}
    return {"own_share": mine, "others_share": theirs, "bias": bias, **ends}
