"""What must hold of every coefficient on any ratings."""

import math
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats import patterns
from stats.agreement import COEFFICIENTS, WEIGHTS, agreement
from stats.errors import StatsError

LABELS = ["1", "2", "3", "4"]
SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String}
NUMBERS = ("estimate", "se", "low", "high", "p_value", "observed", "expected")

rows_of = st.dictionaries(
    st.tuples(st.integers(0, 11), st.sampled_from(["ann", "bob", "cy", "dee"])), st.sampled_from(LABELS), max_size=48
).map(lambda given: [(f"item {i}", rater, label) for (i, rater), label in given.items()])
settings_of = st.sampled_from([(scale, None) for scale in ("nominal", "ordinal", "interval", "ratio")]) | st.tuples(
    st.sampled_from(["nominal", "interval"]), st.sampled_from(list(WEIGHTS))
)


def run(rows, *, labels=LABELS, scale="nominal", weights=None):
    return agreement(pl.DataFrame(rows, schema=SCHEMA, orient="row"), labels=labels, scale=scale, weights=weights)


def assert_close(one, other):
    assert one["reason"].to_list() == other["reason"].to_list()
    for column in NUMBERS:
        pairs = zip(one["name"], one[column], other[column], strict=True)
        for name, a, b in pairs:
            assert (a is None) == (b is None), (name, column)
            assert a is None or a == pytest.approx(b, abs=1e-9), (name, column)


@settings(max_examples=200, deadline=None)
@given(rows_of, settings_of)
def test_results_are_sound(rows, setting):
    scale, weights = setting
    result = run(rows, scale=scale, weights=weights)
    assert result["name"].to_list() == list(COEFFICIENTS)
    for row in result.iter_rows(named=True):
        assert all(row[column] is None or math.isfinite(row[column]) for column in NUMBERS), row
        assert (row["estimate"] is None) == (row["reason"] is not None), row
        assert row["reason"] is None or row["detail"], row
        assert row["n_items"] == len({item for item, _, _ in rows})
        assert row["n_raters"] == len({rater for _, rater, _ in rows})
        assert (row["n_ratings"], row["n_labels"]) == (len(rows), 4)
        if row["estimate"] is not None:
            assert row["low"] <= row["estimate"] <= row["high"] <= 1
            assert row["se"] >= 0
            assert 0 <= row["observed"] <= 1 + 1e-12
            assert (row["p_value"] is None) == (row["se"] == 0)
            assert row["p_value"] is None or 0 <= row["p_value"] <= 1
            assert row["detail"] is not None or row["se"] > 0, "degenerate but not flagged"
            recomputed = (row["observed"] - row["expected"]) / (1 - row["expected"])
            assert row["estimate"] == pytest.approx(recomputed, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(rows_of, settings_of, st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(rows, setting, shuffling):
    scale, weights = setting
    result = run(rows, scale=scale, weights=weights)
    shuffled = shuffling.sample(rows, len(rows))
    assert run(shuffled, scale=scale, weights=weights).equals(result)
    renamed = [(f"{item} again", {"ann": "zoe", "cy": "abe"}.get(rater, rater), label) for item, rater, label in rows]
    assert_close(run(renamed, scale=scale, weights=weights), result)


@settings(max_examples=100, deadline=None)
@given(rows_of, st.permutations(LABELS))
def test_nominal_labels_have_no_order(rows, order):
    assert_close(run(rows, labels=order), run(rows))


@settings(max_examples=50, deadline=None)
@given(rows_of, settings_of)
def test_many_raters_take_another_way_to_the_same_result(rows, setting):
    scale, weights = setting
    expected = run(rows, scale=scale, weights=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "WORD", 6)  # one digit per key word: patterns come from lists of ratings
        assert_close(run(rows, scale=scale, weights=weights), expected)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=2, max_size=30))
def test_two_raters_without_gaps(pairs):
    rows = [(str(i), rater, label) for i, pair in enumerate(pairs) for rater, label in zip("xy", pair, strict=True)]
    found = {row["name"]: row for row in run(rows).iter_rows(named=True)}
    for one, other in (("cohen_kappa", "conger_kappa"), ("scott_pi", "fleiss_kappa")):
        a, b = found[one], found[other]
        assert a["reason"] == b["reason"]
        if a["reason"] is None:
            assert a["estimate"] == pytest.approx(b["estimate"], abs=1e-12)
            n = len(pairs)  # the two-rater formula divides the variance by n, the general one by n - 1
            assert a["se"] == pytest.approx(b["se"] * math.sqrt((n - 1) / n), abs=1e-9)
    agreeing = sum(a == b for a, b in pairs) / len(pairs)
    assert found["percent_agreement"]["estimate"] == pytest.approx(agreeing, abs=1e-12)
    assert found["brennan_prediger"]["estimate"] == pytest.approx((agreeing - 0.25) / 0.75, abs=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("n_raters", [2, 4])
def test_standard_errors_agree_with_the_jackknife(n_raters, scale):
    rng = np.random.default_rng(n_raters)
    n = 150
    truth = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    right = rng.random((n, n_raters)) < np.linspace(0.6, 0.8, n_raters)
    labels = np.where(right, truth[:, None], rng.integers(0, 4, (n, n_raters)))
    # every item has two ratings: Gwet's formula lets the number of items with one vary too, the jackknife does not
    rated = (rng.random((n, n_raters)) < 0.7) | (np.arange(n_raters) < 2)
    rows = [(f"{i:03}", f"r{g}", LABELS[labels[i, g]]) for i in range(n) for g in range(n_raters) if rated[i, g]]
    whole = run(rows, scale=scale)
    items = sorted({row[0] for row in rows})
    without = [run([row for row in rows if row[0] != item], scale=scale)["estimate"].to_list() for item in items]
    for position, (name, se) in enumerate(whole.select("name", "se").iter_rows()):
        if se is not None:
            left_out = np.array([estimates[position] for estimates in without])
            jackknife = np.sqrt(((left_out - left_out.mean()) ** 2).sum() * (len(items) - 1) / len(items))
            # the ordinal metric is taken as given by the formula, the jackknife sees it vary
            assert se == pytest.approx(jackknife, rel=0.08 if scale == "ordinal" else 0.04), name


def test_the_same_rating_twice_is_an_error():
    rows = [("1", "ann", "1"), ("1", "bob", "1"), ("2", "ann", "2"), ("2", "ann", "2")]
    with pytest.raises(StatsError, match="A rater labels an item once, found rater 'ann' 2 times on item '2'"):
        run(rows)


def test_a_hundred_and_thirty_raters():
    random.seed(1)
    rows = [
        (f"item {i}", f"r{g}", random.choice("11234")) for i in range(60) for g in range(130) if random.random() < 0.5
    ]
    result = run(rows)
    defined = result.filter(pl.col("reason").is_null())
    assert defined["name"].to_list() == [name for name, c in COEFFICIENTS.items() if not c.two_raters]
    # independent raters: every coefficient near its expectation
    for name, estimate in defined.select("name", "estimate").iter_rows():
        near = {"percent_agreement": 0.28, "brennan_prediger": 0.04, "gwet_ac1": 0.052}.get(name, 0.0)
        assert estimate == pytest.approx(near, abs=0.01), name
