"""Differences of coefficients: against the jackknife, by hand, and between two frames of the same items."""

import math
import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement import COEFFICIENTS, agreement
from stats.agreement.count_tables import tables_of, without_raters
from stats.agreement.inference import resampling
from stats.agreement.inference.coefficient_comparison import SCHEMA, compare
from stats.agreement.inference.group_comparison import SCHEMA as GROUP_SCHEMA
from stats.agreement.inference.group_comparison import compare_groups
from stats.agreement.weights import label_setting
from stats.counts import distinct_raters, long_patterns
from stats.errors import StatsError
from stats.reasons import REASONS

LABELS = ["A", "B", "C"]
COLUMNS = {"item": pl.String, "rater": pl.String, "label": pl.String}
METHODS = ("percentile", "bca", "jackknife")
NUMBERS = ("difference", "se", "low", "high", "p_value")


def frame(rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


def sample(n, n_raters=3, right=0.7, seed=1, share=0.8, name="r"):
    """Items with a true label that raters give with the probability `right`, some ratings missing."""
    chance, truth = random.Random(seed), random.Random(99)
    rows = []
    for i in range(n):
        true = truth.choice("AAABC")
        for g in range(n_raters):
            label = true if chance.random() < right else chance.choice(LABELS)
            if chance.random() < share:
                rows.append((f"{i:04}", f"{name}{g}", label))
    return frame(rows)


def row_of(result, schema=SCHEMA):
    assert result.schema == schema
    row = result.row(0, named=True)
    assert all(row[column] is None or math.isfinite(row[column]) for column in NUMBERS), row
    assert row["reason"] is None or (row["reason"] in REASONS and row["detail"] and row["difference"] is None), row
    return row


# two coefficients of the same ratings


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("fleiss_kappa", "gwet_ac1"),  # both by counts
        ("conger_kappa", "fleiss_kappa"),  # one knows the raters
        ("conger_kappa", "light_kappa"),  # both do
        ("krippendorff_alpha", "light_kappa"),
    ],
)
def test_bootstrap_and_jackknife_agree(first, second):
    ratings, chosen = sample(600), {"labels": LABELS, "first": first, "second": second}
    drawn = row_of(compare(ratings, replicates=2000, seed=5, **chosen))
    left_out = row_of(compare(ratings, interval_method="jackknife", **chosen))
    estimates = agreement(ratings, labels=LABELS, coefficients=[first, second])["estimate"]
    for row in (drawn, left_out):
        assert [row["estimate_first"], row["estimate_second"]] == pytest.approx(estimates.to_list(), abs=1e-12)
        assert row["difference"] == pytest.approx(estimates[0] - estimates[1], abs=1e-12)
        assert (row["n_items"], row["n_undefined"]) == (ratings["item"].n_unique(), 0)
    assert drawn["se"] == pytest.approx(left_out["se"], rel=0.06)
    assert [drawn["low"], drawn["high"]] == pytest.approx([left_out["low"], left_out["high"]], abs=0.5 * drawn["se"])


@pytest.mark.parametrize("cells", [2_000_000, 4_000])  # all replicates at once, and in blocks
@pytest.mark.parametrize("names", [("conger_kappa", "fleiss_kappa"), ("light_kappa", "conger_kappa")])
def test_one_seed_draws_the_same_items_for_every_coefficient(names, cells, monkeypatch):
    """The difference of two bootstraps is the bootstrap of the difference, also if only one knows the raters."""
    monkeypatch.setattr(resampling, "MAX_CELLS", cells)
    ratings, setting = sample(200), label_setting(LABELS, "nominal", None)
    tables = tables_of(long_patterns(ratings, labels=LABELS, raters=distinct_raters(ratings)))
    first, second = (
        resampling.bootstrap(
            lambda some, c=COEFFICIENTS[name]: c.compute(some, setting).estimate,
            tables if COEFFICIENTS[name].by_rater else without_raters(tables),
            500,
            7,
        )
        for name in names
    )
    row = row_of(compare(ratings, labels=LABELS, first=names[0], second=names[1], replicates=500, seed=7))
    assert row["se"] == pytest.approx((first - second).std(ddof=1), abs=1e-12)
    assert [row["low"], row["high"]] == pytest.approx(np.quantile(first - second, [0.025, 0.975]).tolist(), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_difference_that_is_a_multiple_of_percent_agreement(method):
    # BP = (P_a - 1/3) / (2/3), hence P_a - BP = (1 - P_a) / 2: half the standard error of P_a
    ratings, chosen = sample(150), {"labels": LABELS, "interval_method": method, "seed": 2}
    alone = agreement(ratings, coefficients=["percent_agreement"], **chosen).row(0, named=True)
    row = row_of(compare(ratings, first="percent_agreement", second="brennan_prediger", **chosen))
    assert row["difference"] == pytest.approx((1 - alone["estimate"]) / 2)
    assert row["se"] == pytest.approx(alone["se"] / 2)
    if method != "bca":
        assert [row["low"], row["high"]] == pytest.approx([(1 - alone["high"]) / 2, (1 - alone["low"]) / 2])


def test_what_is_said_of_a_plain_difference():
    ratings = sample(80)
    chosen = {"labels": LABELS, "first": "gwet_ac1", "second": "fleiss_kappa"}
    row = row_of(compare(ratings, replicates=300, confidence=0.9, **chosen))
    named = ("first", "second", "interval_method", "confidence", "replicates", "n_undefined", "reason", "detail")
    assert [row[name] for name in named] == ["gwet_ac1", "fleiss_kappa", "percentile", 0.9, 300, 0, None, None]
    assert row["low"] < row["difference"] < row["high"]
    assert row["p_value"] == pytest.approx(2 / 301)  # all replicates on one side: what 300 of them can say
    other = row_of(compare(ratings, labels=LABELS, first="fleiss_kappa", second="gwet_ac1", replicates=300))
    assert (other["difference"], other["se"]) == (-row["difference"], pytest.approx(row["se"]))
    assert row_of(compare(ratings, interval_method="jackknife", **chosen))["replicates"] is None


def test_the_same_seed_and_any_row_order_give_the_same():
    ratings = sample(60)
    chosen = {"labels": LABELS, "first": "conger_kappa", "second": "gwet_ac1", "replicates": 200, "seed": 4}
    result = compare(ratings, **chosen)
    assert compare(ratings.sample(fraction=1, shuffle=True, seed=1), **chosen).equals(result)
    assert compare(ratings, **{**chosen, "seed": 5})["se"][0] != result["se"][0]


def test_weights_and_scale_are_for_both():
    chosen = {"scale": "ordinal", "weights": "linear", "labels": LABELS}
    row = row_of(compare(sample(60), first="gwet_ac2", second="fleiss_kappa", replicates=100, **chosen))
    estimates = agreement(sample(60), coefficients=["gwet_ac2", "fleiss_kappa"], **chosen)["estimate"]
    assert row["difference"] == pytest.approx(estimates[0] - estimates[1])


@pytest.mark.parametrize("method", METHODS)
def test_a_difference_that_nothing_changes(method):
    chosen = {"interval_method": method, "replicates": 100}
    for first, second in (("gwet_ac1", "gwet_ac2"), ("conger_kappa", "shah_kappa_s")):
        row = row_of(compare(sample(30), labels=LABELS, first=first, second=second, **chosen))
        assert [row[column] for column in NUMBERS] == [0, 0, 0, 0, None]
        assert row["detail"].startswith("Degenerate: the difference is the same ")
    perfect = frame([(str(i), rater, label) for i, label in enumerate("ABCAB") for rater in "xyz"])
    row = row_of(compare(perfect, labels=LABELS, first="gwet_ac1", second="percent_agreement", **chosen))
    assert [row[column] for column in NUMBERS] == [0, 0, 0, 0, None]


def test_replicates_without_a_difference_are_counted():
    # one item of the four differs: without it every rating is A, and kappa is undefined
    ratings = frame([(str(i), rater, "A") for i in range(3) for rater in "xy"] + [("4", "x", "A"), ("4", "y", "B")])
    chosen = {"labels": LABELS, "first": "gwet_ac1", "second": "fleiss_kappa"}
    row = row_of(compare(ratings, **chosen))
    assert row["n_undefined"] / 1000 == pytest.approx(0.75**4, abs=0.05)
    assert row["detail"] == (
        f"Undefined for {row['n_undefined'] / 1000:.2%} of the replicates, which are not counted in the errors."
    )
    row = row_of(compare(ratings, interval_method="jackknife", **chosen))
    assert row["n_undefined"] == 1
    assert row["detail"].startswith("Undefined for 25.00% of the items left out")


@pytest.mark.parametrize(
    ("rows", "labels", "second", "reason", "sentence"),
    [
        ([], LABELS, "fleiss_kappa", "too_few_raters", "gwet_ac1: Agreement needs at least 2 raters, found 0. fleiss"),
        ([("1", "x", "A")], LABELS, "fleiss_kappa", "too_few_raters", "found 1."),
        ([("1", "x", "A"), ("1", "y", "A")], LABELS, "fleiss_kappa", "too_few_items", "two ratings or more, found 1."),
        (
            [(i, r, "A") for i in "12" for r in "xy"],
            LABELS,
            "fleiss_kappa",
            "zero_denominator",
            "fleiss_kappa: The exp",
        ),
        ([(i, r, "A") for i in "12" for r in "xy"], ["A"], "fleiss_kappa", "zero_denominator", "Only one label"),
        ([(i, r, "A") for i in "12" for r in "xyz"], LABELS, "cohen_kappa", "not_applicable", "cohen_kappa: Defined"),
    ],
)
def test_undefined(rows, labels, second, reason, sentence):
    row = row_of(compare(frame(rows), labels=labels, first="gwet_ac1", second=second))
    assert row["reason"] == reason
    assert sentence in row["detail"]
    assert [row[column] for column in NUMBERS] == [None] * 5
    assert row["estimate_second"] is None


def test_bad_arguments_are_named():
    ratings, chosen = sample(10), {"labels": LABELS, "first": "gwet_ac1", "second": "fleiss_kappa"}
    for arguments, message in (
        ({"second": "gwet_ac1"}, "Two different coefficients can be compared, found 'gwet_ac1' twice"),
        ({"second": "kappa"}, "found 'kappa'"),
        (
            {"interval_method": "t"},
            "The interval method of a difference must be one of percentile, bca, jackknife, fou",
        ),
        ({"replicates": 10}, "The replicates must be a whole number from 100"),
        ({"seed": -1}, "The seed must be"),
        ({"confidence": 95}, "The confidence must lie between 0 and 1"),
        ({"labels": ["A"]}, "Every label must be declared"),
        ({"weights": "heavy"}, "The weights must be one of"),
    ):
        with pytest.raises(StatsError, match=message):
            compare(ratings, **{**chosen, **arguments})
    for arguments, message in (
        ({"coefficient": "kappa"}, "found 'kappa'"),
        ({"names": ["one", "one"]}, "The two frames need two different names"),
        ({"names": "ab"}, "The two frames need two different names"),
        ({"interval_method": "normal"}, "The interval method of a difference"),
    ):
        with pytest.raises(StatsError, match=message):
            compare_groups(ratings, ratings, labels=LABELS, **arguments)
    twice = pl.concat([ratings, ratings])
    with pytest.raises(StatsError, match="A rater labels an item once, found rater 'second: r"):
        compare_groups(ratings, twice, labels=LABELS)


# one coefficient of two frames


def test_percent_agreement_of_two_pairs_of_raters_by_hand():
    # of 10 items the first pair agrees on 1-8, the second on 1-5 and 9: differences d = 0 (5 times), 1 (3 times),
    # -1 (item 9), 0 (item 10): mean .2, sum of squares 4, se^2 = (4 / 10 - .04) / 9 = .04
    agree = {"one": {0, 1, 2, 3, 4, 5, 6, 7}, "two": {0, 1, 2, 3, 4, 8}}
    first, second = (
        frame([(str(i), rater, "A" if i in same or rater == "x" else "B") for i in range(10) for rater in "xy"])
        for same in agree.values()
    )
    chosen = {"labels": ["A", "B"], "coefficient": "percent_agreement", "names": list(agree)}
    row = row_of(compare_groups(first, second, interval_method="jackknife", **chosen), GROUP_SCHEMA)
    assert [row["coefficient"], row["first"], row["second"]] == ["percent_agreement", "one", "two"]
    assert [row["estimate_first"], row["estimate_second"], row["difference"]] == pytest.approx([0.8, 0.6, 0.2])
    assert row["se"] == pytest.approx(0.2)
    assert (row["n_items"], row["n_common"]) == (10, 10)
    # resampling divides by n, not n - 1: .2 * sqrt(.9)
    drawn = row_of(compare_groups(first, second, replicates=4000, **chosen), GROUP_SCHEMA)
    assert drawn["se"] == pytest.approx(0.2 * math.sqrt(0.9), rel=0.05)


@pytest.mark.parametrize("coefficient", ["krippendorff_alpha", "gwet_ac1", "conger_kappa", "light_kappa"])
def test_groups_bootstrap_and_jackknife_agree(coefficient):
    first, second = sample(500), sample(450, n_raters=4, right=0.8, seed=2, name="s")
    chosen = {"labels": LABELS, "coefficient": coefficient}
    drawn = row_of(compare_groups(first, second, replicates=1500, **chosen), GROUP_SCHEMA)
    left_out = row_of(compare_groups(first, second, interval_method="jackknife", **chosen), GROUP_SCHEMA)
    assert drawn["se"] == pytest.approx(left_out["se"], rel=0.08)
    for row in (drawn, left_out):
        for which, ratings in (("first", first), ("second", second)):
            alone = agreement(ratings, labels=LABELS, coefficients=[coefficient])["estimate"][0]
            assert row[f"estimate_{which}"] == pytest.approx(alone, abs=1e-12)
        items = [set(ratings["item"]) for ratings in (first, second)]
        assert (row["n_items"], row["n_common"]) == (len(items[0] | items[1]), len(items[0] & items[1]))


def test_pairing_pays_where_items_are_hard_for_both():
    """The same raters twice: of independent frames the variance would be the sum of both."""
    first = sample(300, right=0.75)
    chance = random.Random(3)
    again = frame([(i, r, label if chance.random() < 0.95 else chance.choice(LABELS)) for i, r, label in first.rows()])
    row = row_of(compare_groups(first, again, labels=LABELS, interval_method="jackknife"), GROUP_SCHEMA)
    apart = [
        agreement(ratings, labels=LABELS, coefficients=["krippendorff_alpha"], interval_method="jackknife")["se"][0]
        for ratings in (first, again)
    ]
    assert row["se"] < 0.7 * math.hypot(*apart)


def test_items_of_one_frame_only_are_independent():
    first, second = sample(300), sample(200, seed=2).with_columns(pl.col("item") + " other")
    chosen = {"labels": LABELS, "coefficient": "fleiss_kappa", "interval_method": "jackknife"}
    row = row_of(compare_groups(first, second, **chosen), GROUP_SCHEMA)
    assert row["n_common"] == 0
    apart = [
        agreement(ratings, labels=LABELS, coefficients=["fleiss_kappa"], interval_method="jackknife")["se"][0]
        for ratings in (first, second)
    ]
    assert row["se"] == pytest.approx(math.hypot(*apart), rel=0.01)


ratings_of = st.dictionaries(st.tuples(st.integers(0, 7), st.sampled_from("xyz")), st.sampled_from(LABELS)).map(
    lambda given: frame([(str(i), rater, label) for (i, rater), label in given.items()])
)


@settings(max_examples=60, deadline=None)
@given(ratings_of, ratings_of, st.sampled_from(list(COEFFICIENTS)), st.sampled_from(METHODS))
def test_what_holds_of_any_two_frames(first, second, coefficient, method):
    chosen = {"labels": LABELS, "coefficient": coefficient, "interval_method": method, "replicates": 100}
    row = row_of(compare_groups(first, second, **chosen), GROUP_SCHEMA)
    estimates = [
        agreement(ratings, labels=LABELS, coefficients=[coefficient])["estimate"][0] for ratings in (first, second)
    ]
    for which, estimate in zip(("first", "second"), estimates, strict=True):
        assert row[f"estimate_{which}"] == (None if estimate is None else pytest.approx(estimate, abs=1e-9))
    assert (row["reason"] is None) == (None not in estimates)
    if row["reason"] is None and row["se"] is not None:
        assert row["low"] <= row["high"]
        assert row["p_value"] is None or 0 <= row["p_value"] <= 1
        swapped = row_of(compare_groups(second, first, **{**chosen, "interval_method": "jackknife"}), GROUP_SCHEMA)
        assert swapped["difference"] == pytest.approx(-row["difference"], abs=1e-12)
        if method == "jackknife":
            assert swapped["se"] == (None if row["se"] is None else pytest.approx(row["se"], abs=1e-9))


@settings(max_examples=40, deadline=None)
@given(ratings_of, st.permutations(["conger_kappa", "fleiss_kappa", "gwet_ac1", "light_kappa", "percent_agreement"]))
def test_what_holds_of_any_two_coefficients(ratings, names):
    row = row_of(compare(ratings, labels=LABELS, first=names[0], second=names[1], replicates=100))
    estimates = agreement(ratings, labels=LABELS, coefficients=names[:2])["estimate"].to_list()
    assert (row["difference"] is None) == (None in estimates)
    assert [row["estimate_first"], row["estimate_second"]] == estimates
    if row["se"] is not None:
        assert row["low"] <= row["high"]
        assert (row["p_value"] is None) == (row["se"] == 0)


def test_an_empty_frame_and_frames_of_other_types():
    first = sample(20)
    empty = row_of(compare_groups(first, first.clear(), labels=LABELS), GROUP_SCHEMA)
    assert (empty["reason"], empty["estimate_second"], empty["n_common"]) == ("too_few_raters", None, 0)
    assert empty["detail"] == "second: Agreement needs at least 2 raters, found 0."
    lazy = sample(20, seed=2).lazy().with_columns(pl.col("item").cast(pl.Int64))
    numbered = first.with_columns(pl.col("item").cast(pl.Int64))
    assert row_of(compare_groups(numbered, lazy, labels=LABELS, replicates=100), GROUP_SCHEMA)["n_common"] > 10
