"""Draw streams of ratings day by day: healthy ones, and ones in which agreement, a rater or a system gets worse.

A rater knows the right label of an item with probability sqrt(kappa), and otherwise guesses by the labels' shares. So
Fleiss' kappa of very many items is kappa. Days differ: the kappa of a day is drawn from a beta distribution such that
the scores of a day's items have the wished correlation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.arrays import FloatArray
from stats.monitoring import agreement_variance

LABEL_SHARES = {
    ("even", 2): (0.5, 0.5),
    ("even", 5): (0.2, 0.2, 0.2, 0.2, 0.2),
    ("uneven", 2): (0.7, 0.3),
    ("uneven", 5): (0.4, 0.25, 0.15, 0.12, 0.08),
}
CodeArray = NDArray[np.int8]


@dataclass(frozen=True)
class StreamWorld:
    """What a healthy stream is like.

    - raters, labels: their numbers; all raters rate all items. kappa: Fleiss' kappa.
    - correlation: of the agreement scores of a day's items. shares: of the labels, even or uneven (LABEL_SHARES).
    - items_per_look: items of a day.
    """

    raters: int
    labels: int
    kappa: float
    correlation: float
    shares: str = "even"
    items_per_look: int = 20

    @property
    def label_shares(self) -> tuple[float, ...]:
        """The share of each label among the right labels, and among guesses."""
        return LABEL_SHARES[self.shares, self.labels]


@dataclass(frozen=True)
class RatedStreams:
    """S streams of T looks with n items each: right labels (S, T, n), and labels (S, T, n, r) of the raters."""

    truth: CodeArray
    labels: CodeArray


def draw_streams(
    world: StreamWorld,
    kappas: FloatArray,
    n_streams: int,
    rng: np.random.Generator,
    random_share: FloatArray | None = None,
) -> RatedStreams:
    """Draw streams whose kappa at each look is kappas (T,).

    random_share (T,): the share of items on which the first rater clicks any label, each with the same probability.
    """
    shape = (n_streams, len(kappas), world.items_per_look)
    edges = np.cumsum(world.label_shares, dtype=np.float32)[:-1]

    def codes(*more: int) -> CodeArray:
        return np.searchsorted(edges, rng.random((*shape, *more), np.float32), side="right").astype(np.int8)

    truth, guess = codes(), codes(world.raters)
    knows = np.sqrt(_kappas_of_days(world, kappas, n_streams, rng)).astype(np.float32)[:, :, None, None]
    labels = np.where(rng.random(guess.shape, np.float32) < knows, truth[..., None], guess)
    if random_share is not None:
        clicks = rng.random(shape, np.float32) < random_share.astype(np.float32)[:, None]
        labels[..., 0] = np.where(clicks, rng.integers(0, world.labels, shape, np.int8), labels[..., 0])
    return RatedStreams(truth, labels)


def draw_answers(world: StreamWorld, truth: CodeArray, accuracy: FloatArray, rng: np.random.Generator) -> CodeArray:
    """Draw a system's labels (S, T, n), right with probability accuracy (T,), else any other label alike."""
    right = rng.random(truth.shape, np.float32) < accuracy.astype(np.float32)[:, None]
    other = (truth + rng.integers(1, world.labels, truth.shape, np.int8)) % world.labels
    return np.where(right, truth, other)


def _kappas_of_days(world: StreamWorld, kappas: FloatArray, n_streams: int, rng: np.random.Generator) -> FloatArray:
    """Return (S, T) the kappa of each day, whose mean is kappas (T,)."""
    if not world.correlation:
        return np.broadcast_to(kappas, (n_streams, len(kappas)))
    values, place = np.unique(kappas, return_inverse=True)
    variances = [agreement_variance(world.labels, world.raters, kappa) for kappa in values]
    concentration = (values * (1 - values) / (world.correlation * np.array(variances)) - 1)[place]
    return rng.beta(kappas * concentration, (1 - kappas) * concentration, (n_streams, len(kappas)))
