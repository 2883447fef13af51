"""Draw simulated studies: the items, the labels that raters and systems of known accuracy give, and their patterns.

R studies of one setting are drawn at once, with n items each and k labels.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray
from stats.distinct_keys import distinct_keys
from stats.patterns import patterns_of
from stats.simulation.confusion_matrices import LEVELS, confusion_matrices, expected_accuracy


@dataclass(frozen=True)
class ErrorProfile:
    """The arguments of `stats.simulation.confusion_matrices.confusion_matrix` that shape the errors."""

    asymmetry: float
    error_range: float
    difficulty: float


@dataclass(frozen=True)
class SimulatedItems:
    """The items of R studies: base rates (R, k), right labels (R, n) and levels of difficulty (R, n)."""

    base_rates: FloatArray
    truth: IntArray
    level: IntArray


def draw_items(n_items: int, base_rates: FloatArray, rng: np.random.Generator) -> SimulatedItems:
    """Draw the right labels of the items by base rates (R, k), and for each item one of the equally likely LEVELS."""
    shape = (len(base_rates), n_items)
    return SimulatedItems(base_rates, _draw(base_rates[:, None, :], shape, rng), rng.integers(0, len(LEVELS), shape))


def draw_answers(
    items: SimulatedItems, accuracy: float, errors: ErrorProfile, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Draw the labels (R, n) that a rater or system of this accuracy gives. Return also its expected accuracy (R,)."""
    # without difficulty there is one level, hence one draw of the errors, for all items
    levels = np.array(LEVELS) if errors.difficulty else np.zeros(1)
    target = np.clip(accuracy + errors.difficulty * levels, 0, 1) * np.ones((len(items.truth), 1))
    rates = items.base_rates[:, None, :]
    matrices = confusion_matrices(target, rates, errors.asymmetry, errors.error_range, rng)
    run = np.arange(len(items.truth))[:, None]
    labels = _draw(matrices[run, items.level % len(levels), items.truth], items.truth.shape, rng)
    return labels, expected_accuracy(matrices, rates).mean(axis=1)


def distinct_rows(labels: IntArray, k: int) -> tuple[IntArray, IntArray]:
    """Return the number (m,) of each row of labels (m, r) among the distinct rows, and the distinct rows (rows, r).

    Columns are joined one by one, so that the key stays small for any number of raters and labels.
    """
    key = np.zeros(len(labels), np.int64)
    for column in labels.T:
        key = distinct_keys(key * k + column).place
    first = np.empty(int(key.max()) + 1, np.int64)
    first[key] = np.arange(len(key))
    return key, labels[first]


def patterns_with_system(
    row: IntArray, labels: IntArray, answer: IntArray, k: int, *, ordered: bool, by_rater: bool
) -> tuple[SystemPatterns, FloatArray]:
    """Return the distinct patterns of all studies, and how often each of the R studies shows each pattern (R, p).

    row (R n,): the number of each item's row among the distinct rows of raters' labels (rows, r). answer (R, n): the
    system's labels.
    """
    R = len(answer)
    seen, _, column = distinct_keys((row.reshape(R, -1) * k + answer).ravel())
    cell = (column.reshape(R, -1) + len(seen) * np.arange(R)[:, None]).ravel()
    W = np.bincount(cell, minlength=R * len(seen)).reshape(R, -1)
    raters_labels = labels[seen // k]
    C, n_items = (raters_labels[:, :, None] == np.arange(k)).sum(axis=1), W.sum(axis=0)
    raters = patterns_of(raters_labels, n_items, k) if by_rater else None
    return SystemPatterns(C, seen % k, n_items, ordered, raters), W.astype(np.float64)


def split_studies(patterns: SystemPatterns, W: FloatArray) -> Iterator[SystemPatterns]:
    """Yield the patterns of each study, from the patterns of all and W (R, p), how often each study has them."""
    for w in W:
        kept = w > 0
        n_items, ratings = w[kept].astype(np.int64), patterns.raters
        if ratings is not None:
            entry, place = kept[ratings.pattern], np.cumsum(kept) - 1
            ratings = replace(
                ratings,
                n_items=n_items,
                pattern=place[ratings.pattern[entry]],
                rater=ratings.rater[entry],
                label=ratings.label[entry],
            )
        yield SystemPatterns(patterns.C[kept], patterns.system[kept], n_items, patterns.ordered, ratings)


def _draw(probabilities: FloatArray, shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """Draw one code per cell of `shape` from probabilities (..., N) that broadcast to it."""
    bounds = probabilities.cumsum(axis=-1)[..., :-1]
    return np.asarray((rng.random(shape)[..., None] > bounds).sum(axis=-1), dtype=np.int64)
