"""Undefined and degenerate cases: null with a reason and a sentence, or a flag; never NaN, 0 or 1 by accident.

Every coefficient goes through every case. The labels are 1 and 2 on an interval scale, so that the ICCs apply too.
"""

import math

import pytest

from stats.agreement import COEFFICIENTS, agreement
from stats.errors import StatsError
from stats.reasons import REASONS

METHODS = ("t", "normal", "jackknife", "percentile", "bca")
ICC = ["icc1", "icc2", "icc3", "icc1k", "icc2k", "icc3k"]
TWO_RATERS = ["bangdiwala_b", "cohen_kappa", "scott_pi", "yule_y", "information_agreement"]
UNWEIGHTED = ["bangdiwala_b", "yule_y", "gwet_ac1", "information_agreement", "shah_kappa_s", *ICC]
MANY = [name for name in COEFFICIENTS if name not in TWO_RATERS]
# those with an expected agreement, which is 1 where one label is used throughout
KAPPAS = [
    "cohen_kappa",
    "scott_pi",
    "fleiss_kappa",
    "conger_kappa",
    "light_kappa",
    "krippendorff_alpha",
    "shah_kappa_s",
]
NUMBERS = ("estimate", "se", "low", "high", "p_value", "observed", "expected")


def rows(ratings_from, lines, **arguments):
    """Rows by name of lines like 12.1, one for each rater, . = not rated."""
    lines = [[None if label == "." else label for label in line] for line in lines]
    frame = ratings_from["raters"](lines)
    result = agreement(frame, **{"labels": ["1", "2"], "scale": "interval", **arguments})
    assert set(result["reason"].drop_nulls()) <= set(REASONS)
    results = {row["name"]: row for row in result.iter_rows(named=True)}
    for row in results.values():
        assert all(row[column] is None or math.isfinite(row[column]) for column in NUMBERS), row
        assert (row["estimate"] is None) == (row["reason"] is not None), row
        assert row["reason"] is None or row["detail"], row
    return results


def undefined(row):
    assert [row[column] for column in ("estimate", "se", "low", "high", "p_value")] == [None] * 5
    return row["reason"]


def test_the_lists_above_are_complete():
    assert [name for name, c in COEFFICIENTS.items() if c.two_raters] == TWO_RATERS
    assert [name for name, c in COEFFICIENTS.items() if not c.weighted] == UNWEIGHTED
    assert [name for name, c in COEFFICIENTS.items() if c.numeric] == ICC


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", COEFFICIENTS)
def test_perfect_agreement(name, method, ratings_from):
    chosen = {"coefficients": [name], "interval_method": method, "replicates": 100}
    row = rows(ratings_from, ["1122", "1122"], **chosen)[name]
    assert (row["estimate"], row["se"], row["low"], row["high"], row["p_value"]) == (1, 0, 1, 1, None)
    assert row["observed"] == (None if name in ICC else 1)
    assert row["detail"].startswith("Degenerate: ")
    assert name in ICC or row["detail"].startswith("Degenerate: every rating agrees")


@pytest.mark.parametrize("name", MANY)
def test_perfect_agreement_with_gaps_and_single_ratings(name, ratings_from):
    row = rows(ratings_from, ["121.2", "12.1.", "121.."])[name]
    assert (row["estimate"], row["se"], row["low"], row["high"], row["p_value"]) == (1, 0, 1, 1, None)
    assert "Degenerate: " in row["detail"]


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_equal_disagreement_on_every_item_is_flagged(name, ratings_from):
    row = rows(ratings_from, ["1212", "2121"])[name]
    if name in ("icc1k", "icc2k", "icc3k"):  # all items have the same mean
        assert undefined(row) == "zero_denominator"
        assert "no variance" in row["detail"]
        return
    # each rater's label tells the other's, though they never agree
    assert row["estimate"] == 1 if name == "information_agreement" else row["estimate"] <= 0
    assert row["se"] == 0
    assert row["low"] == row["high"] == row["estimate"]
    assert row["p_value"] is None
    without_formula = name in ("yule_y", "information_agreement", *ICC)
    why = "the estimate is the same whichever item is left out" if without_formula else "the formula gives a"
    assert row["detail"].startswith(f"Degenerate: {why}")


@pytest.mark.field_trial(4)
@pytest.mark.parametrize("method", METHODS)
def test_one_without_agreement_is_as_uncertain_as_any_other_value(method, ratings_from):
    """Items (1, 2), (1, 2), (3, 1): a rater's label tells the other's, though they never agree; without the third item
    it is 1 - 1/3."""
    chosen = {"coefficients": ["information_agreement"], "labels": ["1", "2", "3"], "replicates": 1000}
    row = rows(ratings_from, ["113", "221"], **chosen, interval_method=method)["information_agreement"]
    assert (row["estimate"], row["observed"], row["high"]) == (1, 0, 1)
    assert row["se"] > 0.1
    assert row["low"] < 0.7
    assert "Degenerate" not in (row["detail"] or "")
    if method not in ("percentile", "bca"):
        values = [1, 1, 2 / 3]
        mean = sum(values) / 3
        assert row["se"] == pytest.approx(math.sqrt(2 / 3 * sum((value - mean) ** 2 for value in values)))


@pytest.mark.field_trial(4)
@pytest.mark.parametrize("method", METHODS)
def test_no_sentence_says_that_no_item_changes_what_all_items_change(method, ratings_from):
    """3 x (1, 2) and 3 x (2, 1): kappa is -1, and -.923 without any one item."""
    chosen = {"coefficients": ["cohen_kappa"], "interval_method": method, "replicates": 1000}
    row = rows(ratings_from, ["111222", "222111"], **chosen)["cohen_kappa"]
    without = rows(ratings_from, ["11222", "22111"], **chosen)["cohen_kappa"]
    assert row["estimate"] == -1
    assert without["estimate"] == pytest.approx(-0.923, abs=5e-4)
    assert "no item changes" not in (row["detail"] or "")
    if method in ("t", "normal"):
        assert "the formula gives a standard error of 0 for these ratings" in row["detail"]
    elif method == "jackknife":
        assert "the estimate is the same whichever item is left out" in row["detail"]
    else:
        assert row["se"] > 0.1


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_one_label_declared(name, ratings_from):
    row = rows(ratings_from, ["1111", "1111"], labels=["1"])[name]
    if name in ("percent_agreement", "bangdiwala_b"):  # not corrected for chance: defined
        assert (row["estimate"], row["se"]) == (1, 0)
    elif name == "yule_y":
        assert undefined(row) == "not_applicable"
        assert row["detail"] == "Defined for 2 labels, found 1 declared."
    else:
        assert undefined(row) == "zero_denominator"
        assert row["observed"] == (None if name in ICC else 1)
        without = (*ICC, "information_agreement", "gwet_ac1", "gwet_ac2")  # AC1 divides by the number of labels - 1
        assert row["expected"] == (None if name in without else 1)
        about_chance = "Only one label is known, so agreement by chance is certain. Declare all labels that there are."
        assert (row["detail"] == about_chance) == (name not in ICC)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_one_of_two_declared_labels_used(name, ratings_from):
    row = rows(ratings_from, ["1111", "1111"])[name]
    assert row["observed"] == (None if name in ICC else 1)
    if name in KAPPAS:
        assert undefined(row) == "zero_denominator"
        assert row["expected"] == pytest.approx(1)
        assert "expected agreement is 1" in row["detail"] or name == "light_kappa"
    elif name == "yule_y" or name in ICC:
        assert undefined(row) == "zero_denominator"
    else:
        assert row["estimate"] == (0.5 if name == "information_agreement" else 1)
        assert (row["se"], row["reason"]) == (0, None)


def test_kappa_of_a_constant_rater_is_zero_not_undefined(ratings_from):
    table = rows(ratings_from, ["1111", "1122"])
    for name in ("cohen_kappa", "conger_kappa", "light_kappa", "shah_kappa_s", "information_agreement"):
        assert table[name]["estimate"] == pytest.approx(0, abs=1e-12)
        assert table[name]["reason"] is None


@pytest.mark.parametrize("method", METHODS)
def test_one_rater(method, ratings_from):
    for row in rows(ratings_from, ["1212"], interval_method=method).values():
        assert undefined(row) == "too_few_raters"
        assert row["detail"] == "Agreement needs at least 2 raters, found 1."
        assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (4, 1, 4)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_no_ratings_at_all(scale, method, ratings_from):
    for row in rows(ratings_from, [], scale=scale, interval_method=method, population=10).values():
        assert undefined(row) == "too_few_raters"
        assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (0, 0, 0)


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("lines", [["1", "1"], ["12.", "1.2"]])
def test_one_item_with_two_ratings(lines, name, ratings_from):
    row = rows(ratings_from, lines)[name]
    assert undefined(row) == "too_few_items"
    assert row["observed"] == (None if name in ICC else 1)
    needed = "every rater rated" if name in ICC else "with two ratings or more, found 1"
    assert row["detail"].startswith("Needs at least 2 items ")
    assert needed in row["detail"]


@pytest.mark.parametrize("method", METHODS)
def test_no_item_with_two_ratings(method, ratings_from):
    for row in rows(ratings_from, ["12..", "..21"], interval_method=method).values():
        assert (undefined(row), row["observed"]) == ("too_few_items", None)


def test_two_rater_coefficients_with_three_raters(ratings_from):
    table = rows(ratings_from, ["1122", "1222", "1212"])
    for name in TWO_RATERS:
        assert undefined(table[name]) == "not_applicable"
        assert table[name]["detail"] == "Defined for 2 raters, found 3; see the pairs of raters."
    assert all(table[name]["reason"] is None for name in MANY)


def test_yule_y_needs_two_labels(ratings_from):
    row = rows(ratings_from, ["1122", "1221"], labels=["1", "2", "3"])["yule_y"]
    assert undefined(row) == "not_applicable"
    assert row["detail"] == "Defined for 2 labels, found 3 declared."


@pytest.mark.parametrize(
    ("table", "estimate"),
    [
        ([[10, 0], [3, 7]], None),  # the odds ratio is infinite, and the raters differ
        ([[10, 3], [0, 7]], None),
        ([[10, 0], [0, 7]], 1),  # they agree throughout
        ([[10, 0], [0, 0]], None),
        ([[10, 2], [0, 0]], None),
        ([[0, 2], [3, 0]], -1),
        ([[0, 2], [3, 7]], -1),
        ([[0, 0], [3, 7]], None),
    ],
)
def test_yule_y_with_an_empty_cell(table, estimate, ratings_from):
    ratings = ratings_from["table"](table, ["1", "2"])
    row = agreement(ratings, labels=["1", "2"], coefficients=["yule_y"]).row(0, named=True)
    assert row["estimate"] == estimate
    if estimate is None:
        assert row["reason"] == "zero_denominator"
        assert row["detail"].endswith("a cell of the raters' table is empty.")


@pytest.mark.parametrize("n", [3, 30])
def test_yule_y_where_a_cell_holds_one_item(n, ratings_from):
    """Without that item the odds ratio is infinite: the jackknife goes without it, and says so."""
    ratings = ratings_from["table"]([[n, 1], [2, n]], ["1", "2"])
    row = agreement(ratings, labels=["1", "2"], coefficients=["yule_y"]).row(0, named=True)
    assert row["se"] > 0
    assert row["interval_method"] == "jackknife"
    share = f"{1 / (2 * n + 3):.2%}"
    assert row["detail"] == f"Undefined for {share} of the items left out, which are not counted in the errors."


def test_bangdiwala_b_of_raters_who_share_no_label(ratings_from):
    row = rows(ratings_from, ["1111", "2222"])["bangdiwala_b"]
    assert (undefined(row), row["observed"]) == ("zero_denominator", 0)
    assert row["detail"] == "No label was used by both raters."


@pytest.mark.parametrize(
    ("table", "limit"),
    [
        ([[4, 6], [0, 0]], 0),  # one row: 1 - 2 columns / 2
        ([[4, 0], [6, 0]], 0),
        ([[10, 0], [0, 0]], 0.5),  # one cell
        ([[0, 10], [0, 0]], 0.5),
        ([[3, 4, 0], [0, 0, 0], [0, 0, 0]], 1 / 3),
        ([[3, 4, 1], [0, 0, 0], [0, 0, 0]], 0),
        ([[3, 0, 0], [4, 0, 0], [3, 0, 0]], 0),
        ([[10, 0, 0], [0, 0, 0], [0, 0, 0]], 2 / 3),
        ([[25, 25], [25, 25]], 0),
        ([[0, 5], [4, 0]], 1),
    ],
)
def test_limits_of_information_agreement(table, limit, ratings_from):
    labels = ["A", "B", "C"][: len(table)]
    ratings = ratings_from["table"](table, labels)
    for method in METHODS:
        chosen = {"coefficients": ["information_agreement"], "interval_method": method, "replicates": 100}
        row = agreement(ratings, labels=labels, **chosen).row(0, named=True)
        assert row["estimate"] == pytest.approx(limit, abs=1e-12)
        assert row["reason"] is None
        assert 0 <= row["low"] <= row["high"] <= 1
        assert row["p_value"] is None


@pytest.mark.parametrize("scale", ["nominal", "ordinal"])
def test_icc_needs_numbers(scale, ratings_from):
    table = rows(ratings_from, ["1122", "1222"], scale=scale)
    for name in ICC:
        assert undefined(table[name]) == "not_applicable"
        assert table[name]["detail"] == f"Defined for labels that are numbers: scale interval or ratio, found {scale}."
    assert rows(ratings_from, ["1122", "1222"], scale="ratio")["icc1"]["reason"] is None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("lines", [["12.", "1.2", ".21"], ["122", "12.", "1.2"]])
def test_icc_without_two_complete_items(lines, method, ratings_from):
    table = rows(ratings_from, lines, interval_method=method)
    for name in ICC:
        assert undefined(table[name]) == "too_few_items"
        assert table[name]["detail"] == "Needs at least 2 items that every rater rated, of 3 with two ratings."
    assert table["fleiss_kappa"]["reason"] is None


def test_icc_says_how_many_items_every_rater_rated(ratings_from):
    row = rows(ratings_from, ["1122.", "12221", "11221"])["icc2"]
    assert row["reason"] is None
    assert row["detail"] == "From the 4 of 5 items that every rater rated."


@pytest.mark.parametrize("method", METHODS)
def test_icc_without_variance(method, ratings_from):
    alike = rows(ratings_from, ["1111", "1111"], interval_method=method)
    for name in ICC:
        assert undefined(alike[name]) == "zero_denominator"
        assert "no variance" in alike[name]["detail"]
    # the raters differ always by 1, the items not at all: absolute agreement is defined
    apart = rows(ratings_from, ["1111", "2222"], interval_method=method)
    assert [apart[name]["estimate"] for name in ICC] == [-1, 0, None, None, 0, None]


def test_icc2k_beyond_its_pole_is_undefined(ratings_from):
    """ICC(2,1) can fall below -1/(r - 1), where the formula of ICC(2,k) comes out above 1."""
    table = rows(ratings_from, ["1212", "2121"])
    assert table["icc2"]["estimate"] == pytest.approx(-2)
    assert undefined(table["icc2k"]) == "zero_denominator"


def test_icc2_whose_interval_has_next_to_no_degrees_of_freedom(ratings_from):
    """Satterthwaite's formula gives nearly 0 here, where F would be infinite: they are never below r - 1."""
    row = rows(ratings_from, ["211", "122"])["icc2"]
    assert (row["interval_method"], row["reason"]) == ("F", None)
    assert row["low"] <= row["estimate"] <= row["high"]


def test_light_kappa_leaves_out_pairs_without_a_kappa(ratings_from):
    # raters 1 and 2 have kappa 1/2; the third used one label as the others did on these items: no kappa
    table = rows(ratings_from, ["1122....", "1222....", "1......."])
    row = table["light_kappa"]
    assert row["estimate"] == pytest.approx(0.5)
    assert row["observed"] == pytest.approx(0.75)
    assert "without one: 2" in row["detail"]
    # no pair at all: the agreement stands beside the null
    row = rows(ratings_from, ["11.", "1.1", ".11"])["light_kappa"]
    assert undefined(row) == "zero_denominator"
    assert (row["observed"], row["expected"]) == (1, 1)
    assert row["detail"] == "No pair of raters has a kappa."


def test_coefficients_without_weights(ratings_from):
    lines = ["11221", "12212"]
    weighted, same = rows(ratings_from, lines, weights="linear"), rows(ratings_from, lines, weights="identity")
    for name in UNWEIGHTED:
        assert undefined(weighted[name]) == "not_applicable"
        assert weighted[name]["detail"] == "Defined without weights, found linear."
        assert same[name]["reason"] is None
    matrix = rows(ratings_from, lines, weights=[[1, 0.5], [0.5, 1]])
    assert matrix["gwet_ac1"]["detail"] == "Defined without weights, found custom."
    assert all(weighted[name]["reason"] is None for name in COEFFICIENTS if name not in UNWEIGHTED)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "lines",
    [
        ["12", "11"],
        ["12", "21"],
        ["12", "11", "22"],
        ["1112", "1112"],
        ["1112", "1121"],
        ["11112", "22221"],
        ["1.2.", ".12.", "1.2."],
        ["112.", "1.22", ".1.2"],
        ["111112", "111111"],
    ],
)
def test_few_ratings_give_a_figure_or_a_reason(lines, method, ratings_from):
    """`rows` checks that nothing is NaN. Where the errors cannot be had the estimate stands alone, and `detail` says
    so; without a lower end is only the ICC of a mean of raters."""
    for name, row in rows(ratings_from, lines, interval_method=method, replicates=100).items():
        if row["estimate"] is None:
            continue
        assert row["estimate"] <= 1
        if row["high"] is None:
            assert "There is no interval: too few values differ." in row["detail"], row
        elif row["low"] is None:
            assert "The interval has no lower end." in row["detail"], row
        if row["se"] is None:
            assert "Undefined for " in row["detail"], row
            continue
        assert row["se"] >= 0
        for low, high in ((row["low"], row["estimate"]), (row["estimate"], row["high"]), (row["high"], 1)):
            assert low is None or high is None or low <= high + 1e-12 or method in ("percentile", "bca"), row
        assert row["se"] > 0 or "Degenerate" in row["detail"]
        assert name in ICC or None not in (row["low"], row["high"])


def test_items_with_one_rating_stay_in_the_chance_terms_but_not_in_alpha(ratings_from):
    # agreement 2/3 on three items; label shares with the two single ratings .3/.5/.2: P_e = .09 + .25 + .04
    table = rows(ratings_from, ["ABAB.", "ABB.C"], labels=["A", "B", "C"], scale="nominal")
    assert table["fleiss_kappa"]["expected"] == pytest.approx(0.3**2 + 0.5**2 + 0.2**2)
    assert table["fleiss_kappa"]["estimate"] == pytest.approx((2 / 3 - 0.38) / 0.62)
    # alpha: 6 pairable values, 3 A and 3 B, one disagreeing pair: 1 - (6 - 1) * 2 / (2 * 3 * 3)
    assert table["krippendorff_alpha"]["estimate"] == pytest.approx(1 - 5 * 2 / 18)
    assert table["krippendorff_alpha"]["detail"] == "From the 3 of 5 items that have two ratings or more."
    assert table["cohen_kappa"]["expected"] == pytest.approx(2 / 3 * 1 / 3 + 1 / 3 * 2 / 3)
    assert {row["n_items"] for row in table.values()} == {5}


def test_bad_arguments_are_named(ratings_from):
    lines = ["AABB", "ABBB"]

    def refused(message, **arguments):
        with pytest.raises(StatsError, match=message):
            rows(ratings_from, lines, **{"labels": ["A", "B"], "scale": "nominal", **arguments})

    refused("The scale must be one of nominal, ordinal, interval, ratio, found 'ratings'", scale="ratings")
    refused(r"Coefficients must be a list of names from .*, found 'kappa'", coefficients=["kappa"])
    refused("found 'fleiss_kappa'", coefficients="fleiss_kappa")
    for confidence in (0, 1, 95, -0.5, float("nan")):
        refused(r"The confidence must lie between 0 and 1, found .*\. Pass 0.95 for 95 %", confidence=confidence)
    refused("Every label must be declared, found 'B' beside 'A', 'C'", labels=["A", "C"])
    refused("The interval method must be one of t, normal, jackknife, percentile, bca, found 'f'", interval_method="f")
    refused("The replicates must be a whole number from 100, found 99", replicates=99)
    refused("The replicates must be a whole number from 100, found 1000.0", replicates=1000.0)
    refused("The seed must be a whole number from 0, found -1", seed=-1)
    refused("The population must be a whole number from 1, found 0", population=0)
    refused(r"The population includes the items that were rated \(4\), found 3", population=3)
