"""Check the scale of the labels and compute agreement weights: 1 for equal labels, 0 for the two farthest apart.

A weight function takes scores (..., k) and returns weights (..., k, k) in 0..1. Source: K. L. Gwet (2014), Handbook of
Inter-Rater Reliability, 4th ed., ch. 3, and R irrCAC. Weights for sets of labels are in `stats.agreement.label_sets`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stats.agreement.label_sets import jaccard, masi
from stats.arrays import FloatArray
from stats.defaults import SCALES
from stats.errors import StatsError
from stats.ratings import check_list

NUMERIC = SCALES[2:]  # the labels are numbers

Weights = str | npt.ArrayLike | None


@dataclass(frozen=True)
class LabelSetting:
    """What a coefficient must know of the labels besides their counts.

    scale: one of SCALES. scores (k,): the ranks 1..k of the declared labels, on interval and ratio scales the labels
    as numbers. w (k, k): the chosen weights, None without. weights: their name, `custom` for a matrix, None without.
    """

    scale: str
    scores: FloatArray
    w: FloatArray | None
    weights: str | None

    @property
    def kappa_w(self) -> FloatArray:
        """Return the (k, k) weights of every coefficient but alpha: the chosen weights, else identity."""
        return np.eye(len(self.scores)) if self.w is None else self.w


def label_setting(labels: Sequence[str], scale: str, weights: Weights) -> LabelSetting:
    """Check scale and weights against the labels.

    Raises StatsError for an unknown name, for labels that are not numbers on an interval or ratio scale, and for a
    matrix that is not k x k with numbers in 0..1 and 1 on the diagonal.
    """
    if scale not in SCALES:
        raise StatsError(f"The scale must be one of {', '.join(SCALES)}, found {scale!r}. Choose one of them.")
    check_list("labels", labels)
    scores = np.arange(1.0, len(labels) + 1) if scale in ("nominal", "ordinal") else _numbers(labels, scale)
    if weights is None:
        return LabelSetting(scale, scores, None, None)
    if isinstance(weights, str):
        if weights not in WEIGHTS:
            raise StatsError(
                f"The weights must be one of {', '.join(WEIGHTS)} or a matrix, found {weights!r}. Choose one of them."
            )
        w = SET_WEIGHTS[weights](labels) if weights in SET_WEIGHTS else SCORE_WEIGHTS[weights](scores)
        return LabelSetting(scale, scores, w, weights)
    return LabelSetting(scale, scores, _custom(weights, len(labels)), "custom")


def scale_weights(n_j: FloatArray, setting: LabelSetting) -> FloatArray:
    """Return (B or 1, k, k): the chosen weights, or 1 - metric of the scale / its maximum.

    n_j (B, k): how many ratings have each label. Only the ordinal metric depends on them.
    """
    if setting.w is not None:
        return setting.w[None]
    if setting.scale == "nominal":
        return identity(setting.scores)[None]
    if setting.scale == "ordinal":
        # the ordinal metric is the squared difference of the labels' mean ranks among the ratings
        return quadratic(np.cumsum(n_j, axis=1) - n_j / 2)
    of_scale = quadratic if setting.scale == "interval" else ratio
    return of_scale(setting.scores)[None]


def identity(x: FloatArray) -> FloatArray:
    """Return 1 for equal labels, else 0."""
    return np.broadcast_to(np.eye(x.shape[-1]), (*x.shape, x.shape[-1])).copy()


def linear(x: FloatArray) -> FloatArray:
    """Return 1 - |difference of scores| / its maximum.

    >>> linear(np.array([1.0, 2.0, 3.0])).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    return _agreement(np.abs(_difference(x)))


def quadratic(x: FloatArray) -> FloatArray:
    """Return 1 - squared difference of scores / its maximum."""
    return _agreement(_difference(x) ** 2)


def radical(x: FloatArray) -> FloatArray:
    """Return 1 - square root of |difference of scores| / its maximum."""
    return _agreement(np.sqrt(np.abs(_difference(x))))


def ordinal(x: FloatArray) -> FloatArray:
    """Return 1 - d / its maximum, d = s (s + 1) / 2 for labels s ranks apart. Only the order of the labels counts."""
    ranks_apart = np.abs(_difference(np.arange(1.0, x.shape[-1] + 1)))
    return _agreement(ranks_apart * (ranks_apart + 1) / 2)


def ratio(x: FloatArray) -> FloatArray:
    """Return 1 - squared (difference / sum of scores) / its maximum. Raises StatsError for a score below 0."""
    if (x < 0).any():
        raise StatsError(f"Ratio weights need labels of 0 or more, found {x.min():g}. Use interval or quadratic.")
    total = x[..., :, None] + x[..., None, :]
    return _agreement((_difference(x) / np.where(total > 0, total, 1)) ** 2)


def circular(x: FloatArray) -> FloatArray:
    """Return 1 - d / its maximum, d = sin^2(pi difference / (range + 1)): the last score is next to the first."""
    return _agreement(np.sin(np.pi * _difference(x) / (np.ptp(x) + 1)) ** 2)


def bipolar(x: FloatArray) -> FloatArray:
    """Weigh like quadratic, but a difference near an end of the scale weighs more than one in its middle."""
    total = x[..., :, None] + x[..., None, :]
    room = (total - 2 * x.min()) * (2 * x.max() - total)
    return _agreement(_difference(x) ** 2 / np.where(room > 0, room, 1))


SCORE_WEIGHTS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "identity": identity,
    "linear": linear,
    "quadratic": quadratic,
    "ordinal": ordinal,
    "radical": radical,
    "ratio": ratio,
    "circular": circular,
    "bipolar": bipolar,
}
SET_WEIGHTS: dict[str, Callable[[Sequence[str]], FloatArray]] = {"jaccard": jaccard, "masi": masi}
WEIGHTS = {**SCORE_WEIGHTS, **SET_WEIGHTS}


def _difference(x: FloatArray) -> FloatArray:
    return x[..., :, None] - x[..., None, :]


def _agreement(distance: FloatArray) -> FloatArray:
    """1 - distance / its maximum in each (k, k) matrix; 1 throughout where every distance is 0."""
    largest = distance.max(axis=(-2, -1), keepdims=True)
    return 1 - distance / np.where(largest > 0, largest, 1)


def _numbers(labels: Sequence[str], scale: str) -> FloatArray:
    numbers = []
    for label in labels:
        try:
            number = float(label)
        except (TypeError, ValueError):  # a null among the labels is no number either
            number = np.nan
        if not np.isfinite(number) or (scale == "ratio" and number < 0):
            least = " of 0 or more" if scale == "ratio" else ""
            negative = "Use scale='interval' for negative numbers."
            words = "Use scale='ordinal' for labels that only have an order."
            raise StatsError(
                f"The scale {scale!r} needs numbers{least} as labels, found {label!r}. "
                f"{negative if np.isfinite(number) else words}"
            )
        numbers.append(number)
    return np.array(numbers)


def _custom(weights: npt.ArrayLike, k: int) -> FloatArray:
    try:
        w = np.asarray(weights, dtype=float)
    except (TypeError, ValueError) as error:
        raise StatsError(f"A weight matrix must hold numbers, found {weights!r}. Pass {k} x {k} numbers.") from error
    if w.shape != (k, k):
        raise StatsError(f"A weight matrix must be {k} x {k} for {k} labels, found shape {w.shape}. Give one row each.")
    if not (np.isfinite(w).all() and (w >= 0).all() and (w <= 1).all() and (np.diag(w) == 1).all()):
        raise StatsError(
            f"Weights must lie between 0 and 1 with 1 on the diagonal, found {w.tolist()}. Divide by the largest."
        )
    return w
