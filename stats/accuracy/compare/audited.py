"""Gold audit of the difference between two systems: prediction-powered, as `stats.accuracy.gold` is for one system."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from stats.accuracy.compare.paired import Difference
from stats.accuracy.estimator import Estimator, FloatArray, Patterns
from stats.accuracy.gold import Gold, by_name, in_order
from stats.accuracy.notes import FEW_GOLD

RANDOM_SAMPLE = (
    "The audited difference assumes that the gold items are a random sample of the items that both systems answered. If"
    " they were picked (the difficult ones, the disputed ones), it is off in the direction of the picking."
)
Pair = tuple[Gold, Gold]


def gold_pair(
    ratings: pl.DataFrame, gold: pl.DataFrame, *, a: str, b: str, systems: Sequence[str], labels: Sequence[str]
) -> Pair:
    """The gold items that both systems answered, in the same order, which the names of items do not change."""
    text = pl.col("item").cast(pl.String)
    for system in (a, b):
        answered = ratings.filter(pl.col("rater") == system).select(text)
        gold = gold.with_columns(text).join(answered, on="item", how="semi")
    first, second = (by_name(ratings, gold, system=each, systems=systems, labels=labels) for each in (a, b))
    rows = in_order(first.C, first.system, second.system, first.truth)
    return first.take(rows), second.take(rows)


def audited_difference(estimator: Estimator, sides: tuple[Patterns, Patterns], gold: Pair) -> Difference:
    """Mean difference on gold + lambda (the model's over all common items - the model's on gold).

    lambda and variance as in `stats.accuracy.prediction_powered`, with one item more on which A alone is right, and one
    on which B is, in the variance. Unbiased whatever the model gets wrong, so it is not weighted with the model's
    figure, as that of a single system is.
    """
    Y, n = gold[0].correct - gold[1].correct, sides[0].count(sides[0].answered)
    m = len(Y)
    scores = [_scores(estimator, side, one) for side, one in zip(sides, gold, strict=True)]
    f, f_mean = scores[0][0] - scores[1][0], scores[0][1] - scores[1][1]
    cov, var = float(np.mean((Y - Y.mean()) * (f - f.mean()))), float(f.var())
    slope = float(np.clip(cov / var, 0, 1)) * n / (n + m) if var > 0 else 0.0
    value = float(np.clip(Y.mean() + slope * (f_mean - f.mean()), -1, 1))
    spread = (float((Y**2).sum()) + 2) / (m + 2) - float(Y.mean()) ** 2
    variance = spread / m + (1 / m - 1 / n) * (slope**2 * var - 2 * slope * cov)
    few = (f"Only {m} gold items (fewer than {FEW_GOLD}): the difference is little better than the model's.",)
    warnings = (RANDOM_SAMPLE, *(few if m < FEW_GOLD else ()))
    return Difference(value, float(np.sqrt(max(variance, 0.0))) if m > 1 else None, float(m - 1), warnings)


def _scores(estimator: Estimator, patterns: Patterns, gold: Gold) -> tuple[FloatArray, float]:
    """Probability that the own answer is right on the gold items, and its mean over all answered items."""
    score = estimator.fit(patterns).score
    if score is None:
        return np.zeros(len(gold.system)), 0.0
    asked = patterns.answered
    everywhere = score(patterns.C[asked], patterns.system[asked])
    return score(gold.C, gold.system), float(np.average(everywhere, weights=patterns.n_items[asked]))
