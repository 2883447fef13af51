"""The outer interval: its formula, how it meets the inner one, and what it is in the frame of accuracy."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import logit

from stats.accuracy import DEFAULT_METHODS, accuracy
from stats.accuracy.estimators import average
from stats.accuracy.fitting.estimator import Interval
from stats.accuracy.fitting.likelihood import aic, bic, data_of, fit_of
from stats.accuracy.fitting.outer_interval import outer_interval
from stats.accuracy.models import dawid_skene
from stats.accuracy.system_patterns import patterns_by_rater, tables
from stats.defaults import OUTER_ERROR
from stats.errors import StatsError
from stats.simulate import simulate_ratings

LABELS = ["A", "B", "C"]
RATERS = {"ann": 0.7, "bob": 0.6, "cleo": 0.65}


def drawn(n: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return simulate_ratings(n_items=n, labels=LABELS, raters=RATERS, systems={"bot": 0.85}, rng=rng)


def estimated(ratings: pl.DataFrame, **options: Any) -> dict[str, Any]:
    result = accuracy(ratings.drop("truth"), systems=["bot"], labels=LABELS, methods=["average"], **options)
    return result.row(0, named=True)


def test_it_is_the_formula_where_the_inner_one_is_narrower() -> None:
    ends = outer_interval(0.8, 0.03, Interval(0.01, 0.79, 0.81), 0.9, 0.3)
    assert ends is not None
    half = 1.6448536 * (0.03 + 0.09) ** 0.5
    assert logit(np.array(ends)) == pytest.approx([logit(0.8) - half, logit(0.8) + half], abs=1e-6)


def test_it_ends_where_the_inner_one_does_if_that_reaches_further() -> None:
    free = outer_interval(0.8, 0.03, Interval(0.01, 0.79, 0.81), 0.9)
    assert free is not None
    assert outer_interval(0.8, 0.03, Interval(0.2, 0.2, 0.81), 0.9) == (0.2, free[1])
    assert outer_interval(0.8, 0.03, Interval(0.2, 0.79, 0.99), 0.9) == (free[0], 0.99)


def test_without_an_inner_interval_there_is_no_outer_one() -> None:
    assert outer_interval(0.8, 0.03, Interval(None, None, None), 0.9) is None


def test_u_and_b_count_dawid_skene_and_the_point_does_not() -> None:
    patterns = patterns_by_rater(tables(drawn(300, 3), systems=["bot"], labels=LABELS)["bot"], "bot")
    data, n = data_of(patterns), 300
    fitted = average.fit(patterns)
    models = average.models_for(patterns)
    models += [model for model in [average.further_model(patterns)] if model and average.difficulty_pays(data)[0]]
    models.append(dawid_skene.MODEL)
    A = np.array([fit_of(model, data, n).accuracy for model in models])
    distance = np.minimum(*([each(m, data)[0] for m in models] - np.min([each(m, data)[0] for m in models])
                            for each in (aic, bic)))  # fmt: skip
    v = np.exp(-distance / 2 / (1 + n / 10))
    v /= v.sum()
    U = sum(w * fit_of(model, data, n).logit_error()[0] for w, model in zip(v, models, strict=True))  # type: ignore[index,misc]
    M = len(models)
    B = v @ (logit(A) - logit(fitted.accuracy)) ** 2 * M / (M - 1)
    assert fitted.outer_variance is not None
    assert fitted.outer_variance() == pytest.approx(U + B, rel=1e-9)
    assert v[-1] > 0.01  # it counts here
    inner = fitted.logit_error() if fitted.logit_error else None
    assert inner is not None
    assert inner[0] != pytest.approx(U + B, rel=1e-6)


def test_the_frame_has_it_for_average_alone_and_it_holds_the_inner_one() -> None:
    for n, seed in ((12, 1), (80, 2), (400, 3)):
        result = accuracy(drawn(n, seed).drop("truth"), systems=["bot"], labels=LABELS)
        assert result["method"].to_list() == list(DEFAULT_METHODS)
        first, rest = result.row(0, named=True), result[1:]
        assert first["outer_low"] <= first["low"] < first["accuracy"] < first["high"] <= first["outer_high"]
        assert rest["outer_low"].null_count() == rest["outer_high"].null_count() == rest.height


def test_tau_moves_the_outer_interval_and_nothing_else() -> None:
    ratings = drawn(400, 3)
    usual, narrow, wide = (estimated(ratings, outer_error=tau) for tau in (OUTER_ERROR, 0.0, 0.8))
    assert wide["outer_low"] < usual["outer_low"] < narrow["outer_low"] <= usual["low"]
    assert wide["outer_high"] > usual["outer_high"] > narrow["outer_high"] >= usual["high"]
    rest = {name for name in usual if not name.startswith("outer")}
    assert {name: usual[name] for name in rest} == {name: wide[name] for name in rest}
    assert estimated(ratings) == usual


def test_with_gold_it_is_the_audited_interval() -> None:
    ratings = drawn(200, 4)
    gold = ratings.select("item", label="truth").unique().sort("item").head(30)
    result = estimated(ratings, gold=gold)
    assert (result["outer_low"], result["outer_high"]) == (result["low"], result["high"])
    assert result["low"] is not None


@pytest.mark.parametrize("tau", [-0.1, float("nan"), float("inf")])
def test_tau_is_a_number_from_0(tau: float) -> None:
    with pytest.raises(StatsError, match="outer error"):
        estimated(drawn(20, 5), outer_error=tau)
