"""The interval that a verdict rests on: from ratings whose standard error is 0, and from all others."""

from typing import Any

import polars as pl
import pytest

from stats.agreement import agreement
from stats.verdict_interval import has_no_width, items_that_all_agree, probability_above, verdict_interval

NAMES = ["krippendorff_alpha", "gwet_ac1", "percent_agreement", "yule_y"]


def rows_of(*pairs: str, **options: Any) -> dict[str, dict[str, Any]]:
    """The rows of `agreement` for items that two raters gave these two labels."""
    ratings = [
        (str(item), rater, label) for item, pair in enumerate(pairs) for rater, label in zip("ab", pair, strict=True)
    ]
    frame = pl.DataFrame(ratings, schema=["item", "rater", "label"], orient="row")
    table = agreement(frame, labels=["x", "y"], coefficients=NAMES, **options)
    return {row["name"]: row for row in table.to_dicts()}


def test_an_interval_with_a_width_is_the_one_of_the_row() -> None:
    for row in rows_of("xx", "yy", "xy", "xx", "yx", "yy").values():
        assert not has_no_width(row)
        assert verdict_interval(row) == (row["low"], row["high"])


@pytest.mark.parametrize("n", [2, 10, 300])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_where_all_agree_unlike_items_may_be_as_many_as_show_none_so_often(n: int, confidence: float) -> None:
    row = rows_of(*["xx", "yy"] * (n // 2), confidence=confidence)["krippendorff_alpha"]
    assert (row["estimate"], row["low"], row["high"]) == (1, 1, 1)
    low, high = verdict_interval(row)
    assert high == 1
    assert low is not None
    unlike = (1 - low) * (1 - row["expected"])  # the share of items without agreement at the lower end
    assert (1 - unlike) ** n == pytest.approx(1 - confidence)


def test_agreement_without_chance_in_it_starts_at_zero() -> None:
    result = rows_of("xx", "yy", "xx", "yy", "yy")
    low = 0.05**0.2
    assert verdict_interval(result["percent_agreement"]) == pytest.approx((low, 1))
    assert verdict_interval(result["yule_y"]) == (None, None)  # it has no expected agreement


@pytest.mark.parametrize("n", [2, 6, 40])
def test_where_no_item_agrees_unlike_ones_may_agree(n: int) -> None:
    row = rows_of(*["xy", "yx"] * (n // 2))["gwet_ac1"]
    assert (row["estimate"], row["low"], row["high"]) == (-1, -1, -1)
    low, high = verdict_interval(row)
    assert low == -1
    assert high == pytest.approx(1 - 2 * 0.05 ** (1 / n))


def test_an_estimate_of_another_form_has_none() -> None:
    row = rows_of("xy", "yx")["gwet_ac1"]
    assert verdict_interval(row | {"observed": 0.2}) == (None, None)
    assert verdict_interval(row | {"expected": None}) == (None, None)
    assert verdict_interval(row | {"low": None, "high": None}) == (None, None)


@pytest.mark.parametrize(
    "missing",
    [{"n_items": None}, {"n_items": 0}, {"confidence": None}, {"expected": None}, {"expected": 1.0}],
)
@pytest.mark.parametrize("value", [1.0, 0.0])
def test_items_alike_prove_nothing_where_a_figure_is_unknown(value: float, missing: dict[str, Any]) -> None:
    row = {"estimate": value, "low": value, "high": value, "observed": 0.5 + value / 2, "expected": 0.5,
           "n_items": 30, "confidence": 0.95}  # fmt: skip
    assert verdict_interval(row) != (None, None)
    assert verdict_interval(row | missing) == (None, None)


def test_where_all_agree_the_observed_agreement_is_known() -> None:
    row = {"estimate": 1.0, "low": 1.0, "high": 1.0, "expected": 0.5, "n_items": 30, "confidence": 0.95}
    low, high = verdict_interval(row | {"observed": None})
    assert (low, high) == (pytest.approx(2 * 0.05 ** (1 / 30) - 1), 1)
    alike = row | {"estimate": 0.0, "low": 0.0, "high": 0.0}
    assert verdict_interval(alike | {"observed": None}) == (None, None)


@pytest.mark.parametrize("n_items", [2, 12])
@pytest.mark.parametrize("limit", [-0.5, 0.0, 0.667])
def test_the_interval_of_the_sureness_of_a_limit_reaches_down_to_it(limit: float, n_items: int) -> None:
    row = {"estimate": 1.0, "low": 1.0, "high": 1.0, "observed": 1.0, "expected": 0.5, "n_items": n_items}
    sure = probability_above(limit, row)
    assert sure is not None
    assert verdict_interval(row | {"confidence": sure})[0] == pytest.approx(limit, abs=1e-6)
    assert probability_above(limit, row | {"n_items": None}) is None
    assert probability_above(limit, row | {"expected": 1.0}) is None
    assert probability_above(limit, row | {"expected": None}) is None
    assert probability_above(limit, row | {"low": None}) is None
    assert probability_above(limit, row | {"low": 0.99}) is None


def test_a_limit_below_all_that_chance_gives_is_certain() -> None:
    row = {"low": 1.0, "expected": 0.25, "confidence": 0.95, "n_items": 3}
    assert probability_above(-0.5, row) == 1
    assert items_that_all_agree(-0.5, row) is None
    assert items_that_all_agree(0.0, row | {"expected": 0.0}) is None


def test_no_end_of_an_interval_lies_outside_what_agreement_can_be() -> None:
    row = {"estimate": -1.0, "low": -1.0, "high": -1.0, "observed": 0.2, "expected": 0.6, "confidence": 0.95}
    alike = 0.05**0.5
    assert verdict_interval(row | {"n_items": 2}) == (-1, pytest.approx((0.2 * alike + 1 - alike - 0.6) / 0.4))


@pytest.mark.parametrize("limit", [0.0, 0.4, 0.667, 0.9])
def test_as_many_items_as_needed_reach_the_limit_and_one_less_does_not(limit: float) -> None:
    row = {"estimate": 1.0, "low": 1.0, "high": 1.0, "expected": 0.4, "confidence": 0.95}
    n = items_that_all_agree(limit, row)
    assert n is not None
    lows = [verdict_interval(row | {"n_items": items})[0] or 0.0 for items in (n - 1, n)]
    assert lows[0] < limit <= lows[1]
    assert items_that_all_agree(limit, row | {"expected": 1.0}) is None
