"""What must hold of every coefficient on any ratings."""

import itertools
import math
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats import patterns
from stats.agreement import COEFFICIENTS, WEIGHTS, agreement, pairwise
from stats.errors import StatsError

LABELS = ["1", "2", "3", "4"]
SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String}
NUMBERS = ("estimate", "se", "low", "high", "p_value", "observed", "expected")
METHODS = ["t", "normal", "jackknife", "percentile", "bca"]
ICC = [name for name, c in COEFFICIENTS.items() if c.numeric]
# those whose variance divides by n: its square root shrinks exactly with the number of copies of the items
DIVIDED_BY_N = ["bangdiwala_b", "cohen_kappa", "scott_pi", "light_kappa"]


def rows_of(raters, labels):
    """Up to 12 items by these raters, any rating may be missing."""
    ratings = st.dictionaries(st.tuples(st.integers(0, 11), st.sampled_from(raters)), st.sampled_from(labels))
    return ratings.map(lambda given: [(f"item {i}", rater, label) for (i, rater), label in given.items()])


FOUR, TWO = ["ann", "bob", "cy", "dee"], ["ann", "bob"]
# rows and declared labels; two raters and two labels have a share of their own, where all coefficients apply
tables_of = (
    st.tuples(rows_of(FOUR, LABELS), st.just(LABELS))
    | st.tuples(rows_of(TWO, LABELS[:2]), st.just(LABELS[:2]))
    | st.tuples(rows_of(FOUR, LABELS[:2]), st.just(LABELS[:3]))
)
settings_of = st.sampled_from([(scale, None) for scale in ("nominal", "ordinal", "interval", "ratio")]) | st.tuples(
    st.sampled_from(["nominal", "interval"]), st.sampled_from(list(WEIGHTS))
)


def run(rows, *, labels=LABELS, scale="nominal", weights=None, **arguments):
    ratings = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return agreement(ratings, labels=labels, scale=scale, weights=weights, **{"replicates": 100, **arguments})


def assert_close(first, other):
    assert first["reason"].to_list() == other["reason"].to_list()
    for column in NUMBERS:
        pairs = zip(first["name"], first[column], other[column], strict=True)
        for name, a, b in pairs:
            assert (a is None) == (b is None), (name, column)
            assert a is None or a == pytest.approx(b, abs=1e-9), (name, column)


@settings(max_examples=300, deadline=None)
@given(tables_of, settings_of, st.sampled_from(METHODS))
def test_results_are_sound(table, setting, method):
    (rows, labels), (scale, weights) = table, setting
    result = run(rows, labels=labels, scale=scale, weights=weights, interval_method=method)
    assert result["name"].to_list() == list(COEFFICIENTS)
    for row in result.iter_rows(named=True):
        assert all(row[column] is None or math.isfinite(row[column]) for column in NUMBERS), row
        assert (row["estimate"] is None) == (row["reason"] is not None), row
        assert row["reason"] is None or row["detail"], row
        assert row["n_items"] == len({item for item, _, _ in rows})
        assert row["n_raters"] == len({rater for _, rater, _ in rows})
        assert (row["n_ratings"], row["n_labels"]) == (len(rows), len(labels))
        assert row["observed"] is None or 0 <= row["observed"] <= 1 + 1e-12
        if row["estimate"] is None:
            assert [row[column] for column in ("se", "low", "high", "p_value")] == [None] * 4
        else:
            assert_figures_are_sound(row, method)


def assert_figures_are_sound(row, method):
    coefficient = COEFFICIENTS[row["name"]]
    least = {"percent_agreement": 0, "bangdiwala_b": 0, "information_agreement": 0, "yule_y": -1}
    assert max(least.get(row["name"], -math.inf), coefficient.lower_limit) <= row["estimate"] <= 1, row
    assert row["interval_method"] in (method, "jackknife", "F")
    if row["se"] is None:
        assert "Undefined for" in row["detail"], row
    else:
        assert row["se"] >= 0
        assert row["se"] > 0 or "Degenerate" in row["detail"], "degenerate but not flagged"
        assert row["name"] in ICC or None not in (row["low"], row["high"]), row
        assert (row["p_value"] is None) == (row["se"] == 0 or not coefficient.has_p_value) or row["name"] in ICC, row
    if None in (row["low"], row["high"]):
        assert "no interval" in row["detail"] or "no lower end" in row["detail"], row
    # percentiles of the replicates need not hold the estimate; an end of an ICC's interval may be unknown
    ends = [row["low"], row["high"]] if method in ("percentile", "bca") else [row["low"], row["estimate"], row["high"]]
    ends = [coefficient.lower_limit, *(end for end in ends if end is not None), 1]
    assert all(low <= high + 1e-12 for low, high in itertools.pairwise(ends)), row
    assert row["p_value"] is None or 0 <= row["p_value"] <= 1
    if row["expected"] is not None and row["name"] != "light_kappa":  # which is a mean of such ratios
        recomputed = (row["observed"] - row["expected"]) / (1 - row["expected"])
        assert row["estimate"] == pytest.approx(recomputed, abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(tables_of, settings_of, st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(table, setting, method, shuffling):
    (rows, labels), (scale, weights) = table, setting
    chosen = {"labels": labels, "scale": scale, "weights": weights, "interval_method": method}
    result = run(rows, **chosen)
    assert run(shuffling.sample(rows, len(rows)), **chosen).equals(result)
    assert run([(f"{item} again", rater, label) for item, rater, label in rows], **chosen).equals(result)
    renamed = [(item, {"ann": "zoe", "cy": "abe"}.get(rater, rater), label) for item, rater, label in rows]
    # the order of the raters decides which of the patterns with the same counts a seed draws
    of_counts = [not c.by_rater or method not in ("percentile", "bca") for c in COEFFICIENTS.values()]
    assert_close(run(renamed, **chosen).filter(of_counts), result.filter(of_counts))


@settings(max_examples=100, deadline=None)
@given(st.data(), tables_of, st.sampled_from(["t", "jackknife"]))
def test_nominal_labels_have_no_order(data, table, method):
    rows, labels = table
    order = data.draw(st.permutations(labels))
    assert_close(run(rows, labels=order, interval_method=method), run(rows, labels=labels, interval_method=method))


@settings(max_examples=50, deadline=None)
@given(tables_of, settings_of, st.sampled_from(["t", "jackknife"]))
def test_many_raters_take_another_way_to_the_same_result(table, setting, method):
    (rows, labels), (scale, weights) = table, setting
    chosen = {"labels": labels, "scale": scale, "weights": weights, "interval_method": method}
    expected = run(rows, **chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "MAX_KEY", 6)  # one digit per key word: patterns come from lists of ratings
        assert_close(run(rows, **chosen), expected)


@settings(max_examples=100, deadline=None)
@given(tables_of, settings_of, st.integers(2, 5))
def test_each_item_several_times_keeps_the_estimate(table, setting, copies):
    (rows, labels), (scale, weights) = table, setting
    once = run(rows, labels=labels, scale=scale, weights=weights)
    again = [(f"{item}, {copy}", rater, label) for item, rater, label in rows for copy in range(copies)]
    several = run(again, labels=labels, scale=scale, weights=weights)
    for result, other in zip(once.iter_rows(named=True), several.iter_rows(named=True), strict=True):
        name = result["name"]
        pairs_left_out = name == "light_kappa" and "without one" in (result["detail"] or "")
        if result["reason"] is not None or name in ICC or pairs_left_out:
            continue  # the ICCs' degrees of freedom change; a pair with one common item has two now
        estimate = other["estimate"]
        if name == "krippendorff_alpha":  # P_a = (1 - eps) P'_a + eps, eps = 1 / the ratings that can be paired
            singles = sum(sum(item == other_item for other_item, _, _ in rows) == 1 for item, _, _ in rows)
            eps = 1 / (result["n_ratings"] - singles)
            P_a = (result["observed"] - eps) / (1 - eps) * (1 - eps / copies) + eps / copies
            assert estimate == pytest.approx((P_a - result["expected"]) / (1 - result["expected"]), abs=1e-9)
            continue
        assert estimate == pytest.approx(result["estimate"], abs=1e-9), name
        for column in ("observed", "expected"):
            assert other[column] == (None if result[column] is None else pytest.approx(result[column], abs=1e-9)), name
        if name in DIVIDED_BY_N:
            assert other["se"] == pytest.approx(result["se"] / math.sqrt(copies), abs=1e-9), name


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=2, max_size=30),
    st.sampled_from([None, "linear", "quadratic", "ratio"]),
)
def test_two_raters_without_gaps(pairs, weights):
    rows = [(str(i), rater, label) for i, pair in enumerate(pairs) for rater, label in zip("xy", pair, strict=True)]
    results = {row["name"]: row for row in run(rows, scale="interval", weights=weights).iter_rows(named=True)}
    same = [("cohen_kappa", "conger_kappa"), ("cohen_kappa", "light_kappa"), ("scott_pi", "fleiss_kappa")]
    for result, other in same:
        a, b = results[result], results[other]
        assert a["reason"] == b["reason"]
        if a["reason"] is None:
            assert a["estimate"] == pytest.approx(b["estimate"], abs=1e-12)
            # the two-rater formula divides the variance by n, the general one by n - 1
            n = len(pairs) if other != "light_kappa" else math.inf
            assert a["se"] == pytest.approx(b["se"] * (math.sqrt((n - 1) / n) if n < math.inf else 1), abs=1e-9)
    if weights is None:
        agreeing = sum(a == b for a, b in pairs) / len(pairs)
        assert results["percent_agreement"]["estimate"] == pytest.approx(agreeing, abs=1e-12)
        assert results["brennan_prediger"]["estimate"] == pytest.approx((agreeing - 0.25) / 0.75, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(rows_of(FOUR, LABELS), st.sampled_from([None, "linear"]))
def test_light_kappa_is_the_mean_of_the_pairs(rows, weights):
    row = run(rows, scale="ordinal", weights=weights, coefficients=["light_kappa"]).row(0, named=True)
    ratings = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    of_pairs = pairwise(ratings, labels=LABELS, scale="ordinal", weights=weights)["estimate"].drop_nulls()
    if row["reason"] is None:
        assert row["estimate"] == pytest.approx(of_pairs.mean(), abs=1e-9)
    else:
        assert of_pairs.is_empty()


@settings(max_examples=100, deadline=None)
@given(
    rows_of(FOUR[:3], LABELS),
    st.sampled_from([["1", "2", "3", "4"], ["-2.5", "0", "1000000", "1000001"], ["0", "1e-9", "2e-9", "3e-9"]]),
)
def test_icc_is_an_analysis_of_variance_of_the_complete_items(rows, numbers):
    value = dict(zip(LABELS, numbers, strict=True))
    result = run([(item, rater, value[label]) for item, rater, label in rows], labels=numbers, scale="interval")
    raters, items = sorted({rater for _, rater, _ in rows}), sorted({item for item, _, _ in rows})
    given_by = {(item, rater): float(value[label]) for item, rater, label in rows}
    complete = [[given_by.get((item, rater), math.nan) for rater in raters] for item in items]
    X = np.array([line for line in complete if not np.isnan(line).any()])
    if len(raters) < 2 or len(X) < 2:
        assert result.filter(pl.col("name").is_in(ICC))["estimate"].null_count() == 6
        return
    (n, r), mean = X.shape, X.mean()
    of_items, of_raters = X.mean(axis=1, keepdims=True), X.mean(axis=0, keepdims=True)
    MSR = r * ((of_items - mean) ** 2).sum() / (n - 1)
    MSC = n * ((of_raters - mean) ** 2).sum() / (r - 1)
    MSE = ((X - of_items - of_raters + mean) ** 2).sum() / ((n - 1) * (r - 1))
    MSW = ((X - of_items) ** 2).sum() / (n * (r - 1))
    fractions = {
        "icc1": (MSR - MSW, MSR + (r - 1) * MSW),
        "icc2": (MSR - MSE, MSR + (r - 1) * MSE + r * (MSC - MSE) / n),
        "icc3": (MSR - MSE, MSR + (r - 1) * MSE),
        "icc1k": (MSR - MSW, MSR),
        "icc2k": (MSR - MSE, MSR + (MSC - MSE) / n),
        "icc3k": (MSR - MSE, MSR),
    }
    total = ((X - mean) ** 2).sum()
    for name, (over, under) in fractions.items():
        row = result.filter(pl.col("name") == name).row(0, named=True)
        if row["estimate"] is None:
            assert under <= 1e-9 * total, name
        else:
            tolerance = 1e-9 * total * max(abs(row["estimate"]), 1)
            assert row["estimate"] * under == pytest.approx(over, abs=tolerance), name


@settings(max_examples=100, deadline=None)
@given(tables_of, st.sampled_from(["nominal", "ratio"]), st.sampled_from(METHODS))
def test_names_of_one_coefficient(table, scale, method):
    """Without weights AC2 is AC1; kappa_S is Conger's kappa: the same figures by every method."""
    rows, labels = table
    results = {
        row.pop("name"): row
        for row in run(rows, labels=labels, scale=scale, interval_method=method).iter_rows(named=True)
    }
    assert results["gwet_ac1"] == results["gwet_ac2"]
    assert results["conger_kappa"] == results["shah_kappa_s"]


@settings(max_examples=100, deadline=None)
@given(tables_of, st.integers(0, 2**32 - 1))
def test_order_of_the_raters_is_for_the_coefficients_of_two(table, seed):
    """With asymmetric weights the others take the mean of both orders: the same as with the symmetrised matrix."""
    rows, labels = table
    w = np.random.default_rng(seed).random((len(labels), len(labels)))
    np.fill_diagonal(w, 1)
    kept = [name not in ("cohen_kappa", "scott_pi", "light_kappa") for name in COEFFICIENTS]
    assert_close(
        run(rows, labels=labels, weights=w).filter(kept),
        run(rows, labels=labels, weights=(w + w.T) / 2).filter(kept),
    )


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
    for weights in (None, "linear"):
        whole = run(rows, scale=scale, weights=weights)
        jackknife = run(rows, scale=scale, weights=weights, interval_method="jackknife")
        for name, se, other in zip(whole["name"], whole["se"], jackknife["se"], strict=True):
            assert (se is None) == (other is None)
            # the ordinal metric is taken as given by the formula, the jackknife sees it vary
            assert se is None or se == pytest.approx(other, rel=0.08 if scale == "ordinal" else 0.04), name


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
    assert defined["name"].to_list() == [name for name, c in COEFFICIENTS.items() if not (c.two_raters or c.numeric)]
    # independent raters: every coefficient near its expectation
    for name, estimate in defined.select("name", "estimate").iter_rows():
        near = {"percent_agreement": 0.28, "brennan_prediger": 0.04, "gwet_ac1": 0.052, "gwet_ac2": 0.052}
        assert estimate == pytest.approx(near.get(name, 0.0), abs=0.01), name
