"""Simulated streams have the kappa, correlation, accuracy and random clicks that were wished for."""

import numpy as np
import pytest

from benchmarks.monitoring.streams import StreamWorld, draw_answers, draw_streams
from stats.agreement import COEFFICIENTS
from stats.agreement.count_tables import tables_of
from stats.agreement.weights import label_setting
from stats.monitoring import agreement_variance
from stats.patterns import patterns_of


@pytest.mark.parametrize(("labels", "shares"), [(2, "even"), (2, "uneven"), (5, "even"), (5, "uneven")])
def test_kappa_of_many_items(labels: int, shares: str) -> None:
    world = StreamWorld(3, labels, 0.6, 0.0, shares)
    streams = draw_streams(world, np.full(2000, 0.6), 1, np.random.default_rng(1))
    rows, n_items = np.unique(streams.labels.reshape(-1, 3), axis=0, return_counts=True)
    tables = tables_of(patterns_of(rows.astype(np.int64), n_items, labels))
    kappa = COEFFICIENTS["fleiss_kappa"].compute(tables, label_setting(list("abcde"[:labels]), "nominal", None))
    assert float(np.squeeze(kappa.estimate)) == pytest.approx(0.6, abs=0.015)
    share = np.bincount(streams.truth.ravel()) / streams.truth.size
    np.testing.assert_allclose(share, world.label_shares, atol=0.01)


def test_items_of_a_day_are_alike() -> None:
    """The variance of a day's mean agreement is s2 ((1 - rho) / n + rho)."""
    world, n = StreamWorld(5, 2, 0.6, 0.05), 20
    labels = draw_streams(world, np.full(4000, 0.6), 1, np.random.default_rng(2)).labels[0]
    ones = labels.sum(axis=-1)
    score = (ones * (ones - 1) + (5 - ones) * (4 - ones)) / 20 / 0.5  # of the pairs that agree, over 1 - Pe
    assert score.var() == pytest.approx(agreement_variance(2, 5, 0.6), rel=0.03)
    expected = agreement_variance(2, 5, 0.6) * (0.95 / n + 0.05)
    assert score.mean(axis=1).var() == pytest.approx(expected, rel=0.07)


def test_random_clicks_and_answers() -> None:
    world = StreamWorld(3, 5, 0.8, 0.0)
    rng, change = np.random.default_rng(3), np.arange(400) >= 200
    streams = draw_streams(world, np.full(400, 0.8), 10, rng, 1.0 * change)
    right = (streams.labels == streams.truth[..., None]).mean(axis=(0, 2))
    knows = np.sqrt(0.8) + (1 - np.sqrt(0.8)) / 5
    np.testing.assert_allclose(right[:200].mean(axis=0), knows, atol=0.01)
    np.testing.assert_allclose(right[200:].mean(axis=0), [0.2, knows, knows], atol=0.01)
    answers = draw_answers(world, streams.truth, 0.9 - 0.3 * change, rng)
    accuracy = (answers == streams.truth).mean(axis=(0, 2))
    assert accuracy[:200].mean() == pytest.approx(0.9, abs=0.01)
    assert accuracy[200:].mean() == pytest.approx(0.6, abs=0.01)
    assert set(np.unique(answers)) == set(range(5))
