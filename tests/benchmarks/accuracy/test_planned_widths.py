"""The benchmark of planned widths draws what was planned, and averages what comes out."""

import pytest

from benchmarks.accuracy.planned_widths import METHODS, Width, drawn_widths, table_row
from stats.accuracy.planning.items_needed import plan

PLANNED = plan(n_labels=3, n_raters=3, kappa=0.55, half_width=0.05, confidence=0.9)


def test_the_width_of_the_planned_model_is_about_the_planned_one() -> None:
    widths = drawn_widths(PLANNED, 1)
    assert set(widths) == set(METHODS)
    assert widths["one_coin"].ratio == pytest.approx(1, abs=0.3)


def test_a_row_has_the_means_of_the_projects() -> None:
    widths = [{method: Width(ratio, holds) for method in METHODS} for ratio, holds in ((1.0, True), (1.5, False))]
    assert table_row(PLANNED, widths) == "| 3 | 0.55 | ±0.05 | 129 | 1.25 | 0.50 | 1.25 | 0.50 |"
    assert table_row(PLANNED, [widths[0], {"one_coin": Width(2.0, True)}]).endswith("| 1.50 | 1.00 | 1.00 | 1.00 |")
