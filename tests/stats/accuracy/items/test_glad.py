"""GLAD: abilities of raters, ease of items."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize, minimize_scalar

from stats.accuracy.estimators import lehner
from stats.accuracy.fitting import evidence, pattern_evidence
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.evidence import Sparse
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.item_patterns import item_patterns
from stats.accuracy.items import glad
from stats.accuracy.items.consensus import consensus, mixed, posteriors, tempered
from stats.arrays import FloatArray


def data_of(ratings: pl.DataFrame, labels: str) -> ModelData:
    items = item_patterns(ratings, labels=list(labels))
    patterns = SystemPatterns(
        items.counts, np.full(len(items.counts), -1), items.patterns.n_items, raters=items.patterns
    )
    W = patterns.n_items[None, :].astype(np.float64)
    return ModelData(patterns, W, lehner.rater_figures(patterns.C, W))


def drawn(abilities: list[float], n: int, labels: str, seed: int, m: int | None = None) -> pl.DataFrame:
    """Ratings and truth of a world in which GLAD is true; each item has m ratings."""
    rng = np.random.default_rng(seed)
    k, r = len(labels), len(abilities)
    truth, ease = rng.integers(k, size=n), np.exp(rng.normal(1, 1, n))
    rows = []
    for item in range(n):
        for rater in rng.choice(r, m or r, replace=False):
            right = rng.random() < 1 / (1 + np.exp(-abilities[rater] * ease[item]))
            label = truth[item] if right else (truth[item] + rng.integers(1, k)) % k
            rows.append((f"i{item:04}", f"r{rater}", labels[label], labels[truth[item]]))
    return pl.DataFrame(rows, schema=["item", "rater", "label", "truth"], orient="row")


def by_hand(answers: FloatArray, ability: FloatArray, rates: FloatArray) -> FloatArray:
    """P(answers, label) (n, k) of answer codes (n, r), -1 where there is none, summed over the ease of each item."""
    n, k = len(answers), len(rates)
    total = np.zeros((n, k))
    for ease, share in zip(glad.EASE, glad.SHARE, strict=True):
        right = 1 / (1 + np.exp(-ability * ease))
        for z in range(k):
            chance = np.where(answers == z, right, (1 - right) / (k - 1))
            total[:, z] += share * rates[z] * np.where(answers >= 0, chance, 1.0).prod(axis=1)
    return total


def answers_of(data: ModelData) -> FloatArray:
    raters = data.patterns.raters
    assert raters is not None
    answers = np.full((len(data.patterns.C), raters.n_raters), -1)
    answers[raters.pattern, raters.rater] = raters.label
    return answers


def fitted(data: ModelData) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Abilities, base rates and posterior of the fit."""
    solution = glad.solve(data)
    assert solution.converged.all()
    k, Phi = data.k, solution.Phi[0].reshape(glad.LEVELS, data.k, -1)
    logit = Phi[:, 0, 1::k][:, :-1] - np.log(k - 1) - Phi[:, 0, 2::k][:, :-1]  # log odds of right against wrong
    parts = [glad.posterior(part, solution, k) for _, part in data.by_rater.evidence.blocks(k)]
    return (logit / glad.EASE[:, None]).mean(axis=0), np.exp(Phi[:, :, 0]).sum(axis=0), np.concatenate(parts)


@pytest.mark.parametrize("labels", ["AB", "ABC"])
def test_the_posterior_is_that_of_the_fitted_abilities(labels: str) -> None:
    data = data_of(drawn([2.0, 1.0, 0.5, 1.5], 60, labels, seed=1, m=3), labels)
    ability, rates, P = fitted(data)
    joint = by_hand(answers_of(data), ability, rates)
    assert pytest.approx(joint / joint.sum(axis=1, keepdims=True), abs=1e-9) == P
    assert rates.sum() == pytest.approx(1)


def test_the_fit_is_the_largest_posterior() -> None:
    """A general optimiser, on the likelihood and the pseudo-counts written out, finds nothing better."""
    data = data_of(drawn([2.0, 0.7, 1.2, -0.3], 80, "ABC", seed=4), "ABC")
    answers, n, k = answers_of(data), data.W[0], 3

    def loss(x: FloatArray) -> float:
        ability, rates = x[:4], np.exp(np.append(x[4:], 0) - np.logaddexp.reduce(np.append(x[4:], 0)))
        held = 0.0
        for ease, share in zip(glad.EASE, glad.SHARE, strict=True):
            typical = 1 / (1 + np.exp(-ease))
            logs = -np.logaddexp(0, -ability * ease), -np.logaddexp(0, ability * ease) - np.log(k - 1)
            held += glad.STRENGTH * share * (typical * logs[0] + (1 - typical) * logs[1]).sum()
        held += 0.5 / k * np.log(rates).sum()
        return -float(n @ np.log(by_hand(answers, ability, rates).sum(axis=1)) + held)

    ability, rates, _ = fitted(data)
    result = np.append(ability, np.log(rates[:2] / rates[2]))
    best = minimize(loss, result + 0.2, method="BFGS", options={"gtol": 1e-8})
    assert loss(result) == pytest.approx(best.fun, abs=1e-4)
    assert result == pytest.approx(best.x, abs=0.02)


def test_abilities_are_the_most_likely_ones() -> None:
    rng = np.random.default_rng(2)
    total = rng.uniform(1, 40, (2, glad.LEVELS, 5))
    right = total * rng.uniform(0.05, 0.99, total.shape)
    result = glad.abilities(right, total)
    for b, r in np.ndindex(2, 5):
        y, m = right[b, :, r], total[b, :, r]

        def loss(a: float, y: FloatArray = y, m: FloatArray = m) -> float:
            return float((y * np.logaddexp(0, -a * glad.EASE) + (m - y) * np.logaddexp(0, a * glad.EASE)).sum())

        best = minimize_scalar(loss, bounds=(-20, 20), method="bounded", options={"xatol": 1e-9})
        assert result[b, r] == pytest.approx(best.x, abs=1e-5)


def test_abilities_are_found_again_where_the_model_is_true() -> None:
    true = [3.0, 2.0, 1.0, 0.5, 0.0, -1.0]
    ability, _, _ = fitted(data_of(drawn(true, 3000, "ABC", seed=7), "ABC"))
    assert ability == pytest.approx(true, abs=0.35)
    assert (np.diff(ability) < 0).all()


def test_its_probabilities_are_calibrated_where_the_model_is_true() -> None:
    world = drawn([2.0, 1.0, 0.8, 0.6, 0.4], 3000, "AB", seed=11, m=3)
    result = consensus(world.drop("truth"), labels=["A", "B"], method="glad")
    joined = result.join(world.select("item", "truth").unique(), on="item")
    gaps = joined.group_by((pl.col("probability") * 10).floor()).agg(
        n=pl.len(), gap=pl.col("probability").mean() - (pl.col("label") == pl.col("truth")).mean()
    )
    error = (gaps["gap"].abs() * gaps["n"]).sum() / joined.height
    assert error < 0.03


def test_many_raters_in_portions_have_the_same_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = drawn([1.0] * 30, 400, "ABC", seed=3, m=3).drop("truth")
    data = data_of(ratings, "ABC")
    _, _, P = fitted(data)
    monkeypatch.setattr(pattern_evidence, "CELLS", 3000)
    monkeypatch.setattr(evidence, "CELLS", 3000)
    small = replace(data, solutions={})
    assert isinstance(small.by_rater.evidence, Sparse)
    assert len(list(small.by_rater.evidence.blocks(glad.LEVELS * 3))) > 2
    assert pytest.approx(P, abs=1e-6) == fitted(small)[2]


def test_a_label_that_nobody_gave_has_no_probability() -> None:
    data = data_of(drawn([2.0, 1.0, 1.0], 40, "AB", seed=5), "ABC")
    _, rates, P = fitted(data)
    assert rates[2] < 1e-12
    assert P[:, 2].max() < 1e-12


def test_the_mixture_is_the_mean_of_glad_and_tempered_dawid_skene() -> None:
    ratings = drawn([2.0, 1.0, 0.5, 0.2], 200, "ABC", seed=9, m=3).drop("truth")
    items = item_patterns(ratings, labels=list("ABC"))
    by_ease, by_label, both = (
        np.concatenate(list(posteriors(items, method=name).blocks)) for name in ("glad", "dawid_skene", "mixture")
    )
    m = items.counts.sum(axis=1)
    assert pytest.approx((by_ease + tempered(by_label, m)) / 2) == both
    assert pytest.approx(mixed(by_ease, by_label, m)) == both
