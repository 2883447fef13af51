"""Prevalence and bias."""

import random
from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement import agreement
from stats.agreement.breakdowns.paradox import SCHEMA, paradox
from stats.errors import StatsError
from stats.reasons import REASONS

# Feinstein & Cicchetti (1990), J. Clin. Epidemiol. 43, 543-549, also as Table 10.6 of Gerstman, Epidemiology Kept
# Simple: cells a, b, c, d, both with observed agreement .85, and Cohen's kappa as printed. Beside them by hand from the
# definitions of Byrt, Bishop & Carlin (1993): |a - d| / n, |b - c| / n, 2 (a + d) / n - 1.
PUBLISHED = [
    ((40, 9, 6, 45), {"kappa": 0.70, "prevalence_index": 0.05, "bias_index": 0.03, "pabak": 0.70}),
    ((80, 10, 5, 5), {"kappa": 0.32, "prevalence_index": 0.75, "bias_index": 0.05, "pabak": 0.70}),
]
COLUMNS = ("prevalence_index", "bias_index", "observed", "kappa", "pabak")
LABELS = ["A", "B", "C"]


def of_cells(ratings_from, a, b, c, d):
    return paradox(ratings_from["table"]([[a, b], [c, d]], ["+", "-"]), labels=["+", "-"]).row(0, named=True)


@pytest.mark.parametrize(("cells", "expected"), PUBLISHED)
def test_published_tables(cells, expected, ratings_from):
    row = of_cells(ratings_from, *cells)
    assert row["kappa"] == pytest.approx(expected["kappa"], abs=0.005)
    for column in ("prevalence_index", "bias_index", "pabak"):
        assert row[column] == pytest.approx(expected[column], abs=1e-12), column
    assert (row["observed"], row["n_items"], row["n_raters"]) == (pytest.approx(0.85), 100, 2)


def test_the_note_is_for_the_table_that_is_a_paradox(ratings_from):
    plain, paradoxical = (of_cells(ratings_from, *cells) for cells, _ in PUBLISHED)
    assert plain["note"] is None
    assert (plain["most_used_label"], plain["most_used_share"]) == ("-", pytest.approx(0.525))
    assert "Kappa is 0.32 though the observed agreement is 0.85: '+' has 88% of the ratings" in paradoxical["note"]
    assert "it would be 0.70 (Feinstein & Cicchetti 1990)" in paradoxical["note"]
    assert (paradoxical["most_used_label"], paradoxical["most_used_share"]) == ("+", pytest.approx(0.875))
    assert paradoxical["reason"] is None


@pytest.mark.parametrize(
    ("cells", "noted"),
    [
        ((90, 5, 5, 0), True),  # kappa -.05
        ((98, 0, 0, 2), False),  # unequal labels, yet kappa is 1
        ((60, 20, 20, 0), False),  # kappa is low because they disagree
        ((5, 10, 5, 80), True),  # the same from the other side
    ],
)
def test_when_there_is_a_note(cells, noted, ratings_from):
    assert (of_cells(ratings_from, *cells)["note"] is not None) == noted


cells = st.tuples(*[st.integers(0, 12)] * 4).filter(lambda result: sum(result) > 1)


@settings(max_examples=100, deadline=None)
@given(cells)
def test_two_raters_and_labels_are_byrts_indices(ratings_from, result):
    a, b, c, d = result
    n = a + b + c + d
    row = of_cells(ratings_from, a, b, c, d)
    assert row["prevalence_index"] == pytest.approx(abs(a - d) / n, abs=1e-12)
    assert row["bias_index"] == pytest.approx(abs(b - c) / n, abs=1e-12)
    assert row["pabak"] == pytest.approx(2 * (a + d) / n - 1, abs=1e-12)
    PI2, BI2 = row["prevalence_index"] ** 2, row["bias_index"] ** 2
    if row["kappa"] is None:
        assert n in (a, d)
    else:  # Byrt et al.: what kappa is made of
        assert row["kappa"] == pytest.approx((row["pabak"] - PI2 + BI2) / (1 - PI2 + BI2), abs=1e-9)


def by_definition(rows):
    """Shares, prevalence and bias of (item, rater, label) rows, one rating after the other."""
    items = defaultdict(dict)
    for item, rater, label in rows:
        items[item][rater] = label
    items = [given for given in items.values() if len(given) > 1]
    p = {j: sum(list(given.values()).count(j) / len(given) for given in items) / len(items) for j in LABELS}
    own, others, n = defaultdict(Counter), defaultdict(Counter), Counter()
    for given_labels in items:
        for rater, label in given_labels.items():
            n[rater] += 1
            own[rater][label] += 1
            for other, its in given_labels.items():
                if other != rater:
                    others[rater][its] += 1 / (len(given_labels) - 1)
    distance = {g: sum(abs(own[g][j] - others[g][j]) for j in LABELS) / 2 / n[g] for g in n}
    bias = sum(n[g] * distance[g] for g in n) / n.total()
    return max(p.values()), (3 * max(p.values()) - 1) / 2, bias, len(items)


rows_of = st.dictionaries(
    st.tuples(st.integers(0, 9), st.sampled_from("vwxyz")), st.sampled_from(LABELS), max_size=40
).map(lambda given: [(str(i), rater, label) for (i, rater), label in given.items()])


def frame(rows):
    return pl.DataFrame(rows, schema={"item": pl.String, "rater": pl.String, "label": pl.String}, orient="row")


@settings(max_examples=100, deadline=None)
@given(rows_of)
def test_any_raters_and_labels_with_gaps(rows):
    row = paradox(frame(rows), labels=LABELS).row(0, named=True)
    assert row["n_raters"] == len({rater for _, rater, _ in rows})
    if row["reason"] is not None:
        assert row["reason"] in REASONS
        assert row["n_raters"] < 2 or row["n_items"] < 2
        return
    share, prevalence, bias, n_items = by_definition(rows)
    assert row["n_items"] == n_items
    assert row["most_used_share"] == pytest.approx(share, abs=1e-12)
    assert row["prevalence_index"] == pytest.approx(prevalence, abs=1e-12)
    assert row["bias_index"] == pytest.approx(bias, abs=1e-12)
    result = agreement(frame(rows), labels=LABELS, coefficients=["conger_kappa"]).row(0, named=True)
    assert row["observed"] == pytest.approx(result["observed"], abs=1e-12)
    if result["estimate"] is not None:
        assert row["kappa"] == pytest.approx(result["estimate"], abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(rows_of, st.permutations(LABELS), st.randoms(use_true_random=False))
def test_names_and_order_change_no_figure(rows, other_names, chance):
    rows += [(item, rater, "C") for item in ("90", "91") for rater in "vz"]  # enough to be defined
    result = paradox(frame(rows), labels=LABELS)
    renamed = dict(zip(LABELS, other_names, strict=True))
    shuffled = [(item, {"v": "z", "z": "v"}.get(rater, rater), renamed[label]) for item, rater, label in rows]
    chance.shuffle(shuffled)
    other = paradox(frame(shuffled), labels=other_names)
    assert renamed[result["most_used_label"][0]] == other["most_used_label"][0]
    for column in COLUMNS:
        a, b = result[column][0], other[column][0]
        assert a == (b if b is None else pytest.approx(b, abs=1e-12)), column


def test_three_raters_by_hand(ratings_from):
    # x and y say A A B B, z says A A A A: p_A = (1 + 1 + 1/3 + 1/3) / 4 = 2/3. x against y and z: own A 2 of 4, others'
    # 1 + 1 + 1/2 + 1/2 = 3 of 4, distance 1/4; y the same; z: own 4 of 4, others' 2 of 4, distance 1/2. Mean 1/3.
    row = paradox(ratings_from["raters"]([list("AABB"), list("AABB"), list("AAAA")]), labels=["A", "B"])
    assert row["prevalence_index"][0] == pytest.approx(2 * 2 / 3 - 1)
    assert row["bias_index"][0] == pytest.approx(1 / 3)


def test_raters_of_different_items_are_not_biased(ratings_from):
    """Two pairs of raters who agree throughout, one on items that are all A, one on items that are all B."""
    lines = [["A"] * 5 + [None] * 5] * 2 + [[None] * 5 + ["B"] * 5] * 2
    row = paradox(ratings_from["raters"](lines), labels=["A", "B"]).row(0, named=True)
    assert (row["bias_index"], row["prevalence_index"], row["observed"]) == (0, 0, 1)


def test_many_sparse_raters():
    chance = random.Random(1)
    rows = [(str(i), f"r{g}", chance.choice("AAAB")) for i in range(500) for g in chance.sample(range(300), 3)]
    share, prevalence, bias, n_items = by_definition(rows)
    row = paradox(frame(rows), labels=LABELS).row(0, named=True)
    assert (row["n_items"], row["n_raters"]) == (n_items, len({rater for _, rater, _ in rows}))
    assert row["prevalence_index"] == pytest.approx(prevalence)
    assert row["most_used_share"] == pytest.approx(share)
    assert row["bias_index"] == pytest.approx(bias)


def test_one_of_several_labels_used(ratings_from):
    row = paradox(ratings_from["raters"]([list("AAA"), list("AAA")]), labels=LABELS).row(0, named=True)
    assert [row[column] for column in COLUMNS] == [1, 0, 1, None, 1]
    assert row["reason"] is None
    assert row["note"] == "Every rating is 'A', so kappa is undefined."


def test_equal_shares_name_the_first_declared_label(ratings_from):
    ratings = ratings_from["raters"]([list("BBACCA"), list("BBACCA")])
    assert paradox(ratings, labels=["C", "A", "B"])["most_used_label"].to_list() == ["C"]


@pytest.mark.parametrize(
    ("lines", "labels", "reason", "note"),
    [
        ([], ["A"], "too_few_raters", "at least 2 raters, found 0"),
        ([list("AB")], ["A", "B"], "too_few_raters", "at least 2 raters, found 1"),
        ([["A", None], [None, "B"]], ["A", "B"], "too_few_items", "two ratings or more, found 0"),
        ([["A", "A"], ["B", None]], ["A", "B"], "too_few_items", "two ratings or more, found 1"),
        ([list("AA"), list("AA")], ["A"], "zero_denominator", "Only one label is known"),
    ],
)
def test_undefined(lines, labels, reason, note, ratings_from):
    result = paradox(ratings_from["raters"](lines), labels=labels)
    assert result.schema == SCHEMA
    row = result.row(0, named=True)
    assert row["reason"] == reason
    assert note in row["note"]
    assert row["prevalence_index"] is None
    assert row["kappa"] is None
    assert row["bias_index"] == (0 if reason == "zero_denominator" else None)


def test_bad_ratings_are_named(ratings_from):
    with pytest.raises(StatsError, match="Every label must be declared, found 'B'"):
        paradox(ratings_from["raters"]([list("AB"), list("AB")]), labels=["A"])


def test_a_label_that_nearly_all_ratings_have_does_not_have_100_percent(ratings_from):
    row = of_cells(ratings_from, 997, 2, 1, 0)
    assert row["most_used_share"] == pytest.approx(0.9985)
    assert "'+' has 99.8% of the ratings" in row["note"] or "'+' has 99.9% of the ratings" in row["note"]
