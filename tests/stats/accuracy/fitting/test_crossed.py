"""Human patterns crossed with answers are the same matrix as all patterns, row by row."""

import numpy as np
import pytest

from stats.accuracy.fitting.crossed import Crossed
from stats.accuracy.fitting.evidence import Dense, Evidence
from stats.accuracy.fitting.pattern_evidence import pooled
from stats.arrays import FloatArray

K, Z = 4, 5


@pytest.fixture
def both() -> tuple[Dense, Crossed]:
    """Each of 30 human patterns with most answers, and some items without one."""
    rng = np.random.default_rng(5)
    humans = np.column_stack([np.ones(30), rng.integers(0, 3, (30, 7))])
    human, answer = np.nonzero(rng.random((30, K + 1)) < 0.7)
    answers = answer[:, None] == np.arange(1, K + 1)
    return Dense(np.hstack([humans[human], answers])), Crossed(Dense(humans), answer * 30 + human, 30, K)


def drawn(p: int, models: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(6)
    return rng.integers(0, 9, (models, p)).astype(float), np.log(rng.dirichlet(np.ones(8 + K), (models, Z)))


@pytest.mark.parametrize("models", [1, 3])
def test_products_and_expected_counts_are_the_same(both: tuple[Dense, Crossed], models: int) -> None:
    dense, crossed = both
    W, Phi = drawn(len(dense.X), models)
    np.testing.assert_allclose(crossed.joint(Phi), dense.joint(Phi), rtol=1e-12)
    G = np.random.default_rng(7).dirichlet(np.ones(Z), W.shape)
    np.testing.assert_allclose(crossed.counts(G), dense.counts(G), rtol=1e-12)
    for got, expected in zip(crossed.e_step(W, Phi), dense.e_step(W, Phi), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-11)
    parts = [part.joint(Phi) for _, part in crossed.blocks(400_000)]
    assert len(parts) > 1
    np.testing.assert_allclose(np.concatenate(parts, axis=1), dense.joint(Phi), rtol=1e-12)


def test_the_posterior_is_the_same(both: tuple[Dense, Crossed]) -> None:
    dense, crossed = both
    W, Phi = drawn(len(dense.X), 1)
    new, old = (evidence.posterior(W[0], Phi[0]) for evidence in (crossed, dense))
    assert new.loglik == pytest.approx(old.loglik, rel=1e-12)
    np.testing.assert_allclose(new.counts, old.counts, rtol=1e-11)
    for seed in range(5):
        V = np.random.default_rng(seed).normal(size=Phi[0].shape)
        np.testing.assert_allclose(new.missing(V), old.missing(V), rtol=1e-8, atol=1e-10)


def test_a_chance_too_small_for_a_number_is_as_without_crossing(both: tuple[Dense, Crossed]) -> None:
    """Class 0 explains the humans' labels, and only the others explain the answer."""
    dense, crossed = both
    W, Phi = drawn(len(dense.X), 1)
    Phi[0, 1:, 0] = -800
    Phi[0, 0, -K:] = -800
    new, old = crossed.posterior(W[0], Phi[0]), dense.posterior(W[0], Phi[0])
    assert np.isfinite(old.loglik)
    assert new.loglik == pytest.approx(old.loglik, rel=1e-12)
    np.testing.assert_allclose(crossed.e_step(W, Phi)[1], dense.e_step(W, Phi)[1], rtol=1e-11)


@pytest.mark.parametrize(
    ("humans", "system", "kind"),
    [
        ("alike", [-1, 0, 1, 2] * 20, Crossed),
        ("different", [-1, 0, 1, 2] * 20, Dense),
        ("alike", [0, 0, 1, 2] * 20, Dense),  # patterns repeat
    ],
)
def test_patterns_are_crossed_where_humans_repeat(humans: str, system: list[int], kind: type[Evidence]) -> None:
    C = np.repeat(np.random.default_rng(8).integers(0, 9, (20, 3)), 4, axis=0)
    if humans == "different":
        C[:, 0] = np.arange(80)
    evidence = pooled(C, np.array(system))
    assert type(evidence) is kind
    expected = np.column_stack([np.ones(80), C, np.array(system)[:, None] == np.arange(3)])
    np.testing.assert_allclose(evidence.joint(np.eye(7)[None])[0], expected)
