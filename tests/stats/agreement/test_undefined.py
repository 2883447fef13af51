"""Undefined and degenerate cases: null with a reason and a sentence, or a flag; never NaN, 0 or 1 by accident."""

import pytest

from stats.agreement import COEFFICIENTS, agreement
from stats.errors import StatsError
from stats.reasons import REASONS

CHANCE = [name for name, c in COEFFICIENTS.items() if c.chance]
MANY = [name for name, c in COEFFICIENTS.items() if not c.two_raters]


def rows(ratings_from, lines, **arguments):
    frame = ratings_from["raters"](lines)
    result = agreement(frame, **{"labels": ["A", "B"], **arguments})
    assert set(result["reason"].drop_nulls()) <= set(REASONS)
    return {row["name"]: row for row in result.iter_rows(named=True)}


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_perfect_agreement(name, ratings_from):
    row = rows(ratings_from, [list("AABB"), list("AABB")])[name]
    assert (row["estimate"], row["se"], row["low"], row["high"], row["p_value"]) == (1, 0, 1, 1, None)
    assert row["observed"] == 1
    assert row["reason"] is None
    assert row["detail"].startswith("Degenerate: every rating agrees")


@pytest.mark.parametrize("name", MANY)
def test_perfect_agreement_with_gaps_and_single_ratings(name, ratings_from):
    lines = [["A", "B", "A", None, "B"], ["A", "B", None, "A", None], ["A", None, "A", None, None]]
    row = rows(ratings_from, lines)[name]
    assert (row["estimate"], row["se"], row["low"], row["high"]) == (1, 0, 1, 1)
    assert row["detail"].startswith("Degenerate")


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_equal_disagreement_on_every_item_is_flagged(name, ratings_from):
    row = rows(ratings_from, [list("ABAB"), list("BABA")])[name]
    assert row["estimate"] <= 0
    assert row["se"] == 0
    assert row["low"] == row["high"] == row["estimate"]
    assert row["p_value"] is None
    assert row["detail"].startswith("Degenerate: all items agree to the same degree")


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_one_label_declared(name, ratings_from):
    row = rows(ratings_from, [list("AAAA"), list("AAAA")], labels=["A"])[name]
    assert row["observed"] == 1
    if name == "percent_agreement":  # has no chance term: defined
        assert (row["estimate"], row["se"]) == (1, 0)
        return
    assert (row["estimate"], row["reason"]) == (None, "zero_denominator")
    assert row["detail"] == "Only one label is declared, so that agreement by chance is certain."


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_one_of_two_declared_labels_used(name, ratings_from):
    row = rows(ratings_from, [list("AAAA"), list("AAAA")])[name]
    assert row["observed"] == 1
    if name in ("percent_agreement", "brennan_prediger", "gwet_ac1"):
        assert (row["estimate"], row["reason"]) == (1, None)
        return
    assert (row["estimate"], row["se"], row["reason"]) == (None, None, "zero_denominator")
    assert row["expected"] == pytest.approx(1)
    assert "expected agreement is 1" in row["detail"]


def test_kappa_of_a_constant_rater_is_zero_not_undefined(ratings_from):
    row = rows(ratings_from, [list("AAAA"), list("AABB")])["cohen_kappa"]
    assert row["estimate"] == pytest.approx(0, abs=1e-12)
    assert row["reason"] is None


@pytest.mark.parametrize("name", MANY)
def test_one_rater(name, ratings_from):
    row = rows(ratings_from, [list("ABAB")])[name]
    assert (row["estimate"], row["reason"]) == (None, "too_few_raters")
    assert row["detail"] == "Agreement needs at least 2 raters, found 1."
    assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (4, 1, 4)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_no_ratings_at_all(name, ratings_from):
    row = rows(ratings_from, [])[name]
    assert (row["estimate"], row["reason"]) == (None, "too_few_raters")
    assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (0, 0, 0)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_one_item_with_two_ratings(name, ratings_from):
    row = rows(ratings_from, [["A", "B", None], ["A", None, "B"]])[name]
    assert (row["estimate"], row["reason"], row["observed"]) == (None, "too_few_items", 1)
    assert row["detail"] == "Needs at least 2 items with two ratings or more, found 1."


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_no_item_with_two_ratings(name, ratings_from):
    row = rows(ratings_from, [["A", "B", None, None], [None, None, "B", "A"]])[name]
    assert (row["estimate"], row["reason"], row["observed"]) == (None, "too_few_items", None)


def test_two_rater_coefficients_with_three_raters(ratings_from):
    found = rows(ratings_from, [list("AABB"), list("ABBB"), list("ABAB")])
    for name in ("cohen_kappa", "scott_pi"):
        assert (found[name]["estimate"], found[name]["reason"]) == (None, "not_applicable")
        assert found[name]["detail"] == "Defined for 2 raters, found 3; see the pairs of raters."
    assert all(found[name]["reason"] is None for name in MANY)


def test_ac1_has_no_weights(ratings_from):
    lines = [list("AABB"), list("ABBB")]
    assert rows(ratings_from, lines, weights="linear")["gwet_ac1"]["reason"] == "not_applicable"
    assert rows(ratings_from, lines, weights="identity")["gwet_ac1"]["reason"] is None


def test_items_with_one_rating_stay_in_the_chance_terms_but_not_in_alpha(ratings_from):
    # agreement 2/3 on three items; label shares with the two single ratings .3/.5/.2: P_e = .09 + .25 + .04
    lines = [["A", "B", "A", "B", None], ["A", "B", "B", None, "C"]]
    found = rows(ratings_from, lines, labels=["A", "B", "C"])
    assert found["fleiss_kappa"]["expected"] == pytest.approx(0.3**2 + 0.5**2 + 0.2**2)
    assert found["fleiss_kappa"]["estimate"] == pytest.approx((2 / 3 - 0.38) / 0.62)
    # alpha: 6 pairable values, 3 A and 3 B, one disagreeing pair: 1 - (6 - 1) * 2 / (2 * 3 * 3)
    assert found["krippendorff_alpha"]["estimate"] == pytest.approx(1 - 5 * 2 / 18)
    assert found["krippendorff_alpha"]["detail"] == "From the 3 of 5 items that have two ratings or more."
    assert found["cohen_kappa"]["expected"] == pytest.approx(2 / 3 * 1 / 3 + 1 / 3 * 2 / 3)
    assert {row["n_items"] for row in found.values()} == {5}


def test_bad_arguments_are_named(ratings_from):
    lines = [list("AABB"), list("ABBB")]
    with pytest.raises(StatsError, match="The scale must be one of nominal, ordinal, interval, ratio, found 'ratings'"):
        rows(ratings_from, lines, scale="ratings")
    with pytest.raises(StatsError, match=r"Coefficients must be a list of names from .*, found 'kappa'"):
        rows(ratings_from, lines, coefficients=["kappa"])
    with pytest.raises(StatsError, match="found 'fleiss_kappa'"):
        rows(ratings_from, lines, coefficients="fleiss_kappa")
    for confidence in (0, 1, 95, -0.5, float("nan")):
        with pytest.raises(StatsError, match=r"The confidence must lie between 0 and 1, found .*\. Pass 0.95 for 95 %"):
            rows(ratings_from, lines, confidence=confidence)
    with pytest.raises(StatsError, match="Every label must be declared, found 'B' beside 'A', 'C'"):
        rows(ratings_from, lines, labels=["A", "C"])
