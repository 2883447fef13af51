"""The Rogan-Gladen estimate of a label rate: the share that is predicted, corrected for sensitivity and specificity.

Sources: W. J. Rogan & B. Gladen (1978), Am. J. Epidemiol. 107, 71-76, for the estimate; Z. Lang & J. Reiczigel (2014),
Prev. Vet. Med. 113, 13-22, for the interval. They take sensitivity and specificity from other items than the share.
Here the gold items are among the items, so the variance is less by twice the covariance this makes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.gold.gold_weights import ALIKE, covariance, effective_share
from stats.accuracy.rates.prediction_powered_mean import PredictedShare
from stats.arrays import FloatArray
from stats.special_functions import ndtri

NO_GOLD_WITH = "No gold item has this label, so it is not known how often the system finds it."
NO_GOLD_WITHOUT = "All gold items have this label, so it is not known how often the system gives it wrongly."
NO_BETTER = "On the gold items the system gives this label no more often where it is right than where it is wrong."


@dataclass(frozen=True)
class RoganGladen:
    """The estimate with its interval, or the reason why it is undefined: a code and a sentence."""

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    why: tuple[str, str] | None = None


def rogan_gladen(share: PredictedShare, confidence: float) -> RoganGladen:
    """Return (predicted share + specificity - 1) / (sensitivity + specificity - 1), cut at 0 and 1.

    The predicted share is that of all items. Sensitivity and specificity are those on the gold items.

    >>> Y, F = np.repeat([1.0, 0.0], 10), np.array([1.0] * 8 + [0.0] * 2 + [1.0] + [0.0] * 9)
    >>> round(rogan_gladen(PredictedShare(Y, F, np.ones(20), 180, 81), 0.95).estimate, 4)  # (.45 - .1) / .7
    0.5
    """
    rates = on_gold(share)
    if rates.why is not None:
        return RoganGladen(why=rates.why)
    estimate, low, high = corrected(rates, np.array(share.of_all), np.array(float(share.n)), confidence, among=True)
    return RoganGladen(float(estimate), float(low), float(high))


@dataclass(frozen=True)
class OnGold:
    """Sensitivity and specificity on the gold items, as they are and with pseudo-items added.

    n_with and n_without are the numbers of gold items with and without the label, pseudo-items included. `why` is the
    reason, as code and sentence, where they cannot be computed.
    """

    sensitivity: float = 0.0
    specificity: float = 0.0
    smooth_sensitivity: float = 0.0
    n_with: float = 0.0
    smooth_specificity: float = 0.0
    n_without: float = 0.0
    why: tuple[str, str] | None = None


def on_gold(share: PredictedShare) -> OnGold:
    """Return how often the gold items show the label to be given where it is right, and not given where it is not."""
    w, has, says = share.weight, share.Y == 1, share.F == 1
    with_label, without = float(w[has].sum()), float(w[~has].sum())
    if not with_label or not without:
        return OnGold(why=("too_few_gold", NO_GOLD_WITHOUT if with_label else NO_GOLD_WITH))
    sensitivity, specificity = float(w[has & says].sum()) / with_label, float(w[~has & ~says].sum()) / without
    if sensitivity + specificity - 1 <= 1e-9:
        return OnGold(why=("not_identified", NO_BETTER))
    return OnGold(sensitivity, specificity, *_smoothed(w[has], says[has]), *_smoothed(w[~has], ~says[~has]))


def corrected(
    gold: OnGold, predicted: FloatArray, n: FloatArray, confidence: float, *, among: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return estimate, low and high for shares that are predicted of n items.

    `among`: the gold items are among these items. The variance is then less by twice the covariance. Without it the
    gold items are from elsewhere, as in the source.
    """
    estimate = np.clip((predicted + gold.specificity - 1) / (gold.sensitivity + gold.specificity - 1), 0, 1)
    low, high = _lang_reiczigel(gold, predicted, n, float(ndtri((1 + confidence) / 2)), among)
    return estimate, np.minimum(low, estimate), np.maximum(high, estimate)


def _smoothed(w: FloatArray, right: NDArray[np.bool_]) -> tuple[float, float]:
    """Return a weighted share with a right and a wrong item added, and the number of items that it is worth.

    The number is the effective one, or less where the weighted values vary more than that says.
    """
    size, scale = len(w) * effective_share(w), w / w.mean()
    p = (float((scale * right).mean()) * size + 1) / (size + 2)
    values = right.astype(np.float64)
    variance = covariance(scale, values, values) / len(w)
    return p, min(size + 2, p * (1 - p) / variance) if np.ptp(w) > ALIKE and variance > 0 else size + 2


def _lang_reiczigel(
    gold: OnGold, predicted: FloatArray, n: FloatArray, z: float, among: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the interval from the share, sensitivity and specificity after adding pseudo-items, and their numbers."""
    sensitivity, specificity = gold.smooth_sensitivity, gold.smooth_specificity
    p, gain = (n * predicted + z**2 / 2) / (n + z**2), sensitivity + specificity - 1
    if gain <= 1e-9:
        return np.zeros_like(p), np.ones_like(p)
    centre = (p + specificity - 1) / gain
    missed, wrong = sensitivity * (1 - sensitivity), specificity * (1 - specificity)
    shift = 2 * z**2 * (centre * missed / gold.n_with - (1 - centre) * wrong / gold.n_without)
    apart = p * (1 - p) / (n + z**2) + centre**2 * missed / gold.n_with + (1 - centre) ** 2 * wrong / gold.n_without
    shared = 2 * ((1 - centre) * wrong + centre * missed) / n if among else 0.0
    half = z * np.sqrt(np.maximum(apart - shared, 1e-12)) / gain
    return np.clip(centre + shift - half, 0, 1), np.clip(centre + shift + half, 0, 1)
