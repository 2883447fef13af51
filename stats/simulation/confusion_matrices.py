"""Make the confusion matrices of simulated raters and systems, as in the source paper.

Source: Lehner (2015), doi:10.22237/jmasm/1430453520, "Performance and robustness" and its Tables 5 and 6. Its
parameters: individual probability correct (IPC, here `accuracy`), probability difference by difficulty (PDA,
`difficulty`), asymmetry of distance (AD, `asymmetry`), range of the error probabilities (PER, `error_range`).
The rows of a matrix are the right labels, its columns the labels that a rater gives. Rows sum to 1.
"""

import numpy as np

from stats.arrays import FloatArray
from stats.errors import StatsError

LEVELS = (-1.0, 0.0, 1.0)  # factors of `difficulty`: added for easy items, subtracted for difficult ones


def confusion_matrix(
    n_labels: int,
    accuracy: float,
    asymmetry: float = 1.0,
    error_range: float = 0.0,
    *,
    difficulty: float = 0.0,
    base_rates: FloatArray | None = None,
    rng: np.random.Generator | None = None,
) -> FloatArray:
    """Return the (N, N) probabilities of giving each label, by right label.

    The diagonal is accuracy + difficulty, cut at 0 and 1. Errors fall with the distance of the labels as
    asymmetry^-(distance - 1). With an error_range, `rng` draws each error e from U[(1 - error_range) e,
    (1 + error_range) e]. Rows are then scaled to sum 1, and diagonals so that the accuracy over `base_rates` (uniform
    by default) stays the same.

    Raises StatsError for fewer than two labels, accuracy or error_range outside [0, 1], asymmetry not above
    0, and error_range without rng.

    >>> confusion_matrix(5, 0.4, 2.0).round(3)[0].tolist()
    [0.4, 0.32, 0.16, 0.08, 0.04]
    """
    check_shape(n_labels, accuracy, asymmetry, error_range)
    if error_range > 0 and rng is None:
        raise StatsError("An error_range above 0 draws random errors. Pass rng=numpy.random.default_rng(seed).")
    rates = np.full(n_labels, 1 / n_labels) if base_rates is None else base_rates
    target = np.clip(np.array(accuracy + difficulty), 0, 1)
    return confusion_matrices(target, rates, asymmetry, error_range, rng or np.random.default_rng(0))


def confusion_matrices(
    target: FloatArray, base_rates: FloatArray, asymmetry: float, error_range: float, rng: np.random.Generator
) -> FloatArray:
    """Return (..., N, N) matrices whose accuracy over `base_rates` (..., N) is `target` (...,); see
    `confusion_matrix`."""
    N = base_rates.shape[-1]
    errors = (1 - target)[..., None, None] * error_profile(N, asymmetry)
    if error_range > 0:
        errors = errors * rng.uniform(1 - error_range, 1 + error_range, errors.shape)
    total = errors.sum(axis=-1)
    diagonal = _scaled(target[..., None] / (target[..., None] + total), base_rates, target)
    matrices = errors * ((1 - diagonal) / np.where(total > 0, total, 1))[..., None]
    label = np.arange(N)
    matrices[..., label, label] = diagonal
    return matrices


def error_profile(N: int, asymmetry: float) -> FloatArray:
    """Return the (N, N) shares of the wrong labels among errors, by right label. Rows sum to 1, the diagonal is 0."""
    distance = np.abs(np.subtract.outer(np.arange(N), np.arange(N)))
    weight = np.where(distance > 0, asymmetry ** (1.0 - distance), 0.0)
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def expected_accuracy(matrices: FloatArray, base_rates: FloatArray) -> FloatArray:
    """Return the (...,) probability of the right label, from matrices (..., N, N) and base rates (..., N)."""
    return np.asarray((np.diagonal(matrices, axis1=-2, axis2=-1) * base_rates).sum(axis=-1))


def check_shape(n_labels: int, accuracy: float, asymmetry: float, error_range: float) -> None:
    """Raise StatsError for parameters that make no confusion matrix."""
    if n_labels < 2:
        raise StatsError(f"A confusion matrix has two labels or more, found {n_labels}. Pass n_labels >= 2.")
    if not 0 <= accuracy <= 1:
        raise StatsError(f"Accuracy lies between 0 and 1, found {accuracy}. Pass .6 for 60 %.")
    if not asymmetry > 0:
        raise StatsError(f"Asymmetry is above 0, found {asymmetry}. Pass 1 for errors spread evenly.")
    if not 0 <= error_range <= 1:
        raise StatsError(f"The error range lies between 0 and 1, found {error_range}. Pass 0 for equal errors.")


def _scaled(diagonal: FloatArray, base_rates: FloatArray, target: FloatArray) -> FloatArray:
    """Multiply each diagonal by a factor, cut at 1, so that the accuracy over the base rates is the target.

    Each round makes up for what the cut removed in the round before. It converges, because a diagonal of ones reaches
    any target.
    """
    for _ in range(500):
        reached = (base_rates * diagonal).sum(axis=-1)
        factor = np.divide(target, reached, out=np.ones_like(reached), where=reached > 0)
        diagonal = np.minimum(1.0, diagonal * factor[..., None])
        if np.abs((base_rates * diagonal).sum(axis=-1) - target).max() < 1e-12:
            break
    return diagonal
