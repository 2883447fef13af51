"""A free matrix for each rater: right where raters are unequal, and the same whether patterns are dense or sparse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stats.accuracy import ESTIMATORS
from stats.accuracy.fitting import evidence, likelihood, pattern_evidence
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.models import dawid_skene, rater_coins
from stats.patterns import patterns_of

Population = Callable[..., SystemPatterns]
Even = Callable[[float, int], Any]


def test_unequal_raters_are_exact(population: Population, even: Even) -> None:
    skewed = np.array([[0.9, 0.1, 0.0], [0.3, 0.6, 0.1], [0.2, 0.2, 0.6]])
    patterns = population([(1, [0.5, 0.3, 0.2], [even(0.95, 3), even(0.5, 3), skewed], even(0.7, 3))])
    assert ESTIMATORS["dawid_skene"].fit(patterns).accuracy == pytest.approx(0.7, abs=2e-3)
    pooled = ESTIMATORS["pooled_free"].fit(patterns).accuracy
    assert pooled is not None
    assert abs(pooled - 0.7) > 0.01


def test_a_rater_worse_than_chance_is_of_use(population: Population, even: Even) -> None:
    patterns = population([(1, [0.4, 0.6], [even(0.95, 2), even(0.9, 2), even(0.9, 2), even(0.2, 2)], even(0.75, 2))])
    assert ESTIMATORS["dawid_skene"].fit(patterns).accuracy == pytest.approx(0.75, abs=2e-3)


def sparse_patterns(n: int, r: int, given: int, seed: int) -> SystemPatterns:
    """n items; each of r raters, right in .7, labels `given` of them; the system is right in .85."""
    rng, codes = np.random.default_rng(seed), np.full((n, r), -1)
    truth = rng.integers(0, 3, n)
    for j in range(r):
        some = rng.choice(n, given, replace=False)
        codes[some, j] = np.where(rng.random(given) < 0.55, truth[some], rng.integers(0, 3, given))
    system = np.where(rng.random(n) < 0.775, truth, rng.integers(0, 3, n))
    rated = (codes >= 0).any(axis=1)
    codes, system = codes[rated], system[rated]
    n_items = np.ones(len(codes), np.int64)
    C = (codes[:, :, None] == np.arange(3)).sum(axis=1)
    return SystemPatterns(C, system, n_items, False, patterns_of(codes, n_items, 3))


@pytest.mark.parametrize("model", [dawid_skene.MODEL, rater_coins.EVEN], ids=lambda model: model.name)
def test_sparse_patterns_give_what_dense_ones_give(model: likelihood.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = sparse_patterns(300, 40, 30, 1)
    W = np.random.default_rng(2).multinomial(300, np.full(len(patterns.C), 1 / len(patterns.C)), size=3).astype(float)
    dense, many = likelihood.fit(model, patterns), likelihood.replicate(model, patterns, W)
    monkeypatch.setattr(pattern_evidence, "CELLS", 1000)
    monkeypatch.setattr(evidence, "CELLS", 1000)
    assert not pattern_evidence.is_dense(patterns)
    sparse, again = likelihood.fit(model, patterns), likelihood.replicate(model, patterns, W)
    assert sparse.accuracy == pytest.approx(dense.accuracy, abs=1e-9)
    assert again == pytest.approx(many, abs=1e-9)
    assert dense.logit_error is not None
    assert sparse.logit_error is not None
    assert sparse.logit_error() == pytest.approx(dense.logit_error(), rel=1e-6)


@pytest.mark.parametrize("method", ["average", "dawid_skene", "one_coin", "lehner", "binless"])
def test_300_raters_with_5_ratings_each(method: str) -> None:
    patterns = sparse_patterns(400, 300, 5, 3)
    estimator = ESTIMATORS[method]
    result = estimator.fit(patterns)
    assert result.accuracy is not None
    assert result.accuracy == pytest.approx(0.85, abs=0.08)
    interval = estimator.interval(patterns, result, 0.95, 0)
    assert interval.low is not None
    assert interval.high is not None
    assert 0.5 < interval.low < result.accuracy < interval.high < 1


def test_patterns_without_names_have_no_estimate() -> None:
    patterns = SystemPatterns(np.array([[2, 0], [0, 2]]), np.array([0, 1]), np.array([5, 5]))
    result = ESTIMATORS["dawid_skene"].fit(patterns)
    assert (result.accuracy, result.reason) == (None, "unnamed_raters")
    assert np.isnan(ESTIMATORS["dawid_skene"].replicate(patterns, np.ones((1, 2)))).all()
