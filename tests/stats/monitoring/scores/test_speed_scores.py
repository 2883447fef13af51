"""Ratings that are faster than a rater's own tenth."""

from datetime import date

import numpy as np
import polars as pl
import pytest

from stats.monitoring.scores.speed_scores import fast_counts, fast_limits

DAY = date(2026, 1, 5)
SCHEMA = {"day": pl.Date, "rater": pl.String, "duration_s": pl.Float64, "n_ratings": pl.Int64}


def durations(*rows: tuple[str, float, int]) -> pl.DataFrame:
    return pl.DataFrame([(DAY, *row) for row in rows], schema=SCHEMA, orient="row")


def test_the_limit_is_the_quantile_of_single_ratings() -> None:
    rng = np.random.default_rng(1)
    values = rng.lognormal(3, 0.5, 57).round(1)
    table = durations(*[("ann", float(value), 1) for value in values], ("bob", 4.0, 3))
    result = fast_limits(table.sample(fraction=1, shuffle=True, seed=1))
    assert result["ann"] == pytest.approx(np.quantile(values, 0.1), rel=1e-15)
    assert result["bob"] == 4


def test_strictly_below() -> None:
    table = durations(("ann", 4.0, 3), ("ann", 3.9, 2), ("bob", 1.0, 5))
    assert fast_counts(table, {"ann": 4.0}).rows() == [(DAY, "ann", 5, 2)]


def test_no_durations() -> None:
    assert fast_limits(durations()) == {}
    assert fast_counts(durations(), {}).is_empty()
