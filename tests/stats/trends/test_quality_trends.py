"""Agreement and accuracy in windows: sums by hand, and intervals that hold the truth of a system that drifts."""

import numpy as np
import pytest

from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns
from stats.trends.anchored_accuracy import Anchor, anchored_accuracies
from stats.trends.fixed_raters import error_shares, fixed_raters, gains
from stats.trends.quality_trends import rater_trends, system_trends
from stats.trends.ratio_shares import RatioSums
from stats.trends.window_sums import WindowUnits, window_units

N, K, WINDOWS = 1600, 3, 4
RIGHT = np.array([0.85, 0.8, 0.75, 0.8])
SYSTEM = np.array([0.95, 0.85, 0.75, 0.65])  # by window


def wrong(rng: np.random.Generator, truth: IntArray) -> IntArray:
    return (truth + rng.integers(1, K, size=len(truth))) % K


def world(rng: np.random.Generator) -> tuple[RatingPatterns, IntArray, WindowUnits]:
    """Four raters who stay as they are, and a system that gets worse: four windows of 400 items, one pattern each."""
    truth = rng.integers(K, size=N)
    each = np.repeat(truth, len(RIGHT))
    right = rng.random(N * len(RIGHT)) < np.tile(RIGHT, N)
    item, rater = np.divmod(np.arange(N * len(RIGHT)), len(RIGHT))
    patterns = RatingPatterns(np.ones(N, np.int64), item, rater, np.where(right, each, wrong(rng, each)), len(RIGHT), K)
    window = np.arange(N) * WINDOWS // N
    answer = np.where(rng.random(N) < SYSTEM[window], truth, wrong(rng, truth))
    members = np.arange(WINDOWS)
    units = window_units(
        (members, members), (window, np.arange(N), np.ones(N, np.int64)), n_windows=WINDOWS, n_patterns=N
    )
    return patterns, answer, units


def test_intervals_hold_the_accuracy_of_a_system_that_drifts_and_of_raters_who_do_not() -> None:
    rng, systems, raters, n = np.random.default_rng(8), 0, 0, 60
    for _ in range(n):
        patterns, answer, units = world(rng)
        model = fixed_raters(patterns, RIGHT)
        anchor = Anchor(np.array([SYSTEM.mean()]), np.array([0.011]))
        of_system = system_trends(patterns, model, {0: (np.arange(N), answer)}, units, anchor, confidence=0.9).accuracy
        systems += int(((of_system.low <= SYSTEM) & (of_system.high >= SYSTEM)).sum())
        result = rater_trends(patterns, model, units, Anchor(RIGHT, np.full(4, 0.011)), confidence=0.9)
        truth = RIGHT[result.subject]
        raters += int(((result.accuracy.low <= truth) & (truth <= result.accuracy.high)).sum())
    assert 0.85 <= systems / (n * WINDOWS) <= 0.97
    assert 0.85 <= raters / (n * WINDOWS * 4) <= 0.97


def test_over_all_items_the_accuracy_is_that_of_the_estimate() -> None:
    sums = RatioSums(*(np.array([value]) for value in (100.0, 40.0, 50.0, 30.0, 28.0, 30.0)))
    result = anchored_accuracies(sums, sums, Anchor(np.array([0.9]), np.array([0.06])), confidence=0.95)
    assert result.accuracy[0] == pytest.approx(0.9)
    assert result.se[0] == pytest.approx(0.06)


@pytest.mark.parametrize(
    ("n", "y", "accuracy"),
    [(1, 1, 0.9), (50, 0.01, 0.9), (50, 20, np.nan)],
    ids=["one item", "no knowledge", "no level"],
)
def test_what_cannot_be_told_is_undefined(n: float, y: float, accuracy: float) -> None:
    def sums(n: float, y: float) -> RatioSums:
        return RatioSums(*(np.array([value], float) for value in (n, 0.8 * y, y, y, y, y)))

    anchor = Anchor(np.array([accuracy]), np.array([0.05]))
    result = anchored_accuracies(sums(n, y), sums(100, 50), anchor, confidence=0.95)
    assert np.isnan([result.accuracy[0], result.se[0], result.low[0], result.high[0]]).all()


def test_a_level_that_contradicts_the_ratings_leaves_the_window_undefined() -> None:
    """Gold says that the system is right in 10 %; by the raters it is right in 95 % at first, in 65 % at last."""
    patterns, answer, units = world(np.random.default_rng(3))
    model = fixed_raters(patterns, RIGHT)

    def trend(level: float) -> FloatArray:
        anchor = Anchor(np.array([level]), np.array([0.03]))
        of_system = system_trends(patterns, model, {0: (np.arange(N), answer)}, units, anchor, confidence=0.9).accuracy
        assert (np.isnan(of_system.low) == of_system.contradicts).all()
        return of_system.accuracy

    assert np.isnan(trend(0.1)).tolist() == [False, False, False, True]
    assert np.isnan(trend(0.8)).tolist() == [False] * 4
    assert np.isnan(trend(0.97)).tolist() == [True, False, False, False]  # 1.12, with an error of .05
    assert trend(0.86)[0] == 1  # 1.01 is within the error


def test_errors_that_go_to_the_neighbour_do_not_hide_a_fall() -> None:
    """Raters and system err to the next label. A fall of .3 looks smaller, with equal error shares more so."""
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=4000)

    def near(right: FloatArray | float) -> IntArray:
        step = np.where(truth == 0, 1, np.where(truth == 2, -1, rng.choice([-1, 1], 4000)))
        return np.where(rng.random(4000) < right, truth, truth + step)

    labels = np.stack([near(0.75) for _ in range(3)], axis=1).ravel()
    item, rater = np.divmod(np.arange(12_000), 3)
    patterns = RatingPatterns(np.ones(4000, np.int64), item, rater, labels, 3, 3)
    P = fixed_raters(patterns, np.full(3, 0.75)).posteriors()
    early = np.arange(4000) < 2000
    answer = near(np.where(early, 0.95, 0.65))

    def fall(errors: FloatArray | None) -> float:
        u, v = gains(P, answer, errors)
        return float(u[early].sum() / v[early].sum() - u[~early].sum() / v[~early].sum())

    errors = error_shares(P, answer, np.ones(4000, np.int64), 0.8)
    assert np.allclose(errors.sum(axis=1), 1)
    assert errors[0, 1] > 0.7
    assert abs(fall(errors) - 0.3) < abs(fall(None) - 0.3)
    assert fall(errors) == pytest.approx(0.3, abs=0.06)


def test_sums_of_raters_are_those_counted_by_hand() -> None:
    # two patterns: r0 and r1 agree on 3 items of one unit and 1 of another; r0 alone has 2 items
    patterns = RatingPatterns(
        np.array([4, 2]), np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([1, 1, 0]), n_raters=2, n_labels=2
    )
    units = window_units(
        (np.array([0, 1, 1]), np.array([0, 0, 1])),
        (np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([3, 1, 2])),
        n_windows=2,
        n_patterns=2,
    )
    anchor = Anchor(np.array([0.8, np.nan]), np.array([0.1, np.nan]))
    result = rater_trends(patterns, fixed_raters(patterns, np.array([0.8, 0.8])), units, anchor, confidence=0.95)
    assert result.window.tolist() == [0, 0, 1, 1]
    assert result.subject.tolist() == [0, 1, 0, 1]
    assert result.n_items.tolist() == [3, 3, 6, 4]
    assert result.n_shared.tolist() == [3, 3, 4, 4]
    assert result.agreement.share.tolist() == [1, 1, 1, 1]
    assert np.isnan(result.accuracy.accuracy).tolist() == [False, True, False, True]
