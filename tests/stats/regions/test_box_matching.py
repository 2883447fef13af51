"""Matching of boxes by IoU: by hand, beside a search over all matchings, and what is refused."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from stats.errors import StatsError
from stats.regions import by_label, by_pair, match_boxes, region_agreement
from stats.regions.box_matching import BOXES, iou

Box = tuple[float, float, float, float]


def boxes(*rows: tuple[str, str, Box, str]) -> pl.DataFrame:
    return pl.DataFrame([(item, rater, *box, label) for item, rater, box, label in rows], schema=BOXES, orient="row")


def worked(*pairs: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(pairs, schema=["item", "rater"], orient="row")


BOTH = worked(("i", "ann"), ("i", "ben"))
# A box of 100 x 60, and the same 2 to the right: the intersection is 98 x 60, the union 102 x 60.
CAR, SHIFTED = (10.0, 20.0, 110.0, 80.0), (12.0, 20.0, 112.0, 80.0)


def test_iou_is_intersection_by_union() -> None:
    table = iou(np.array([CAR, (0, 0, 1, 1)]), np.array([SHIFTED, CAR, (0.5, 0, 1.5, 1)]))
    assert table == pytest.approx(np.array([[98 / 102, 1, 0], [0, 0, 1 / 3]]), abs=1e-12)


def test_boxes_without_an_area_match_their_equals_only() -> None:
    point, other = (1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 2.0)
    assert iou(np.array([point]), np.array([point, other])).tolist() == [[1.0, 0.0]]


def test_a_pair_by_hand() -> None:
    rows = match_boxes(
        boxes(("i", "ann", CAR, "car"), ("i", "ann", (0, 0, 4, 4), "dog"), ("i", "ben", SHIFTED, "car")), BOTH
    )
    assert rows.select("label", "n_a", "n_b", "iou50", "iou75", "matched").rows() == [
        ("car", 1, 1, 1, 1, 1), ("dog", 1, 0, 0, 0, 0),
    ]  # fmt: skip
    assert rows["iou"][0] == pytest.approx(98 / 102, abs=1e-12)
    result = region_agreement(rows, BOTH)
    assert dict(result.select("name", "estimate").rows()) == pytest.approx(
        {"f1_iou50": 2 / 3, "f1_iou75": 2 / 3, "mean_iou": 98 / 102}, abs=1e-12
    )
    assert result["reason"].to_list() == ["too_few_items"] * 3  # one item tells nothing of the items


def test_the_matching_has_the_largest_sum_of_iou() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        corners = rng.uniform(0, 10, (8, 2))
        drawn = [tuple(map(float, (*corner, *(corner + rng.uniform(3, 9, 2))))) for corner in corners]
        a, b = drawn[:4], drawn[4:]
        rows = match_boxes(
            boxes(*(("i", "ann", box, "x") for box in a), *(("i", "ben", box, "x") for box in b)),
            BOTH,  # type: ignore[misc]
        )
        table = iou(np.array(a), np.array(b))
        best = max(sum(table[i, j] for i, j in enumerate(order)) for order in permutations(range(4)))
        assert rows["iou"][0] == pytest.approx(best, abs=1e-12)


def test_pairs_labels_and_intervals() -> None:
    far = (500.0, 500.0, 510.0, 510.0)
    marked = boxes(
        *(("1", rater, CAR, "car") for rater in ("ann", "ben", "cid")),
        ("2", "ann", CAR, "car"), ("2", "ben", far, "car"), ("3", "ann", CAR, "dog"), ("3", "ben", SHIFTED, "dog"),
    )  # fmt: skip
    who = worked(*((item, rater) for item in "123" for rater in ("ann", "ben")), ("1", "cid"), ("3", "cid"))
    matches = match_boxes(marked, who)
    pairs = by_pair(matches, who, coefficients=["f1_iou50"])
    assert pairs.select("rater_a", "rater_b", pl.col("estimate").round(6)).rows() == [
        ("ann", "ben", round(4 / 6, 6)), ("ann", "cid", round(2 / 3, 6)), ("ben", "cid", round(2 / 3, 6)),
    ]  # fmt: skip
    labels = by_label(matches, who, coefficients=["mean_iou"])
    assert labels.select("label", pl.col("estimate").round(6)).rows() == [("car", 1.0), ("dog", round(98 / 102, 6))]
    whole = region_agreement(matches, who).row(0, named=True)
    assert whole["low"] < whole["estimate"] < whole["high"]
    assert (whole["n_items"], whole["n_raters"], whole["n_regions"]) == (3, 3, 7)


def test_nothing_that_matches_and_nobody_beside() -> None:
    far = (500.0, 500.0, 510.0, 510.0)
    apart = match_boxes(boxes(("i", "ann", CAR, "car"), ("i", "ben", far, "car")), BOTH)
    results = {row["name"]: row for row in region_agreement(apart, BOTH).to_dicts()}
    assert results["f1_iou50"]["estimate"] == 0
    assert (results["mean_iou"]["estimate"], results["mean_iou"]["reason"]) == (None, "zero_denominator")
    alone = worked(("i", "ann"))
    row = region_agreement(match_boxes(boxes(("i", "ann", CAR, "car")), alone), alone).row(0, named=True)
    assert (row["estimate"], row["reason"]) == (None, "too_few_raters")


@pytest.mark.parametrize("box", [(2.0, 0.0, 1.0, 1.0), (0.0, 2.0, 1.0, 1.0), (0.0, 0.0, float("nan"), 1.0)])
def test_a_box_inside_out_or_without_an_end_is_refused(box: Box) -> None:
    with pytest.raises(StatsError, match="finite edges"):
        match_boxes(boxes(("i", "ann", box, "car")), BOTH)


def test_the_unit_makes_no_difference() -> None:
    rows = [("i", "ann", CAR, "car"), ("i", "ben", SHIFTED, "car")]
    scaled = [(i, r, (a / 640, b / 480, c / 640, d / 480), label) for i, r, (a, b, c, d), label in rows]
    assert match_boxes(boxes(*scaled), BOTH)["iou"][0] == pytest.approx(98 / 102, abs=1e-12)
