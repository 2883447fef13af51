"""Newton's method ends at the maximum that plain EM climbs to, in fewer steps."""

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy.fitting import em
from stats.accuracy.fitting.likelihood import Model, data_of, figure, solve
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.fitting.newton import Attempt, EmStep, finish
from stats.accuracy.models import confusable, dawid_skene, difficulty, pooled_free, rater_coins
from stats.accuracy.system_patterns import patterns_by_rater, tables

MODELS = [difficulty.EVEN, difficulty.ORDERED, pooled_free.MODEL, dawid_skene.MODEL, rater_coins.DIFFICULTY]


def crowd(seed: int, n: int = 800, hard_share: float = 0.3) -> ModelData:
    """Ratings of four raters and a system over three labels; a share of the items is hard for all of them."""
    rng = np.random.default_rng(seed)
    truth, hard = rng.choice(3, n, p=rng.dirichlet([4, 4, 4])), rng.random(n) < hard_share
    codes = []
    for _ in range(5):
        right = rng.random(n) < np.where(hard, rng.uniform(0.34, 0.5), rng.uniform(0.7, 0.95))
        codes.append(np.where(right, truth, (truth + rng.integers(1, 3, n)) % 3))
    labels = np.stack(codes, axis=1)
    item, rater = np.nonzero(rng.random(labels.shape) < np.append([0.8] * 4, 1.0))
    frame = pl.DataFrame(
        {
            "item": item.astype(str),
            "rater": [f"r{each}" for each in rater],
            "label": [str(each) for each in labels[item, rater]],
        }
    )
    return data_of(patterns_by_rater(tables(frame, systems=["r4"], labels=list("012"))["r4"], "r4"))


def height(model: Model, data: ModelData, solution: em.EmSolution) -> float:
    return float(solution.loglik[0] + (model.prior(data) * solution.Phi).sum())


def plain(model: Model, data: ModelData, **changed: Any) -> em.EmSolution:
    """EM without Newton's method."""
    view = model.view(data)
    return em.maximise(view.evidence, view.W, model.start(data), model.prior(data), model.m_step, **changed)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("seed", range(4))
def test_it_ends_at_the_maximum_of_plain_em(model: Model, seed: int) -> None:
    data = crowd(seed)
    new, old = solve(model, data), plain(model, data, gain=1e-12, max_steps=20_000)
    assert height(model, data, new) >= height(model, data, old) - 1e-4
    if new.steps[0] > em.FIRST_ATTEMPT:  # Newton's method had its turn
        assert height(model, data, new) == pytest.approx(height(model, data, old), abs=1e-3)
        assert figure(new, data.k) == pytest.approx(figure(old, data.k), abs=2e-4)


def test_it_saves_steps_where_em_is_slow() -> None:
    needed = [(solve(difficulty.EVEN, data), plain(difficulty.EVEN, data, gain=1e-12)) for data in map(crowd, range(4))]
    assert all(new.converged[0] for new, _ in needed)
    assert sum(int(new.steps[0]) for new, _ in needed) < sum(int(old.steps[0]) for _, old in needed) / 2


@pytest.mark.parametrize("model", [difficulty.EVEN, confusable.DIFFICULTY], ids=lambda model: model.name)
def test_it_crosses_the_ridge_where_no_item_is_difficult(model: Model) -> None:
    """There the log-likelihood is not concave: conjugate gradients stop, and the step goes as far as they came."""
    fits = [
        (data, solve(model, data), plain(model, data, max_steps=20_000))
        for data in (crowd(seed, 10_000, hard_share=0.0) for seed in range(3))
    ]
    assert all(new.converged[0] for _, new, _ in fits)
    assert max(int(new.steps[0]) for _, new, _ in fits) < 200 < min(int(old.steps[0]) for _, _, old in fits)
    for data, new, old in fits:
        assert height(model, data, new) >= height(model, data, old) - 0.01


def test_what_it_returns_is_a_fixed_point() -> None:
    data, reached = crowd(1, 3000), []
    model, view = difficulty.EVEN, difficulty.EVEN.view(data)
    prior = model.prior(data)

    def em_step(T: Any) -> EmStep:
        Phi = model.m_step(T[None] + prior)
        posterior = view.evidence.posterior(view.W[0], Phi[0])
        objective = posterior.loglik + float((prior * Phi).sum())
        reached.append(objective)
        return EmStep(Phi[0], posterior, objective)

    begun = plain(model, data, gain=0.05).T[0]
    attempt = finish(begun, em_step, lambda Phi, T: model.tangent(Phi, T + prior[0]))
    assert attempt.T is not None
    assert attempt.steps > len(reached)
    first, last = (np.abs(em_step(T).posterior.counts - T).max() for T in (begun, attempt.T))
    assert last < 1e-5 * first
    assert reached[-1] >= max(reached) - 1e-8


def test_em_goes_on_where_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    data, model = crowd(2), difficulty.EVEN
    calls = []

    def failing(*_: Any) -> Attempt:
        calls.append(1)
        return Attempt(None, 7)

    old = plain(model, data, gain=em.GAIN)
    monkeypatch.setattr(em, "finish", failing)
    new = solve(model, replace(data, solutions={}))
    assert 1 <= len(calls) < 10  # the intervals between attempts double
    np.testing.assert_array_equal(new.Phi, old.Phi)
    assert new.steps[0] == old.steps[0] + 7 * len(calls)
