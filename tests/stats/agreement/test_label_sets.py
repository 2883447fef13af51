"""Weights for labels that are sets."""

import json
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.agreement import agreement
from stats.agreement import label_sets as sets
from stats.agreement.label_sets import jaccard, masi, members_of
from stats.agreement.weights import WEIGHTS, label_setting
from stats.errors import StatsError

# Two coders, 11 items, one to three labels each: question 407453 of stats.stackexchange.com
CODERS = (
    ["12", "12", "1", "3", "3", "4", "2", "12", "12", "1", "1"],
    ["1", "12", "1", "3", "13", "4", "4", "1", "123", "1", "1"],
)
# NLTK rounded the thirds of the paper until its pull request 3695 (2026)
THIRDS, ROUNDED = (Fraction(2, 3), Fraction(1, 3)), (Fraction(67, 100), Fraction(33, 100))


def written(members):
    return json.dumps(sorted(members))


def masi_distance(a, b, monotonicity=THIRDS):
    """From the definition, in fractions."""
    if a == b:
        return Fraction(0)
    part, overlap = monotonicity
    return 1 - Fraction(len(a & b), len(a | b)) * (part if a <= b or b <= a else overlap if a & b else 0)


def alpha_by_definition(raters, distance):
    """1 - D_o / D_e from the coincidences of the pairs of values of a unit (Krippendorff 2011), in fractions."""
    units = [[frozenset(value) for value in unit if value is not None] for unit in zip(*raters, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    n = len(values)
    D_o = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / Fraction(n)
    D_e = sum(distance(a, b) for a, b in permutations(values, 2)) / Fraction(n * (n - 1))
    return float(1 - D_o / D_e)


def alpha(ratings_from, raters, weights):
    lines = [[None if value is None else written(value) for value in line] for line in raters]
    labels = sorted({label for line in lines for label in line if label is not None})
    w = weights(labels) if callable(weights) else weights
    result = agreement(ratings_from["raters"](lines), labels=labels, weights=w, coefficients=["krippendorff_alpha"])
    return result.row(0, named=True)


def test_what_the_documentation_of_nltk_prints():
    # nltk/test/metrics.doctest: {1, 2, 3, 4} against {3, 4, 5} has Jaccard distance .6 and, with .33, MASI .868
    labels = ["[1, 2, 3, 4]", "[3, 4, 5]"]
    assert 1 - jaccard(labels)[0, 1] == pytest.approx(0.6)
    assert 1 - masi(labels)[0, 1] == pytest.approx(0.868 - 0.4 * (1 / 3 - 0.33))
    # nltk.metrics.masi_distance: {1, 2} against {1, 2, 3, 4} has .665 with .67, 2/3 since the thirds are exact
    labels = ["[1, 2]", "[1, 2, 3, 4]"]
    assert 1 - masi(labels)[0, 1] == pytest.approx(2 / 3, abs=1e-15)
    assert 1 - masi(labels)[0, 1] == pytest.approx(0.665 - 0.5 * (2 / 3 - 0.67))


def test_the_four_cases_of_monotonicity():
    # Passonneau 2006: equal 1, one holds the other 2/3, overlap 1/3, disjoint 0; times Jaccard 1, 2/3, 1/3, 0
    w = masi(['["a", "b"]', '["b", "a"]', '["a", "b", "c"]', '["b", "c"]', "c"])
    assert w[0].tolist() == pytest.approx([1, 1, 4 / 9, 1 / 9, 0])
    assert np.diag(w).tolist() == [1] * 5


@pytest.mark.parametrize("weights", [masi, jaccard])
def test_empty_sets(weights):
    assert weights(["[]", "[ ]", "a", '["a"]'])[0].tolist() == [1, 1, 0, 0]
    assert weights(["[]"]).tolist() == [[1]]


@pytest.mark.parametrize(
    ("label", "members"),
    [
        ("a", {"a"}),
        ('["a"]', {"a"}),
        ('["a", "a", "b"]', {"a", "b"}),
        (' ["a"]', {' ["a"]'}),  # labels come without outer blanks
        ("[a", {"[a"}),
        ("[sic]", {"[sic]"}),
        ('{"a": 1}', {'{"a": 1}'}),
        ("1", {"1"}),
        ("[1, 1.0, 0.10]", {"1", "1.0", "0.10"}),
        ('["1", 1]', {"1"}),
        ("[true, null, NaN]", {"true", "null", "NaN"}),
        ('[["a", "b"], "a"]', {'["a", "b"]', "a"}),
        ('[{"y": 1, "x": 2}]', {'{"x": "2", "y": "1"}'}),
        ("[" * 100_000, {"[" * 100_000}),
        ("[" + "9" * 5000 + "]", {"9" * 5000}),
        ("", {""}),
    ],
)
def test_what_a_label_holds(label, members):
    assert members_of(label) == members


def test_a_plain_label_is_the_set_that_holds_it():
    for weights in (masi, jaccard):
        assert weights(["a", '["a"]', '["a", "b"]'])[0, 1] == 1
        assert np.array_equal(weights(["a", "b", "c"]), np.eye(3))


label_sets = st.lists(st.frozensets(st.sampled_from("abcde")), min_size=1, max_size=12)


@pytest.mark.parametrize("few", [0, 2, 50])
@settings(max_examples=100, deadline=None)
@given(label_sets)
def test_both_weights_against_python_sets(few, outcome):
    labels = [written(result) for result in outcome]
    before, sets.MAX_LISTED_HOLDERS = sets.MAX_LISTED_HOLDERS, few
    try:
        of_jaccard, of_masi = jaccard(labels), masi(labels)
    finally:
        sets.MAX_LISTED_HOLDERS = before
    for i, a in enumerate(outcome):
        for j, b in enumerate(outcome):
            assert of_masi[i, j] == pytest.approx(float(1 - masi_distance(a, b)), abs=1e-12)
            assert of_jaccard[i, j] == pytest.approx(len(a & b) / len(a | b) if a | b else 1, abs=1e-12)
    for w in (of_jaccard, of_masi):
        assert np.array_equal(w, w.T)
        assert ((w >= 0) & (w <= 1)).all()
        assert np.diag(w).tolist() == [1] * len(outcome)
    assert (of_masi <= of_jaccard).all()


def test_alpha_of_three_items_by_hand(ratings_from):
    # Two values, A = {1, 2} and B = {1}, thrice each; one of three items has both: D_o = 2 d / 6, D_e = 18 d / 30,
    # alpha = 1 - (1/3) / (3/5) = 4/9 whatever the distance d
    raters = (["12", "12", "1"], ["1", "12", "1"])
    for weights in ("masi", "jaccard", "identity"):
        assert alpha(ratings_from, raters, weights)["estimate"] == pytest.approx(4 / 9)


def test_alpha_with_masi_is_krippendorff_with_the_distance_of_the_paper(ratings_from):
    row = alpha(ratings_from, CODERS, "masi")
    assert row["weights"] == "masi"
    assert row["estimate"] == pytest.approx(alpha_by_definition(CODERS, masi_distance), abs=1e-12)
    assert 0 < row["se"] < 1


def test_the_rounded_thirds_of_nltk_give_another_alpha(ratings_from):
    def rounded(a, b):
        return masi_distance(a, b, ROUNDED)

    def matrix(labels):
        members = [members_of(label) for label in labels]
        return [[float(1 - rounded(a, b)) for b in members] for a in members]

    theirs = alpha_by_definition(CODERS, rounded)
    assert alpha(ratings_from, CODERS, matrix)["estimate"] == pytest.approx(theirs, abs=1e-12)
    assert 1e-5 < abs(alpha(ratings_from, CODERS, "masi")["estimate"] - theirs) < 1e-2


values = st.none() | st.frozensets(st.sampled_from("abc"), max_size=3)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 4).flatmap(lambda r: st.lists(st.lists(values, min_size=r, max_size=r), min_size=2, max_size=8)))
def test_alpha_with_gaps_and_any_number_of_raters(ratings_from, items):
    raters = list(zip(*items, strict=True))
    if all(value is None for line in raters for value in line):
        return
    row = alpha(ratings_from, raters, "masi")
    pairs = [unit for unit in items if sum(value is not None for value in unit) > 1]
    used = {value for unit in pairs for value in unit if value is not None}
    if len(pairs) < 2 or len(used) < 2:
        assert row["estimate"] is None
    else:
        assert row["estimate"] == pytest.approx(alpha_by_definition(raters, masi_distance), abs=1e-9)


def test_the_names_are_weights_of_every_scale():
    labels = ['["1", "2"]', "1", "2"]
    for name in ("masi", "jaccard"):
        assert name in WEIGHTS
        for scale in ("nominal", "ordinal"):
            assert label_setting(labels, scale, name).weights == name
            assert np.array_equal(label_setting(labels, scale, name).w, WEIGHTS[name](labels))
        with pytest.raises(StatsError, match="needs numbers as labels"):
            label_setting(labels, "interval", name)


def test_thousands_of_sets():
    tags = [f"tag {i}" for i in range(40)]
    result = [frozenset(pair) for pair in combinations(tags, 2)] + [frozenset(three) for three in combinations(tags, 3)]
    result = result[:: len(result) // 3000]
    w = masi([written(outcome) for outcome in result])
    assert len(result) > 3000
    assert w.shape == (len(result), len(result))
    for i, j in [(0, 1), (0, 2999), (1234, 2345)]:
        assert w[i, j] == pytest.approx(float(1 - masi_distance(result[i], result[j])))
