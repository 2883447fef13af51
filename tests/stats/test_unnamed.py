"""Votes without names: what depends on names is null with a reason, the rest is what it is with any names."""

import polars as pl

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
