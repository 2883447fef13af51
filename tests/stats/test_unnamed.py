"""Votes without names: what depends on names is null with a reason, the rest is what it is with any names."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from stats.accuracy import (
    accuracy,
    alternative_annotator_raters,
    alternative_annotator_test,
    annotators,
    assumption_checks,
    better_than_raters,
    label_quality,
)
from stats.agreement import COEFFICIENTS, agreement, by_rater, pairwise, paradox

ITEMS = ["AAB", "ABB", "BBB", "AAA", "ABA", "BBA"]
LABELS = ["A", "B"]


def ratings(names: tuple[str, str, str]) -> pl.DataFrame:
    rows = [(str(i), name, label) for i, votes in enumerate(ITEMS) for name, label in zip(names, votes, strict=True)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


UNNAMED = ratings(("vote #1", "vote #2", "vote #3"))


def test_only_coefficients_that_need_no_names_have_a_figure() -> None:
    results = {row["name"]: row for row in agreement(UNNAMED, labels=LABELS).to_dicts()}
    named = {row["name"]: row for row in agreement(ratings(("a", "b", "c")), labels=LABELS).to_dicts()}
    assert list(results) == list(COEFFICIENTS)
    for name, coefficient in COEFFICIENTS.items():
        if coefficient.needs_names:
            assert (results[name]["estimate"], results[name]["reason"]) == (None, "unnamed_raters")
            assert results[name]["detail"]
        else:
            assert results[name] == named[name]
    assert results["fleiss_kappa"]["estimate"] is not None
    assert results["conger_kappa"]["estimate"] is None
    assert results["icc2"]["reason"] == "unnamed_raters"


def test_the_order_of_votes_changes_no_figure() -> None:
    shuffled = pl.concat(
        part.with_columns(rater=part["rater"].reverse() if int(item) % 2 else part["rater"])
        for (item,), part in UNNAMED.group_by("item")
    )
    whole = agreement(UNNAMED, labels=LABELS, scale="nominal")
    other = agreement(shuffled, labels=LABELS, scale="nominal")
    assert whole.equals(other)


def test_there_are_no_pairs_and_no_single_raters() -> None:
    assert pairwise(UNNAMED, labels=LABELS).is_empty()
    assert by_rater(UNNAMED, labels=LABELS).is_empty()


def test_there_is_no_bias_between_votes_without_names() -> None:
    result, named = (paradox(rated, labels=LABELS).to_dicts()[0] for rated in (UNNAMED, ratings(("a", "b", "c"))))
    assert (result["bias_index"], result["kappa"], result["reason"]) == (None, None, "unnamed_raters")
    assert result["prevalence_index"] == named["prevalence_index"]


def votes_and_system(*, in_order: bool) -> pl.DataFrame:
    """Return five votes on each of 300 items, right in .7, in the order of the labels or in a random one. The system is
    right in .8."""
    chance = np.random.default_rng(4)
    truth = chance.integers(0, 3, 300)

    def answers(right: float) -> np.ndarray:
        wrong = (truth + chance.integers(1, 3, 300)) % 3
        return np.where(chance.random(300) < right, truth, wrong)

    votes, system = np.array([answers(0.7) for _ in range(5)]).T, answers(0.8)
    if in_order:
        votes = np.sort(votes, axis=1)
    rows = [(str(i), f"vote #{j + 1}", "abc"[votes[i, j]]) for i in range(300) for j in range(5)]
    rows += [(str(i), "bot", "abc"[system[i]]) for i in range(300)]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


@pytest.fixture(scope="module")
def both() -> list[pl.DataFrame]:
    return [votes_and_system(in_order=in_order) for in_order in (False, True)]


def test_the_accuracy_of_a_system_does_not_depend_on_the_order_of_the_votes(both: list[pl.DataFrame]) -> None:
    methods = ["average", "one_coin", "dawid_skene"]
    result, other = (accuracy(rated, systems=["bot"], labels=["a", "b", "c"], methods=methods) for rated in both)
    assert_frame_equal(result, other)
    average, _, dawid_skene = result.to_dicts()
    assert average["accuracy"] == pytest.approx(0.8, abs=0.05)
    assert average["low"] < 0.8 < average["high"]
    assert (dawid_skene["accuracy"], dawid_skene["reason"]) == (None, "unnamed_raters")


def test_votes_have_an_accuracy_together_and_none_alone(both: list[pl.DataFrame]) -> None:
    people = [rated.filter(pl.col("rater") != "bot") for rated in both]
    result, other = (annotators(rated, labels=["a", "b", "c"]) for rated in people)
    assert (result.accuracy, result.low, result.high) == pytest.approx((other.accuracy, other.low, other.high))
    assert result.accuracy == pytest.approx(0.7, abs=0.03)
    assert other.raters.is_empty()
    assert (other.best, other.warnings) == (None, ())
    gold = pl.DataFrame({"item": [str(i) for i in range(40)], "label": ["a", "b"] * 20})
    audited = annotators(people[1], labels=["a", "b", "c"], gold=gold)
    assert audited.accuracy is not None
    assert audited.raters.is_empty()


def test_no_vote_is_the_best_rater_and_no_two_votes_are_alike(both: list[pl.DataFrame]) -> None:
    average, best = better_than_raters(both[1], systems=["bot"], labels=["a", "b", "c"]).to_dicts()
    assert average["difference"] == pytest.approx(0.1, abs=0.06)
    assert (best["rater"], best["difference"], best["reason"]) == (None, None, "unnamed_raters")
    checks = assumption_checks(both[1], labels=["a", "b", "c"], systems=["bot"], replicates=99)
    reasons = {row["name"]: row["reason"] for row in checks.to_dicts()}
    assert reasons == {"pairs": None, "adjacent": "not_applicable", "difficulty": None} | dict.fromkeys(
        ("raters", "copying", "alike"), "unnamed_raters"
    )
    assert checks.filter(name="copying")["system"].to_list() == ["bot"]


def test_no_vote_is_tested_against_a_system_or_has_figures_by_label(both: list[pl.DataFrame]) -> None:
    raters = alternative_annotator_raters(both[1], systems=["bot"], labels=["a", "b", "c"])
    assert set(raters["reason"]) == {"unnamed_raters"}
    assert raters["p_value"].null_count() == raters.height == 5
    (row,) = alternative_annotator_test(both[1], systems=["bot"], labels=["a", "b", "c"]).to_dicts()
    assert (row["passes"], row["winning_rate"], row["reason"]) == (None, None, "unnamed_raters")
    by_label = label_quality(both[1], systems=["bot"], labels=["a", "b", "c"])
    assert by_label["rater"].to_list() == ["bot"] * 3
