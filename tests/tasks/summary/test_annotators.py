"""The order of annotators: those who stand out first, and by their mean agreement with the others."""

from typing import Any

import pytest

from tasks.summary.annotators import order_annotators, raters_by_agreement


def card(rater: str, agreement: float | None, high: float | None, n_open_alerts: int = 0) -> dict[str, Any]:
    return {"rater": rater, "agreement": agreement, "high": high, "confidence": 0.9, "n_open_alerts": n_open_alerts}


CARDS = [card("ann", 0.9, 1.0), card("ben", 0.4, 0.5), card("cem", 0.8, 0.9), card("dia", 0.7, 0.8, 1),
         card("eva", None, None), card("fay", float("nan"), None)]  # fmt: skip


def test_open_alerts_and_intervals_below_the_mean_stand_out() -> None:
    ordered = order_annotators(CARDS, "agreement", "high")
    assert [row["rater"] for row in ordered.rows] == ["ben", "dia", "cem", "ann", "eva", "fay"]
    assert ordered.average == pytest.approx((0.9 + 0.4 + 0.8 + 0.7) / 4)
    assert (ordered.n_standing_out, ordered.n_by_chance) == (2, round(6 * 0.1 / 2))


def test_a_given_average_counts_instead_of_the_mean() -> None:
    ordered = order_annotators(CARDS, "agreement", "high", 0.95)
    assert [row["rater"] for row in ordered.rows] == ["ben", "dia", "cem", "ann", "eva", "fay"]
    assert (ordered.average, ordered.n_standing_out) == (0.95, 3)


def test_without_figures_nobody_stands_out() -> None:
    ordered = order_annotators([card("eva", None, None)], "agreement", "high")
    assert (ordered.average, ordered.n_standing_out) == (0.0, 0)


def test_raters_are_ordered_by_their_mean_agreement() -> None:
    pairs = [("a", "b", 0.2), ("a", "c", 0.9), ("b", "c", 0.6)]
    rows = [{"rater_a": a, "rater_b": b, "estimate": estimate} for a, b, estimate in pairs]
    assert raters_by_agreement(rows) == ["c", "a", "b"]  # .75, .55, .4
