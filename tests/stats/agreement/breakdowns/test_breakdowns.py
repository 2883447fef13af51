"""By label, by rater, by item: each against `agreement` of other ratings, and against the definitions."""

import importlib
import math
import random
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.accuracy.raters.rater_quality import rater_quality
from stats.agreement import COEFFICIENTS, agreement
from stats.agreement.breakdowns.by_item import SCHEMA as ITEM_SCHEMA
from stats.agreement.breakdowns.by_item import by_item
from stats.agreement.breakdowns.by_label import SCHEMA as LABEL_SCHEMA
from stats.agreement.breakdowns.by_label import by_label
from stats.agreement.breakdowns.by_rater import SCHEMA as RATER_SCHEMA
from stats.agreement.breakdowns.by_rater import by_rater
from stats.errors import StatsError
from stats.reasons import REASONS

LABELS = ["A", "B", "C"]
SCHEMA = {"item": pl.String, "rater": pl.String, "label": pl.String}
FIGURES = ("estimate", "se", "low", "high", "p_value", "observed", "expected")
# Fleiss (1971), Psychological Bulletin 76, 378-382, Table 1: 6 psychiatrists per patient; how many said depression,
# personality disorder, schizophrenia, neurosis, other
DIAGNOSES = [
    (0, 0, 0, 6, 0), (0, 3, 0, 0, 3), (0, 1, 4, 0, 1), (0, 0, 0, 0, 6), (0, 3, 0, 3, 0), (2, 0, 4, 0, 0),
    (0, 0, 4, 0, 2), (2, 0, 3, 1, 0), (2, 0, 0, 4, 0), (0, 0, 0, 0, 6), (1, 0, 0, 5, 0), (1, 1, 0, 4, 0),
    (0, 3, 3, 0, 0), (1, 0, 0, 5, 0), (0, 2, 0, 3, 1), (0, 0, 5, 0, 1), (3, 0, 0, 1, 2), (5, 1, 0, 0, 0),
    (0, 2, 0, 4, 0), (1, 0, 2, 0, 3), (0, 0, 0, 0, 6), (0, 1, 0, 5, 0), (0, 2, 0, 1, 3), (2, 0, 0, 4, 0),
    (1, 0, 0, 4, 1), (0, 5, 0, 1, 0), (4, 0, 0, 0, 2), (0, 2, 0, 4, 0), (1, 0, 5, 0, 0), (0, 0, 0, 0, 6),
]  # fmt: skip


def frame(rows):
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def rows_of(raters, labels=LABELS, most=9):
    """Up to `most` + 1 items by these raters, any rating may be missing."""
    ratings = st.dictionaries(st.tuples(st.integers(0, most), st.sampled_from(raters)), st.sampled_from(labels))
    return ratings.map(lambda given: [(f"item {i}", rater, label) for (i, rater), label in given.items()])


some_rows = rows_of("vwxyz") | rows_of("xy") | rows_of("vwxyz", LABELS[:2])


def sparse(n_items, n_raters, per_item, seed=1):
    chance = random.Random(seed)
    return [
        (str(i), f"r{g}", chance.choice("AAABC"))
        for i in range(n_items)
        for g in chance.sample(range(n_raters), per_item)
    ]


def assert_same(first, other, columns=FIGURES):
    assert first.height == other.height
    for a, b in zip(first.iter_rows(named=True), other.iter_rows(named=True), strict=True):
        for column, value in b.items():
            if column in columns:
                assert a[column] == (None if value is None else pytest.approx(value, abs=1e-9)), (column, a, b)
            else:
                assert a[column] == value, (column, a, b)


def assert_reasons(result):
    assert set(result["reason"].drop_nulls()) <= set(REASONS)
    for column in result.select(pl.col(pl.Float64)):
        assert column.drop_nulls().is_finite().all()


# each label against the rest


def test_fleiss_kappa_of_each_diagnosis(ratings_from):
    # Fleiss (1971): kappa_j = 1 - sum_i n_ij (6 - n_ij) / (30 * 6 * 5 p_j q_j). Depression 26 of 180 ratings and
    # sum_i n_ij (6 - n_ij) = 84: 1 - 84 / (900 * 26/180 * 154/180) = .245
    result = by_label(ratings_from["counts"](DIAGNOSES, "12345"), labels=list("12345"))
    p = [sum(row[j] for row in DIAGNOSES) / 180 for j in range(5)]
    kappas = [1 - sum(row[j] * (6 - row[j]) for row in DIAGNOSES) / (900 * p[j] * (1 - p[j])) for j in range(5)]
    assert result["estimate"].to_list() == pytest.approx(kappas, abs=1e-12)
    assert result["estimate"].round(3).to_list() == [0.245, 0.245, 0.52, 0.471, 0.566]
    # the kappa of all labels is their mean, weighted by p_j q_j: .430
    mean = sum(p * (1 - p) * kappa for p, kappa in zip(p, kappas, strict=True)) / sum(p * (1 - p) for p in p)
    assert mean == pytest.approx(0.4302445, abs=1e-7)


def assert_recoded(rows, **chosen):
    result = by_label(frame(rows), labels=LABELS, **chosen)
    assert result.schema == LABEL_SCHEMA
    assert result.select("label", "name").rows() == [
        (label, name) for label in LABELS for name in chosen["coefficients"]
    ]
    for label in LABELS:
        recoded = frame((item, rater, "it" if given == label else "rest") for item, rater, given in rows)
        assert_same(result.filter(label=label).drop("label"), agreement(recoded, labels=["it", "rest"], **chosen))


@settings(max_examples=40, deadline=None)
@given(some_rows, st.sampled_from(["t", "normal", "jackknife", "percentile", "bca"]))
def test_a_label_is_agreement_of_the_recoded_ratings(rows, method):
    assert_recoded(rows, coefficients=list(COEFFICIENTS), interval_method=method, replicates=100, seed=3)


@pytest.mark.parametrize("n_raters", [25, 40])  # 25: patterns come from lists, those of two labels from keys
def test_a_label_with_many_raters(n_raters):
    rows = sparse(40, n_raters, 6)
    rows += [(f"again {item}", rater, label) for item, rater, label in rows[:60]]
    names = ["conger_kappa", "light_kappa", "krippendorff_alpha"]
    assert_recoded(rows, coefficients=names, interval_method="bca", replicates=100)


def test_a_label_by_coefficients_of_counts_only_is_the_same():
    rows, chosen = sparse(60, 9, 4), {"interval_method": "bca", "replicates": 100, "population": 1000}
    result = by_label(frame(rows), labels=LABELS, coefficients=["fleiss_kappa"], **chosen)
    both = by_label(frame(rows), labels=LABELS, coefficients=["conger_kappa", "fleiss_kappa"], **chosen)
    assert_same(result, both.filter(name="fleiss_kappa"))


def test_two_labels_are_each_others_rest(ratings_from):
    ratings = ratings_from["raters"]([list("AABBABAB"), list("ABBBAABB"), list("AABBABBB")])
    for method in ("t", "percentile"):
        chosen = {"coefficients": None, "interval_method": method, "replicates": 200}
        result = by_label(ratings, labels=["A", "B"], **chosen)
        a, b = (result.filter(label=label).drop("label") for label in "AB")
        assert a.equals(b)
        assert a.equals(agreement(ratings, labels=["A", "B"], **chosen))


def test_a_label_nobody_used_and_a_single_label(ratings_from):
    ratings = ratings_from["raters"]([list("AAB"), list("ABB")])
    result = by_label(ratings, labels=LABELS, coefficients=["fleiss_kappa", "gwet_ac1"])
    assert result["reason"].to_list() == [None] * 4 + ["zero_denominator", None]
    assert result["estimate"][5] == 1
    alone = by_label(ratings_from["raters"]([list("AAA"), list("AAA")]), labels=["A"])
    assert alone.select("label", "reason", "n_labels").rows() == [("A", "zero_denominator", 1)]


def test_labels_of_one_rater_or_none(ratings_from):
    for lines in ([], [list("ABC")]):
        result = by_label(ratings_from["raters"](lines), labels=LABELS)
        assert result["reason"].to_list() == ["too_few_raters"] * 3
        assert result["estimate"].null_count() == 3


# each rater


def by_definition(rows, w=None):
    """Of each rater: ratings, items shared with another, mean agreement of the pairs with others (both orders)."""
    items = defaultdict(dict)
    for item, rater, label in rows:
        items[item][rater] = LABELS.index(label)
    results = {rater: [0, 0, []] for _, rater, _ in rows}
    w = np.eye(len(LABELS)) if w is None else w
    for given_labels in items.values():
        for rater, label in given_labels.items():
            others = [other for name, other in given_labels.items() if name != rater]
            results[rater][0] += 1
            results[rater][1] += bool(others)
            results[rater][2] += [(w[label, other] + w[other, label]) / 2 for other in others]
    return [(rater, n, n_items, sum(p) / len(p) if p else None) for rater, (n, n_items, p) in sorted(results.items())]


def test_three_raters_by_hand(ratings_from):
    # z differs from x and y, who agree on all but item 3: of the 8 pairs of z one agrees; without z, x and y have the
    # items AA AA AB BB: 3/4 observed, alpha = 1 - (8 - 1) * 1 / (5 * 3) = 8/15
    ratings = ratings_from["raters"]([list("AAAB"), list("AABB"), list("BBBA")])
    result = by_rater(ratings, labels=["A", "B"])
    assert result.schema == RATER_SCHEMA
    row = result.row(2, named=True)
    assert (row["rater"], row["n_ratings"], row["n_items"], row["agreement_with_others"]) == ("r002", 4, 4, 1 / 8)
    assert row["without"] == pytest.approx(8 / 15)
    assert row["difference"] == pytest.approx(8 / 15 - row["estimate"])
    assert row["difference"] == result["difference"].max() > 0


@settings(max_examples=60, deadline=None)
@given(some_rows, st.sampled_from(list(COEFFICIENTS)), st.sampled_from([("interval", None), ("ordinal", "linear")]))
def test_without_a_rater_is_agreement_of_the_other_ratings(rows, coefficient, setting):
    scale, weights = setting
    rows = [(item, rater, str("ABC".index(label))) for item, rater, label in rows]
    chosen = {"labels": ["0", "1", "2"], "scale": scale, "weights": weights}
    result = by_rater(frame(rows), coefficient=coefficient, **chosen)
    assert_reasons(result)
    whole = agreement(frame(rows), coefficients=[coefficient], **chosen)
    for row in result.iter_rows(named=True):
        others = [kept for kept in rows if kept[1] != row["rater"]]
        left = agreement(frame(others), coefficients=[coefficient], **chosen).row(0, named=True)
        assert row["without"] == (None if left["estimate"] is None else pytest.approx(left["estimate"], abs=1e-9))
        assert row["estimate"] == whole["estimate"][0]
        known = row["without"] is not None and row["estimate"] is not None
        assert (row["difference"] is not None) == known
        assert (row["reason"] is None) == (known and row["n_items"] > 0)
        assert (row["detail"] is None) == (row["reason"] is None)


@settings(max_examples=60, deadline=None)
@given(some_rows, st.integers(0, 99), st.booleans())
def test_agreement_with_the_others(rows, seed, weighted):
    w = np.random.default_rng(seed).random((3, 3))
    np.fill_diagonal(w, 1)
    result = by_rater(frame(rows), labels=LABELS, weights=w if weighted else None)
    expected = by_definition(rows, w if weighted else None)
    assert result.select("rater", "n_ratings", "n_items").rows() == [row[:3] for row in expected]
    for share, row in zip(result["agreement_with_others"], expected, strict=True):
        assert share == (None if row[3] is None else pytest.approx(row[3], abs=1e-12))


def test_two_thousand_sparse_raters():
    rows = sparse(4000, 2000, 3)
    result = by_rater(frame(rows), labels=LABELS)
    assert result.height == len({rater for _, rater, _ in rows})
    assert_reasons(result)
    for rater in random.Random(2).sample(result["rater"].to_list(), 3):
        others = frame(row for row in rows if row[1] != rater)
        left = agreement(others, labels=LABELS, coefficients=["krippendorff_alpha"])["estimate"][0]
        assert result.filter(rater=rater)["without"][0] == pytest.approx(left, abs=1e-12)
    quality = rater_quality(frame(rows), labels=LABELS)  # means the same by the same name
    assert result["agreement_with_others"].to_list() == pytest.approx(quality["agreement_with_others"].to_list())


def test_too_many_raters_for_a_coefficient_that_knows_them():
    result = by_rater(frame(sparse(200, 110, 5)), labels=LABELS, coefficient="conger_kappa")
    assert set(result["reason"]) == {"not_applicable"}
    assert result["without"].null_count() == result.height
    assert result["agreement_with_others"].null_count() == 0
    assert result["detail"][0] == "conger_kappa is computed without each rater for at most 100 raters, found 110."
    assert result["estimate"][0] is not None


def test_blocks_of_raters_change_nothing(monkeypatch):
    ratings = frame(sparse(100, 30, 4))
    whole = by_rater(ratings, labels=LABELS)
    monkeypatch.setattr(importlib.import_module("stats.agreement.breakdowns.by_rater"), "MAX_CELLS", 100)
    assert by_rater(ratings, labels=LABELS).equals(whole)


def test_raters_without_figures(ratings_from):
    result = by_rater(ratings_from["raters"]([list("AB")]), labels=LABELS).row(0, named=True)
    assert (result["n_ratings"], result["n_items"], result["agreement_with_others"]) == (2, 0, None)
    assert (result["reason"], result["detail"]) == ("too_few_raters", "Agreement needs at least 2 raters, found 1.")
    two = by_rater(ratings_from["raters"]([list("ABA"), list("ABB")]), labels=LABELS)
    assert two["reason"].to_list() == ["too_few_raters"] * 2
    assert two["agreement_with_others"].to_list() == pytest.approx([2 / 3, 2 / 3])
    assert two["detail"][0].startswith("krippendorff_alpha without this rater is undefined: ")
    lines = [["A", "B", "A", None], ["A", "B", "B", None], [None, None, None, "C"]]
    loner = by_rater(ratings_from["raters"](lines), labels=LABELS).row(2, named=True)
    assert (loner["n_items"], loner["agreement_with_others"], loner["reason"]) == (0, None, "too_few_items")
    assert loner["difference"] == 0  # alpha leaves single ratings out
    same = by_rater(ratings_from["raters"]([list("AA")] * 3), labels=LABELS)
    assert set(same["reason"]) == {"zero_denominator"}
    assert same["agreement_with_others"].to_list() == [1, 1, 1]
    assert by_rater(ratings_from["raters"]([]), labels=LABELS).schema == RATER_SCHEMA


# each item


def test_four_items_by_hand():
    # item 1: A A B, two of three pairs differ; entropy log2 3 - 2/3 bits, of log2 3 at most. item 2: A C, with linear
    # weights wholly different, A B half. item 3: one rating
    rows = [("1", "x", "A"), ("1", "y", "A"), ("1", "z", "B"), ("2", "x", "A"), ("2", "y", "C"), ("3", "x", "B")]
    result = by_item(frame([*rows, ("4", "y", "C"), ("4", "z", "C")]), labels=LABELS)
    assert result.schema == ITEM_SCHEMA
    H = math.log2(3) - 2 / 3
    assert result.drop("reason").rows() == [
        ("2", 2, 2, ["A", "C"], 0.5, 1.0, 1.0, pytest.approx(1 / math.log2(3))),
        ("1", 3, 2, ["A"], 2 / 3, 2 / 3, pytest.approx(H), pytest.approx(H / math.log2(3))),
        ("4", 2, 1, ["C"], 1.0, 0.0, 0.0, 0.0),
        ("3", 1, 1, ["B"], 1.0, None, None, None),
    ]
    assert result["reason"].to_list() == [None, None, None, "too_few_ratings"]
    weighted = by_item(frame(rows), labels=LABELS, scale="ordinal", weights="linear")
    assert weighted["disagreement"].to_list() == [1, pytest.approx(1 / 3), None]


@settings(max_examples=60, deadline=None)
@given(some_rows, st.sampled_from([None, "linear", "quadratic"]), st.randoms(use_true_random=False))
def test_an_item_by_definition(rows, weights, chance):
    result = by_item(frame(rows), labels=LABELS, scale="ordinal", weights=weights)
    assert_reasons(result)
    items = defaultdict(list)
    for item, _, label in rows:
        items[item].append(label)
    assert sorted(result["item"]) == sorted(items)
    power = {None: 0, "linear": 1, "quadratic": 2}[weights]
    for row in result.iter_rows(named=True):
        labels = items[row["item"]]
        counts = Counter(labels)
        assert (row["n_ratings"], row["n_labels_used"]) == (len(labels), len(counts))
        top = max(counts.values())
        assert row["top_labels"] == [label for label in LABELS if counts[label] == top]
        assert row["top_share"] == pytest.approx(top / len(labels))
        if len(labels) < 2:
            assert (row["disagreement"], row["entropy"], row["reason"]) == (None, None, "too_few_ratings")
            continue
        far = [(abs(ord(a) - ord(b)) / 2) ** power if a != b else 0 for a, b in combinations(labels, 2)]
        assert row["disagreement"] == pytest.approx(sum(far) / len(far), abs=1e-12)
        H = sum(n / len(labels) * math.log2(len(labels) / n) for n in counts.values())
        assert row["entropy"] == pytest.approx(H, abs=1e-12)
        assert row["entropy_normalised"] == pytest.approx(H / math.log2(3), abs=1e-12)
    keys = [(row[5] is None, -round(row[5] or 0, 9), -round(row[6] or 0, 9), row[0]) for row in result.iter_rows()]
    assert keys == sorted(keys)
    assert by_item(frame(chance.sample(rows, len(rows))), labels=LABELS, scale="ordinal", weights=weights).equals(
        result
    )


def test_the_mean_of_the_items_is_percent_agreement():
    ratings = frame(sparse(300, 9, 4))
    mean = by_item(ratings, labels=LABELS)["disagreement"].mean()
    observed = agreement(ratings, labels=LABELS, coefficients=["percent_agreement"])["estimate"][0]
    assert 1 - mean == pytest.approx(observed, abs=1e-12)


def test_dozens_of_labels_need_several_key_words():
    labels = [f"label {j}" for j in range(40)]
    chance = random.Random(1)
    rows = [(f"{i:02}", f"r{g}", chance.choice(labels)) for i in range(50) for g in range(30)]
    result = by_item(frame(rows), labels=labels)
    assert set(result["n_ratings"]) == {30}
    for item, top in result.select("item", "top_labels").iter_rows():
        counts = Counter(label for other, _, label in rows if other == item)
        assert top == [label for label in labels if counts[label] == max(counts.values())]


def test_one_label_has_no_normalised_entropy():
    row = by_item(frame([("1", "x", "A"), ("1", "y", "A")]), labels=["A"]).row(0, named=True)
    assert (row["disagreement"], row["entropy"], row["entropy_normalised"]) == (0, 0, None)
    assert row["reason"] == "zero_denominator"


def test_items_are_text_and_none_are_none():
    ratings = frame([("1", "x", "A"), ("1", "y", "B")]).with_columns(pl.col("item").cast(pl.Int64))
    assert by_item(ratings, labels=LABELS)["item"].to_list() == ["1"]
    empty = by_item(frame([]), labels=LABELS)
    assert empty.schema == ITEM_SCHEMA
    assert empty.is_empty()


# what is wrong is said


@pytest.mark.parametrize("breakdown", [by_label, by_rater, by_item])
def test_bad_ratings_are_named(breakdown):
    with pytest.raises(StatsError, match="Every label must be declared, found 'B'"):
        breakdown(frame([("1", "x", "B")]), labels=["A"])
    with pytest.raises(StatsError, match="A rater labels an item once"):
        breakdown(frame([("1", "x", "A"), ("1", "x", "A")]), labels=["A"])
    with pytest.raises(StatsError, match="labels must differ"):
        breakdown(frame([("1", "x", "A")]), labels=["A", "A"])
    with pytest.raises(StatsError, match="At least one label must be declared"):
        breakdown(frame([("1", "x", "A")]), labels=[])


def test_bad_arguments_are_named():
    ratings = frame(sparse(5, 4, 3))
    with pytest.raises(StatsError, match="found 'kappa'"):
        by_label(ratings, labels=LABELS, coefficients=["kappa"])
    with pytest.raises(StatsError, match="found 'kappa'"):
        by_rater(ratings, labels=LABELS, coefficient="kappa")
    with pytest.raises(StatsError, match="The interval method must be one of"):
        by_label(ratings, labels=LABELS, interval_method="exact")
    for breakdown in (by_rater, by_item):
        with pytest.raises(StatsError, match="The weights must be one of"):
            breakdown(ratings, labels=LABELS, weights="heavy")
