"""Agreement on pairs of ratings: by hand, against a bootstrap over items, and as an accuracy."""

import numpy as np
import pytest

from stats.accuracy.raters.pair_agreement import PairAgreement, pair_agreement


def test_share_and_error_by_hand() -> None:
    """Items with 3, 1 and 0 agreeing pairs out of 3, 3 and 1; one rating makes no pair."""
    counts = np.array([[3, 0], [2, 1], [1, 1], [1, 0]])
    agreement = pair_agreement(counts, np.array([1, 2, 1, 5]))
    assert agreement is not None
    assert agreement.share == pytest.approx(5 / 10)
    assert agreement.se == pytest.approx(((3 - 1.5) ** 2 + 2 * (1 - 1.5) ** 2 + 0.5**2) ** 0.5 / 10)
    assert agreement.kappa == pytest.approx(0.0)


def test_the_error_is_that_of_a_bootstrap_over_items() -> None:
    rng = np.random.default_rng(4)
    n = 150
    truth = rng.integers(0, 3, n)
    labels = np.where(rng.random((3, n)) < 0.6, truth, rng.integers(0, 3, (3, n)))
    counts = np.stack([(labels == label).sum(axis=0) for label in range(3)], axis=1)
    agreement = pair_agreement(counts, np.ones(n))
    drawn = [pair_agreement(counts, rng.multinomial(n, np.full(n, 1 / n))) for _ in range(500)]
    assert agreement is not None
    assert agreement.se == pytest.approx(np.std([each.share for each in drawn if each is not None]), rel=0.1)


def test_no_pairs() -> None:
    assert pair_agreement(np.array([[1, 0], [0, 1]]), np.array([3, 4])) is None


def test_the_least_accuracy_is_chance_where_the_agreement_may_be_chance() -> None:
    unsure = PairAgreement(0.3, 0.1, 4)
    assert unsure.least_accuracy(0.95) == 0.25
    sure = PairAgreement(0.5, 0.05, 4)
    low = 0.5 - 1.959964 * 0.05
    accuracy = sure.least_accuracy(0.95)
    assert accuracy**2 + (1 - accuracy) ** 2 / 3 == pytest.approx(low)  # Lehner's Eq. 4
    assert sure.low(0.025) == pytest.approx(low)
