"""Gold audit of the difference between two systems.

It is prediction-powered, as `stats.accuracy.gold.audit` is for one system.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from stats.accuracy.comparison.paired import Difference
from stats.accuracy.fitting.estimator import Estimator, SystemPatterns
from stats.accuracy.gold.audit import GoldItems, audit, by_name, in_order, scores
from stats.accuracy.gold.gold_weights import covariance, effective_share, scaled
from stats.accuracy.warnings_in_words import FEW_GOLD

Pair = tuple[GoldItems, GoldItems]


def gold_pair(
    ratings: pl.DataFrame, gold: pl.DataFrame, *, a: str, b: str, systems: Sequence[str], labels: Sequence[str]
) -> Pair:
    """Return the gold items that both systems answered, in the same order for both.

    Item names do not affect the order.
    """
    text = pl.col("item").cast(pl.String)
    for system in (a, b):
        answered = ratings.filter(pl.col("rater") == system).select(text)
        gold = gold.with_columns(text).join(answered, on="item", how="semi")
    first, second = (by_name(ratings, gold, system=each, systems=systems, labels=labels) for each in (a, b))
    weight = [] if first.weight is None else [first.weight]
    rows = in_order(first.C, first.system, second.system, first.truth, *weight)
    return first.take(rows), second.take(rows)


def audited_difference(
    estimator: Estimator, sides: tuple[SystemPatterns, SystemPatterns], gold: Pair, confidence: float
) -> Difference:
    """Return the audited accuracy of A minus that of B on the common items, each as in `stats.accuracy.gold.audit`.

    The interval is for the difference that is unbiased whatever the model's errors: mean difference on gold + lambda
    (the model's over all common items - the model's on gold). Lambda and variance are as in
    `stats.accuracy.gold.prediction_powered`. The variance includes one more item on which only A is right, and one on
    which only B is. The interval is widened where it would not hold the difference, or would be surer than those of the
    two accuracies.
    """
    fits = [estimator.fit(side) for side in sides]
    audits = [audit(side, fitted, gold_items.in_order(), confidence=confidence)
              for side, fitted, gold_items in zip(sides, fits, gold, strict=True)]  # fmt: skip
    figures = audits[0].accuracy, audits[1].accuracy
    ends = [(each.low, each.high) for each in audits if each.low is not None and each.high is not None]
    intervals = (ends[0], ends[1]) if len(ends) == len(sides) else None
    Y, n = gold[0].correct - gold[1].correct, sides[0].count(sides[0].answered)
    m = len(Y)
    of_a, of_b = (scores(side, fitted, gold_items) for side, fitted, gold_items in zip(sides, fits, gold, strict=True))
    f, f_mean = of_a[0] - of_b[0], of_a[1] - of_b[1]
    w = scaled(gold[0].weight, m)
    cov, var = covariance(w, Y, f), covariance(w, f, f)
    slope = float(np.clip(cov / var, 0, 1)) * n / (n + m) if var > 0 else 0.0
    centre = float(np.clip((w * Y).mean() + slope * (f_mean - (w * f).mean()), -1, 1))
    effective = effective_share(w)
    size = m * effective
    spread = (float((w * Y**2).mean()) * size + 2) / (size + 2) - (float((w * Y).mean()) * size / (size + 2)) ** 2
    of_items = slope**2 * covariance(w, f, f, power=1) - 2 * slope * covariance(w, Y, f, power=1)
    spread = max(spread / effective, covariance(w, Y, Y))
    variance = (spread + slope**2 * var - 2 * slope * cov) / m - of_items / n
    warning = (f"Only {m} gold items (fewer than {FEW_GOLD}): the difference is little better than the model's.",)
    warnings = (gold[0].sample_note, *(warning if m < FEW_GOLD else ()))
    se = float(np.sqrt(max(variance, 0.0)))
    degrees = max(size - 1, 1.0)
    return Difference(figures[0] - figures[1], se, degrees, warnings, figures, centre, intervals=intervals)
