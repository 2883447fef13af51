"""Gold audit: a few items with the right answer correct the model's estimate (prediction-powered inference).

Source: A. N. Angelopoulos, J. C. Duchi & T. Zrnic (2023), PPI++: Efficient Prediction-Powered Inference,
arXiv:2311.01453, with the model's score of an item = probability that the system's own answer is right.
Approximately unbiased whatever assumption of the model is violated, provided the gold items are a random
sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.special import stdtrit

from stats.accuracy.estimator import Fit, FloatArray, IntArray, Patterns
from stats.accuracy.items import codes, count_items
from stats.accuracy.notes import FEW_GOLD
from stats.errors import StatsError

_TEXT = pl.col("item", "label").cast(pl.String)
RANDOM_SAMPLE = (
    "The audited estimate assumes that the gold items are a random sample of the items the system answered. If they"
    " were picked (the difficult ones, the disputed ones), it is off in the direction of the picking."
)


@dataclass(frozen=True)
class Gold:
    """The gold items that one system answered, a row each: human counts, the system's code, the right code."""

    C: IntArray
    system: IntArray
    truth: IntArray
    n_elsewhere: int  # gold items the system did not answer

    @property
    def correct(self) -> FloatArray:
        return np.asarray(self.system == self.truth, dtype=np.float64)


@dataclass(frozen=True)
class Audit:
    """Audited accuracy with standard error and t interval; the last three None with a single gold item."""

    accuracy: float
    se: float | None
    low: float | None
    high: float | None
    warnings: tuple[str, ...]


def gold_items(
    ratings: pl.DataFrame, gold: pl.DataFrame, *, system: str, systems: Sequence[str], labels: Sequence[str]
) -> Gold:
    """The gold items among the system's items, with what the human raters said of them."""
    ratings, gold = ratings.with_columns(_TEXT), gold.with_columns(_TEXT)
    answers = ratings.filter(pl.col("rater") == system).select("item", answer="label")
    known = gold.select("item", truth="label").join(answers, on="item", how="inner").sort("item")
    humans = ratings.filter(~pl.col("rater").is_in(list(systems))).join(known, on="item", how="semi")
    items = count_items(humans, labels=labels)
    C = np.zeros((known.height, len(labels)), np.int64)
    C[codes(items.names, known["item"])] = items.C
    names = pl.Series(list(labels), dtype=pl.String)
    return Gold(C, codes(known["answer"], names), codes(known["truth"], names), gold.height - known.height)


def audit(patterns: Patterns, fitted: Fit, gold: Gold, *, confidence: float) -> Audit:
    """Gold mean + lambda (model mean over all answered items - model mean over the gold ones).

    lambda = clip(cov / var, 0, 1) n / (n + n_gold), covariance and variance of the score over the gold items;
    0 where the score does not vary or the model has no estimate (then gold alone counts). The variance treats
    the gold items as a random subset of the n items: var(Y)/n_gold + (1/n_gold - 1/n)(lambda^2 var(f) - 2
    lambda cov(Y, f)), with var(Y) = p(1-p) after adding two right and two wrong answers (Agresti & Coull
    1998), so that 20 right answers of 20 do not make an interval of width zero. The interval is Student's t
    with n_gold - 1 degrees, cut at 0 and 1.
    """
    Y, m, n = gold.correct, len(gold.correct), patterns.count(patterns.answered)
    f, f_mean = _scores(patterns, fitted, gold)
    cov, var = float(np.mean((Y - Y.mean()) * (f - f.mean()))), float(f.var())
    slope = float(np.clip(cov / var, 0, 1)) * n / (n + m) if var > 0 else 0.0
    accuracy = float(np.clip(Y.mean() + slope * (f_mean - f.mean()), 0, 1))
    warnings = _warnings(fitted, gold)
    if m < 2:
        # One item says next to nothing of a share: it must not outweigh a model that has seen them all.
        return Audit(accuracy if fitted.accuracy is None else fitted.accuracy, None, None, None, warnings)
    p = (Y.sum() + 2) / (m + 4)
    variance = p * (1 - p) / m + (1 / m - 1 / n) * (slope**2 * var - 2 * slope * cov)
    se = float(np.sqrt(max(variance, 0.0)))
    half = float(stdtrit(m - 1, (1 + confidence) / 2)) * se
    return Audit(accuracy, se, max(0.0, accuracy - half), min(1.0, accuracy + half), warnings)


def _scores(patterns: Patterns, fitted: Fit, gold: Gold) -> tuple[FloatArray, float]:
    """Model scores of the gold items, and their mean over all items the system answered."""
    if fitted.score is None:
        return np.zeros(len(gold.system)), 0.0
    asked = patterns.answered
    everywhere = fitted.score(patterns.C[asked], patterns.system[asked])
    mean = float(np.average(everywhere, weights=patterns.n_items[asked]))
    return fitted.score(gold.C, gold.system), mean


def _warnings(fitted: Fit, gold: Gold) -> tuple[str, ...]:
    m = len(gold.system)
    notes = [RANDOM_SAMPLE]
    if fitted.accuracy is None:
        notes.append(f"The model has no estimate here, so the {m} gold items alone count. {fitted.detail}")
    else:
        notes.append(f"Without the gold items the estimate is {fitted.accuracy:.3f}.")
    if m < FEW_GOLD:
        notes.append(
            "One gold item is too few to correct the model by: its estimate stands, without an interval."
            if m == 1
            else f"Only {m} gold items (fewer than {FEW_GOLD}): the estimate is little better than the model's."
        )
    if gold.n_elsewhere:
        notes.append(f"{gold.n_elsewhere} gold items are not among the items the system answered; they are not used.")
    return tuple(notes)


def check_gold(gold: pl.DataFrame, *, labels: Sequence[str]) -> None:
    """Raises StatsError unless `gold` has one declared label per item."""
    missing = {"item", "label"} - set(gold.columns)
    if missing:
        raise StatsError(
            f"Gold needs the columns item and label, but {sorted(missing)} are missing. Rename its columns."
        )
    if gold.select(pl.col("item", "label").null_count()).sum_horizontal().item():
        raise StatsError("Gold holds an empty item or label. Drop those rows.")
    unknown = sorted(set(gold["label"].cast(pl.String).unique()) - set(labels))
    if unknown:
        raise StatsError(f"Gold holds the undeclared label {unknown[0]!r}. Add it to labels, or correct it.")
    twice = gold.filter(pl.col("item").is_duplicated())["item"].sort()
    if len(twice):
        raise StatsError(f"Gold holds item {twice[0]!r} more than once. Keep one right label per item.")
