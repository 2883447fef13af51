"""Draws of simulated studies: right labels, what raters and systems of a known accuracy answer, and their patterns.

R studies of one setting are drawn at once, n items each; k labels.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from stats.accuracy.estimator import FloatArray, IntArray, Patterns
from stats.confusion import LEVELS, confusion_matrices, expected_accuracy
from stats.patterns import patterns_of


@dataclass(frozen=True)
class Errors:
    """How errors fall, as in `stats.confusion.confusion_matrix`."""

    asymmetry: float
    error_range: float
    difficulty: float


@dataclass(frozen=True)
class World:
    """Base rates (R, k), right label (R, n) and level of difficulty (R, n) of the items of R studies."""

    base_rates: FloatArray
    truth: IntArray
    level: IntArray


def draw_world(n_items: int, base_rates: FloatArray, rng: np.random.Generator) -> World:
    """Items by their base rates (R, k), each with one of the levels of difficulty, which are equally likely."""
    shape = (len(base_rates), n_items)
    return World(base_rates, _draw(base_rates[:, None, :], shape, rng), rng.integers(0, len(LEVELS), shape))


def answers(world: World, accuracy: float, errors: Errors, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    """Labels (R, n) that a rater or system of this accuracy gives, and its expected accuracy (R,)."""
    # without difficulty there is one level, hence one draw of the errors, for all items
    levels = np.array(LEVELS) if errors.difficulty else np.zeros(1)
    target = np.clip(accuracy + errors.difficulty * levels, 0, 1) * np.ones((len(world.truth), 1))
    rates = world.base_rates[:, None, :]
    matrices = confusion_matrices(target, rates, errors.asymmetry, errors.error_range, rng)
    run = np.arange(len(world.truth))[:, None]
    labels = _draw(matrices[run, world.level % len(levels), world.truth], world.truth.shape, rng)
    return labels, expected_accuracy(matrices, rates).mean(axis=1)


def distinct_rows(labels: IntArray, k: int) -> tuple[IntArray, IntArray]:
    """Number (m,) of each row of labels (m, r) among the distinct ones, and these (rows, r).

    Columns are joined one after another, so that the key stays small however many raters and labels there
    are.
    """
    key = np.zeros(len(labels), np.int64)
    for column in labels.T:
        key = np.unique(key * k + column, return_inverse=True)[1]
    first = np.empty(int(key.max()) + 1, np.int64)
    first[key] = np.arange(len(key))
    return key, labels[first]


def patterns_with(
    row: IntArray, labels: IntArray, answer: IntArray, k: int, *, ordered: bool, by_rater: bool
) -> tuple[Patterns, FloatArray]:
    """The distinct patterns of all studies, and how often each of the R studies shows each (R, p).

    row (R n,) which of the distinct rows of raters' labels (rows, r) an item has; answer (R, n) the system's
    label.
    """
    R = len(answer)
    seen, column = np.unique(row.reshape(R, -1) * k + answer, return_inverse=True)
    cell = (column.reshape(R, -1) + len(seen) * np.arange(R)[:, None]).ravel()
    W = np.bincount(cell, minlength=R * len(seen)).reshape(R, -1)
    given = labels[seen // k]
    C, n_items = (given[:, :, None] == np.arange(k)).sum(axis=1), W.sum(axis=0)
    raters = patterns_of(given, n_items, k) if by_rater else None
    return Patterns(C, seen % k, n_items, ordered, raters), W.astype(np.float64)


def study_by_study(patterns: Patterns, W: FloatArray) -> Iterator[Patterns]:
    """The patterns of each study alone, from those of all of them and W (R, p)."""
    for w in W:
        kept = w > 0
        n_items, given = w[kept].astype(np.int64), patterns.raters
        if given is not None:
            entry, place = kept[given.pattern], np.cumsum(kept) - 1
            given = replace(
                given,
                n_items=n_items,
                pattern=place[given.pattern[entry]],
                rater=given.rater[entry],
                label=given.label[entry],
            )
        yield Patterns(patterns.C[kept], patterns.system[kept], n_items, patterns.ordered, given)


def _draw(probabilities: FloatArray, shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """One code per cell of `shape`, from probabilities (..., N) that broadcast to it."""
    bounds = probabilities.cumsum(axis=-1)[..., :-1]
    return np.asarray((rng.random(shape)[..., None] > bounds).sum(axis=-1), dtype=np.int64)
