"""F1 of spans: by hand, by pair and label, intervals, reasons."""

import numpy as np
import pytest

from stats.errors import StatsError
from stats.regions import by_label, by_pair, match_spans, region_agreement
from tests.stats.regions.test_span_matching import Span, frames

WORK: dict[tuple[str, str], list[Span]] = {
    ("1", "a"): [(0, 4, "PER"), (14, 20, "LOC")],
    ("1", "b"): [(0, 4, "PER"), (12, 20, "LOC")],
    ("1", "c"): [],
    ("2", "a"): [(0, 3, "PER")],
    ("2", "b"): [(0, 3, "PER")],
    ("3", "a"): [(5, 9, "LOC")],
}


def test_pooled_over_pairs_and_items_that_both_did() -> None:
    spans, result = frames(WORK)
    matches = match_spans(spans, result)
    exact, partial = region_agreement(matches, result).to_dicts()
    # a-b: 2 of 3 and 3 spans equal, 3 overlap; a-c and b-c: 2 spans each without a match. Item 3 has one rater
    assert exact["estimate"] == pytest.approx(2 * 2 / (6 + 2 + 2))
    assert partial["estimate"] == pytest.approx(2 * 3 / (6 + 2 + 2))
    assert (exact["n_items"], exact["n_raters"], exact["n_ratings"], exact["n_regions"]) == (2, 3, 5, 6)
    assert 0 <= exact["low"] <= exact["estimate"] <= exact["high"] <= 1
    pairs = {(r["rater_a"], r["rater_b"], r["coefficient"]): r for r in by_pair(matches, result).to_dicts()}
    assert pairs["a", "b", "f1_exact"]["estimate"] == pytest.approx(4 / 6)
    assert pairs["a", "c", "f1_exact"]["estimate"] == 0
    assert [key[:2] for key in pairs if key[2] == "f1_exact"] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert by_pair(matches, result, min_items=2)["rater_b"].unique().to_list() == ["b"]
    labels = {(r["label"], r["name"]): r["estimate"] for r in by_label(matches, result).to_dicts()}
    assert labels["LOC", "f1_exact"] == 0
    assert labels["PER", "f1_exact"] == pytest.approx(2 * 2 / (4 + 1 + 1))


def test_one_item_has_a_figure_without_interval() -> None:
    spans, result = frames({key: value for key, value in WORK.items() if key[0] == "1" and key[1] != "c"})
    exact, _ = region_agreement(match_spans(spans, result), result).to_dicts()
    assert (exact["estimate"], exact["low"], exact["reason"]) == (0.5, None, "too_few_items")


def test_an_interval_of_one_point_is_no_certainty() -> None:
    same: dict[tuple[str, str], list[Span]] = {(item, rater): [(0, 4, "P")] for item in "123" for rater in "ab"}
    spans, result = frames(same)
    exact, _ = region_agreement(match_spans(spans, result), result).to_dicts()
    assert (exact["low"], exact["high"], exact["se"]) == (1, 1, 0)
    assert exact["detail"] == (
        "The figure is the same whichever of the 3 items is left out: an interval of one point, which is no certainty."
    )


def test_nothing_to_compare_is_a_reason() -> None:
    spans, result = frames({("1", "a"): [(0, 1, "P")], ("2", "b"): []})
    assert set(region_agreement(match_spans(spans, result), result)["reason"]) == {"too_few_raters"}
    spans, result = frames({("1", "a"): [], ("1", "b"): []})
    assert set(region_agreement(match_spans(spans, result), result)["reason"]) == {"zero_denominator"}


def test_intervals_are_those_of_leaving_out_each_item() -> None:
    rng = np.random.default_rng(3)
    work: dict[tuple[str, str], list[Span]] = {}
    for item in range(25):
        for rater in "ab":
            work[str(item), rater] = [
                (10 * i, 10 * i + int(rng.integers(4, 6)), "P") for i in range(rng.integers(1, 4))
            ]
    spans, result = frames(work)
    (results,) = region_agreement(match_spans(spans, result), result, coefficients=["f1_exact"]).to_dicts()
    without = []
    for item in range(25):
        rest = {key: value for key, value in work.items() if key[0] != str(item)}
        part = region_agreement(match_spans(*frames(rest)), frames(rest)[1], coefficients=["f1_exact"])
        without.append(part["estimate"][0])
    values = np.array(without)
    assert results["se"] == pytest.approx((24 / 25 * ((values - values.mean()) ** 2).sum()) ** 0.5)


def test_an_unknown_coefficient() -> None:
    spans, result = frames(WORK)
    with pytest.raises(StatsError, match="no coefficient 'kappa'"):
        region_agreement(match_spans(spans, result), result, coefficients=["kappa"])
