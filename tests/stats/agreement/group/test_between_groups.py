"""Two groups of raters."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement.group.between_groups import between_groups
from stats.agreement.overall import SCHEMA
from stats.errors import StatsError

ORACLE = Path(__file__).parents[5] / "shared" / "data" / "oracle" / "agreement_cases.json"
LABELS = ["1", "2", "3"]
COLUMNS = {"item": pl.String, "rater": pl.String, "label": pl.String}
LINEAR = [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]]

rows_of = st.dictionaries(
    st.tuples(st.integers(0, 9), st.sampled_from(["ann", "bob", "cy", "dee"])), st.sampled_from(LABELS), max_size=40
).map(lambda given: [(f"item {i}", rater, label) for (i, rater), label in given.items()])


def frame(rows):
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")


@pytest.mark.skipif(not ORACLE.exists(), reason=f"{ORACLE} is not there")
def test_published_kappa_of_two_groups(ratings_from):
    cases = json.loads(ORACLE.read_text("utf-8"))
    (case,) = [case for case in cases if case["measure"] == "vanbelle_albert"]
    row = between_groups(
        ratings_from["raters"](case["data"]),
        group=[f"r{g:03}" for g in case["options"]["group1"]],
        labels=[str(label) for label in case["options"]["categories"]],
        weights=case["options"]["weights"],
    ).row(0, named=True)
    # .72 is corrected for bias by the jackknife, ours is not; the tolerance is the oracle's
    assert row["estimate"] == pytest.approx(case["expected"]["estimate"], abs=case["tolerance"])
    assert row["estimate"] == pytest.approx(case["verified_by"]["own-formula"]["estimate_raw"], abs=1e-12)
    assert row["se"] == pytest.approx(case["expected"]["se"], abs=0.0005)
    assert (row["n_items"], row["n_raters"], row["n_ratings"]) == (34, 50, 1700)


@settings(max_examples=80, deadline=None)
@given(rows_of, st.sampled_from([None, LINEAR]))
def test_two_groups_by_the_definition(rows, weights):
    group = ["ann", "bob"]
    rows = [("first", "ann", "1"), ("second", "bob", "2"), ("third", "cy", "3"), *rows]
    raters = {rater for _, rater, _ in rows}
    row = between_groups(frame(rows), group=group, labels=LABELS, weights=weights).row(0, named=True)
    w = np.eye(3) if weights is None else np.array(weights)
    shares = []
    for item in sorted({item for item, _, _ in rows}):
        sides = [np.array([sum(i == item and (r in group) == side and a == j for i, r, a in rows) for j in LABELS])
                 for side in (True, False)]  # fmt: skip
        if all(side.sum() for side in sides):
            shares.append([side / side.sum() for side in sides])
    assert row["n_items"] == len(shares)
    if len(shares) < 2:
        assert row["reason"] == "too_few_items"
        return
    T = np.mean([a @ w @ b for a, b in shares])
    M = np.mean([max(a @ w @ a, b @ w @ b) for a, b in shares])
    E = np.mean([a for a, _ in shares], axis=0) @ w @ np.mean([b for _, b in shares], axis=0)
    if M - E < 1e-12:
        assert row["reason"] == "zero_denominator"
    else:
        assert row["estimate"] == pytest.approx((T - E) / (M - E), abs=1e-9)
        assert row["estimate"] <= 1
    other = between_groups(frame(rows), group=sorted(raters - set(group)), labels=LABELS, weights=weights)
    assert other["estimate"].to_list() == pytest.approx([row["estimate"]], abs=1e-12)


def test_bad_groups_are_named():
    rows = frame([(str(i), r, "12"[i > 1]) for i in range(4) for r in "xy"])
    for group in ("x", ["x", "z"]):
        with pytest.raises(StatsError, match="The group must be a list of raters from 'x', 'y', found"):
            between_groups(rows, group=group, labels=LABELS)
    for group in ([], ["x", "y"]):
        with pytest.raises(StatsError, match="Two groups need a rater each"):
            between_groups(rows, group=group, labels=LABELS)


def test_undefined_and_degenerate():
    rows = frame([("1", "x", "1"), ("1", "y", "1"), ("2", "x", "1"), ("3", "y", "2")])
    result = between_groups(rows, group=["x"], labels=LABELS)
    assert result.schema == SCHEMA
    row = result.row(0, named=True)
    assert (row["estimate"], row["reason"], row["n_items"]) == (None, "too_few_items", 1)
    assert row["detail"] == "Needs at least 2 items that a rater of each group rated, found 1."
    same = between_groups(
        frame([(str(i), r, "12"[i > 1]) for i in range(4) for r in "xyz"]), group=["x"], labels=LABELS
    )
    assert same.select("estimate", "se", "low", "high", "p_value").row(0) == (1, 0, 1, 1, None)
    first = between_groups(frame([(str(i), r, "1") for i in range(4) for r in "xyz"]), group=["x"], labels=LABELS)
    assert first.select("estimate", "reason", "observed").row(0) == (None, "zero_denominator", 1)
