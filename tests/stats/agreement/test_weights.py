"""Scales and weights."""

import numpy as np
import polars as pl
import pytest

from stats.agreement import WEIGHTS, agreement
from stats.agreement.weights import label_setting
from stats.errors import StatsError

# by hand from the formulas of R irrCAC's weights.gen.r, for labels 1..4: weights of the pairs 1-2, 1-3, 1-4, 2-3
BY_HAND = {
    "identity": (0, 0, 0, 0),
    "linear": (2 / 3, 1 / 3, 0, 2 / 3),
    "quadratic": (8 / 9, 5 / 9, 0, 8 / 9),
    "ordinal": (5 / 6, 1 / 2, 0, 5 / 6),
    "radical": (1 - np.sqrt(1 / 3), 1 - np.sqrt(2 / 3), 0, 1 - np.sqrt(1 / 3)),
    "ratio": (1 - (1 / 9) / (9 / 25), 1 - (1 / 4) / (9 / 25), 0, 1 - (1 / 25) / (9 / 25)),
    "circular": (1 / 2, 0, 1 / 2, 1 / 2),
    "bipolar": (1 - 1 / 5, 1 - 4 / 8, 0, 1 - 1 / 9),
    "jaccard": (0, 0, 0, 0),
    "masi": (0, 0, 0, 0),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_by_hand(name):
    w = label_setting(["1", "2", "3", "4"], "interval", name).w
    assert [w[0, 1], w[0, 2], w[0, 3], w[1, 2]] == pytest.approx(BY_HAND[name], abs=1e-12)
    assert np.diag(w).tolist() == [1, 1, 1, 1]
    assert np.array_equal(w, w.T)


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize(
    "labels", [["0", "1"], ["3"], ["1", "1.0"], ["0", "0.5", "10"], [str(i) for i in range(1, 40)]]
)
def test_weights_lie_between_0_and_1(name, labels):
    w = label_setting(labels, "interval", name).w
    assert np.diag(w).tolist() == [1] * len(labels)
    assert ((w >= 0) & (w <= 1)).all()


def test_an_ordinal_scale_has_ranks_and_an_interval_scale_numbers():
    assert label_setting(["low", "mid", "high"], "ordinal", "linear").scores.tolist() == [1, 2, 3]
    assert label_setting(["1", "2", "10"], "interval", "linear").w[0, 1] == pytest.approx(1 - 1 / 9)
    assert label_setting(["1", "2", "10"], "ordinal", "linear").w[0, 1] == pytest.approx(1 / 2)


def test_given_weights_replace_the_metric_of_alpha(ratings_from):
    ratings = ratings_from["raters"]([list("1123"), list("1223"), list("1133")])

    def alpha(**arguments):
        result = agreement(ratings, labels=["1", "2", "3"], coefficients=["krippendorff_alpha"], **arguments)
        return result.row(0, named=True)

    assert alpha(scale="interval")["weights"] == "metric"
    assert alpha(scale="nominal")["weights"] == "identity"
    assert alpha(scale="interval", weights="identity")["estimate"] == alpha(scale="nominal")["estimate"]
    assert alpha(scale="nominal", weights="quadratic")["estimate"] == alpha(scale="interval")["estimate"]
    custom = alpha(weights=[[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])
    assert custom["weights"] == "custom"
    assert custom["estimate"] == alpha(weights="linear")["estimate"]


def test_label_order_counts_for_ordered_scales(ratings_from):
    ratings = ratings_from["raters"]([["low", "mid", "high", "low"], ["mid", "mid", "high", "low"]])
    right, alphabetical = (
        agreement(ratings, labels=labels, weights="linear", coefficients=["cohen_kappa"])["estimate"][0]
        for labels in (["low", "mid", "high"], ["high", "low", "mid"])
    )
    assert right == alphabetical  # low and mid are neighbours in both
    wrong = agreement(ratings, labels=["low", "high", "mid"], weights="linear", coefficients=["cohen_kappa"])
    assert wrong["estimate"][0] < right


@pytest.mark.parametrize(
    ("labels", "scale", "weights", "message"),
    [
        (["1", "two"], "interval", None, "The scale 'interval' needs numbers as labels, found 'two'"),
        (["1", "nan"], "interval", None, "needs numbers as labels, found 'nan'"),
        (["1", "inf"], "ratio", None, "needs numbers of 0 or more as labels, found 'inf'"),
        (["-1", "1"], "ratio", None, "needs numbers of 0 or more as labels, found '-1'. Use scale='interval'"),
        (["-1", "1"], "interval", "ratio", "Ratio weights need labels of 0 or more, found -1"),
        (["a", "b"], "nominal", "cubic", "The weights must be one of identity, .* or a matrix, found 'cubic'"),
        (["a", "b"], "nominal", [[1, 0]], r"must be 2 x 2 for 2 labels, found shape \(1, 2\)"),
        (["a", "b"], "nominal", [[1, 0], [0, 2]], "between 0 and 1 with 1 on the diagonal"),
        (["a", "b"], "nominal", [[1, float("nan")], [0, 1]], "between 0 and 1 with 1 on the diagonal"),
        (["a", "b"], "nominal", [["x", "y"], ["z", "x"]], "A weight matrix must hold numbers"),
    ],
)
def test_bad_scales_and_weights_are_named(labels, scale, weights, message):
    ratings = pl.DataFrame({"item": ["1"], "rater": ["x"], "label": [labels[0]]})
    with pytest.raises(StatsError, match=message):
        agreement(ratings, labels=labels, scale=scale, weights=weights)


@pytest.mark.parametrize("scale", ["interval", "ratio"])
def test_a_null_among_the_labels_is_no_number(scale):
    with pytest.raises(StatsError, match=f"The scale '{scale}' needs numbers.*found None"):
        label_setting(["1", None], scale, None)
