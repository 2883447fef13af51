"""Simulated coverage of spans, boxes, rankings and texts: each figure is there, and more care is more agreement."""

import polars as pl

from benchmarks.regions.coverage import CARES, measure
from tasks.region_coefficients import NAMES


def test_each_coefficient_is_measured_and_more_care_is_more_agreement() -> None:
    table = measure(4, n_truth=200, sizes=(8,))
    assert set(table["coefficient"]) == set(NAMES)
    assert table["held"].is_between(0, 1).all()
    assert table["defined"].min() == 1.0
    (low, _), (high, _) = CARES
    both = table.filter(care=low).join(table.filter(care=high), on="coefficient")
    assert both.height == len(NAMES)
    assert both.select((pl.col("truth") < pl.col("truth_right")).all()).item()
