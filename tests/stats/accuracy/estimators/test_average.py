"""The average of the models: its weights, its error between the models, and its replicates."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from stats.accuracy import ESTIMATORS, warnings_in_words
from stats.accuracy.estimators import average
from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.fitting.likelihood import aic, bic, data_of, fit_of
from stats.accuracy.system_patterns import SystemTable, patterns_by_rater, patterns_of, tables
from stats.simulate import FIGURES, simulate, simulate_ratings
from stats.simulation.confusion_matrices import confusion_matrix

Population = Callable[..., SystemPatterns]
Even = Callable[[float, int], Any]
LABELS = ["A", "B", "C", "D"]
SKEWED = np.array([[0.9, 0.1, 0.0], [0.4, 0.5, 0.1], [0.1, 0.4, 0.5]])


def drawn(n: int, seed: int, *, ordered: bool = False, **rest: Any) -> SystemTable:
    world: dict[str, Any] = {
        "labels": LABELS,
        "raters": {"a": 0.7, "b": 0.6, "c": 0.65},
        "systems": {"bot": 0.85},
        **rest,
    }
    ratings = simulate_ratings(n_items=n, rng=np.random.default_rng(seed), base_rates=[0.4, 0.3, 0.2, 0.1], **world)
    rng = np.random.default_rng(seed + 1)
    some = ratings.filter(pl.Series(rng.random(ratings.height) < 0.9)).drop("truth")
    return tables(some, systems=["bot"], labels=LABELS, ordered=ordered)["bot"]


def by_model(patterns: SystemPatterns) -> tuple[dict[str, float], dict[str, float]]:
    """Weight in the average, and figure, of each model."""
    data, models = data_of(patterns), average.models_for(patterns)
    w = average.weights(average.criteria(models, data, bic))[:, 0]
    names = [model.name for model in models]
    figures = [fit_of(model, data, 0).accuracy for model in models]
    return dict(zip(names, w, strict=True)), dict(zip(names, figures, strict=True))  # type: ignore[arg-type]


def test_weights_sum_to_1_whatever_the_distances() -> None:
    rng = np.random.default_rng(1)
    difference = rng.gamma(0.3, 100, (6, 50))
    for w in (
        average.weights(difference),
        average.weights(np.zeros((3, 2))),
        average.weights(np.array([[0.0], [1e9]])),
    ):
        assert pytest.approx(np.ones(w.shape[1])) == w.sum(axis=0)
        assert (w >= 0).all()
    assert average.weights(np.array([[3.0], [1.0], [2.0]]))[:, 0].argmax() == 1


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("by_name", [False, True])
def test_it_is_the_weighted_mean_of_the_models_that_apply(by_name: bool, ordered: bool) -> None:
    patterns = (patterns_by_rater if by_name else patterns_of)(drawn(60, 3, ordered=ordered), "bot")
    w, figures = by_model(patterns)
    expected = {"one_coin", "pooled_free"}
    expected |= {"ordinal", "ordered difficulty"} if ordered else {"difficulty", "confusable", "confusable, difficulty"}
    expected |= ({"ordered rater coins"} if ordered else {"rater coins"}) if by_name else set()
    assert set(w) == expected
    assert not by_name or not average.difficulty_pays(data_of(patterns))[0]  # then there would be one more
    result = ESTIMATORS["average"].fit(patterns)
    assert result.accuracy == pytest.approx(sum(w[name] * figures[name] for name in w), abs=1e-9)


@pytest.mark.parametrize("world", ["coins", "matrix", "order", "raters", "difficulty"])
def test_the_model_that_made_the_data_wins(world: str, population: Population, even: Even) -> None:
    base = [0.5, 0.3, 0.2]
    four = [0.4, 0.3, 0.2, 0.1]
    worlds: dict[str, tuple[list[Any], bool, str]] = {
        "coins": ([(1, base, [even(0.65, 3)] * 3, even(0.8, 3))], False, "one_coin"),
        "matrix": ([(1, base, [SKEWED] * 4, even(0.8, 3))], False, "pooled_free"),
        "order": ([(1, four, [confusion_matrix(4, 0.6, 2.0)] * 3, confusion_matrix(4, 0.8, 2.0))], True, "ordinal"),
        "raters": ([(1, base, [even(p, 3) for p in (0.9, 0.5, 0.7)], even(0.8, 3))], False, "rater coins"),
        "difficulty": (
            [(0.5, four, [even(0.9, 4)] * 4, even(0.95, 4)), (0.5, four, [even(0.5, 4)] * 4, even(0.65, 4))],
            False,
            "difficulty",
        ),
    }
    parts, ordered, winner = worlds[world]
    patterns = population(parts, ordered=ordered)
    w, _ = by_model(patterns)
    assert w[winner] > 0.99
    right = sum(share * np.dot(rates, np.diag(system)) for share, rates, _, system in parts)
    assert ESTIMATORS["average"].fit(patterns).accuracy == pytest.approx(right, abs=3e-3)


def test_unequal_raters_and_difficulty_together_have_their_model(population: Population, even: Even) -> None:
    base, easy, hard = [0.4, 0.3, 0.2, 0.1], (0.95, 0.7, 0.85), (0.6, 0.4, 0.5)
    worlds = [
        (0.5, base, [even(p, 4) for p in easy], even(0.95, 4)),
        (0.5, base, [even(p, 4) for p in hard], even(0.65, 4)),
    ]
    patterns = population(worlds)
    assert average.difficulty_pays(data_of(patterns))[0]
    assert ESTIMATORS["average"].fit(patterns).accuracy == pytest.approx(0.8, abs=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_the_spread_holds_the_estimate_and_the_interval_the_estimate(seed: int) -> None:
    patterns = patterns_by_rater(drawn(40 + 40 * seed, seed, asymmetry=2.0, error_range=1.0, difficulty=0.2), "bot")
    result = ESTIMATORS["average"].fit(patterns)
    assert result.accuracy is not None
    assert result.spread is not None
    assert result.spread[0] <= result.accuracy <= result.spread[1]
    interval = ESTIMATORS["average"].interval(patterns, result, 0.9, 0)
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low < result.accuracy < interval.high


def test_the_variance_is_that_within_and_between_the_models() -> None:
    """Two models of .8 and .9 with variances .04 and .06 and equal weights, by hand."""
    fits = [SystemFit(0.8, 50, logit_error=lambda: (0.04, 1e9)), SystemFit(0.9, 50, logit_error=lambda: (0.06, 1e9))]
    v = np.array([0.5, 0.5])
    result = average.logit_error(fits, 0.85, v)
    assert result is not None
    logits = np.log([0.8 / 0.2, 0.9 / 0.1, 0.85 / 0.15])
    between = 2 * (0.5 * (logits[0] - logits[2]) ** 2 + 0.5 * (logits[1] - logits[2]) ** 2)
    assert result[0] == pytest.approx(0.05 + between)
    assert result[1] == pytest.approx(3 * (1 + 0.05 / between) ** 2)
    agreed = average.logit_error([fits[0], fits[0]], 0.8, v)
    assert agreed is not None
    assert agreed[0] == pytest.approx(0.04)
    assert agreed[1] > 1e6  # nothing between the models: the normal distribution


def test_models_without_an_error_do_not_decide_it() -> None:
    fits = [SystemFit(0.8, 50, logit_error=lambda: (0.04, 1e9)), SystemFit(0.8, 50, logit_error=lambda: None)]
    result = average.logit_error(fits, 0.8, np.array([0.5, 0.5]))
    assert result is not None
    assert result[0] == pytest.approx(0.04)
    assert average.logit_error(fits, 0.8, np.array([0.01, 0.99])) is None


def test_models_that_disagree_widen_the_interval(population: Population) -> None:
    """Skewed raters on few items: nothing tells the coins from the matrices yet, and they disagree."""
    two = np.array([[0.98, 0.02], [0.5, 0.5]])
    whole = population([(1, [0.4, 0.6], [two] * 3, np.array([[0.95, 0.05], [0.1, 0.9]]))])
    patterns = SystemPatterns(whole.C, whole.system, np.ceil(whole.n_items / 1e6 * 50).astype(np.int64))
    data, models = data_of(patterns), average.models_for(patterns)
    result = ESTIMATORS["average"].fit(patterns)
    assert result.logit_error is not None
    assert result.spread is not None
    variance, _ = result.logit_error() or (0.0, 0.0)
    v = average.coarse_weights(models, data)[:, 0]
    errors = [
        error for model in models if (error := (fit_of(model, data, 0).logit_error or (lambda: None))()) is not None
    ]
    assert result.spread[1] - result.spread[0] > warnings_in_words.FAR_APART
    assert variance > 1.1 * float(np.average([u for u, _ in errors], weights=v))
    assert any("do not rule out" in note for note in result.warnings)


def test_coarse_weights_are_kinder_than_bic_and_do_not_forget(population: Population) -> None:
    patterns = patterns_by_rater(drawn(400, 2), "bot")
    data, models = data_of(patterns), average.models_for(patterns)
    fine = average.weights(average.criteria(models, data, bic))
    coarse = average.coarse_weights(models, data)
    assert coarse.max() < fine.max()
    assert coarse.sum() == pytest.approx(1)
    kinder = np.minimum(average.criteria(models, data, aic), average.criteria(models, data, bic))
    by_hand = np.exp(-kinder[:, 0] / 2 / (1 + patterns.n_items.sum() / average.COARSE))
    assert coarse[:, 0] == pytest.approx(by_hand / by_hand.sum())


@pytest.mark.parametrize("method", ESTIMATORS)
@pytest.mark.parametrize("ordered", [False, True])
def test_replicates_are_what_fit_says_of_the_same_weights(method: str, ordered: bool) -> None:
    estimator = ESTIMATORS[method]
    table = drawn(150, 9, ordered=ordered, difficulty=0.2)
    patterns = (patterns_by_rater if estimator.by_rater else patterns_of)(table, "bot")
    n = int(patterns.n_items.sum())
    rng = np.random.default_rng(4)
    W = rng.multinomial(n, patterns.n_items / n, size=3)
    W[2] = np.where(rng.random(len(W[2])) < 0.5, 0, patterns.n_items)
    result = estimator.replicate(patterns, W.astype(float))
    for weights, estimate in zip(W, result, strict=True):
        fitted = estimator.fit(SystemPatterns(patterns.C, patterns.system, weights, ordered, patterns.raters))
        if fitted.accuracy is None:
            assert np.isnan(estimate)
        else:
            assert estimate == pytest.approx(fitted.accuracy, abs=1e-6)


@pytest.mark.parametrize("method", ESTIMATORS)
def test_replicates_of_raters_at_chance_are_nan_and_leave_the_others_alone(method: str) -> None:
    estimator = ESTIMATORS[method]
    patterns = (patterns_by_rater if estimator.by_rater else patterns_of)(drawn(80, 5), "bot")
    whole = patterns.n_items.astype(float)
    disagreeing = np.where((patterns.C.max(axis=1) == 1) & (patterns.C.sum(axis=1) > 1), whole, 0.0)
    unanswered = np.where(patterns.answered, 0.0, whole)
    result = estimator.replicate(patterns, np.stack([whole, disagreeing, unanswered, whole]))
    assert np.isnan(result[1:3]).all()
    assert result[0] == result[3] or np.isnan(result[[0, 3]]).all()
    assert method == "ordinal" or not np.isnan(result[0])


def test_with_many_items_of_its_own_the_error_is_below_lehners() -> None:
    """Two of the paper's settings, 12 runs: the average is nearer to the expected accuracy."""
    for figure in (6, 13):
        frame = simulate(FIGURES[figure], runs=12, seed=5, methods=["average", "lehner"])
        off = (pl.col("estimate") - pl.col("expected_accuracy")) ** 2
        by_method = dict(frame.group_by("method").agg(off.mean().sqrt()).rows())
        assert by_method["average"] < 0.9 * by_method["lehner"], figure


def test_its_score_is_the_mean_of_the_models_scores() -> None:
    patterns = patterns_by_rater(drawn(300, 8), "bot")
    data, models = data_of(patterns), average.models_for(patterns)
    w = average.weights(average.criteria(models, data, bic))[:, 0]
    answered = patterns.answered
    C, system, n_items = patterns.C[answered], patterns.system[answered], patterns.n_items[answered]
    scores = [score_of(C, system) for model in models if (score_of := fit_of(model, data, 0).score) is not None]
    result = ESTIMATORS["average"].fit(patterns)
    assert result.score is not None
    score = result.score(C, system)
    assert score == pytest.approx(w @ np.array(scores), abs=1e-5)
    assert np.average(score, weights=n_items) == pytest.approx(result.accuracy, abs=0.02)
