"""Severity: closed cases, invariance, when it is undefined, and recovery by simulation."""

import numpy as np
import polars as pl
import pytest

from benchmarks.agreement.severity_coverage import simulated
from stats.agreement.scorecard.severity import rater_severity

SEVERITIES = np.array([-0.8, -0.2, 0.0, 0.3, 0.7])


def two(n_ab: int, n_ba: int, n_equal: int = 10) -> pl.DataFrame:
    pairs = [(1, 0)] * n_ab + [(0, 1)] * n_ba + [(1, 1)] * n_equal
    rows = [
        (str(i), rater, str(label)) for i, pair in enumerate(pairs) for rater, label in zip("ab", pair, strict=True)
    ]
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")


def test_two_raters_and_two_labels_are_mcnemars_case() -> None:
    a, b = rater_severity(two(25, 9), labels=["0", "1"]).to_dicts()
    assert b["severity"] - a["severity"] == pytest.approx(np.log(25 / 9))
    assert 2 * b["se"] == pytest.approx(np.sqrt(1 / 25 + 1 / 9), rel=1e-6)
    assert a["severity"] == pytest.approx(-b["severity"])


def test_items_of_equal_ratings_say_nothing_and_a_turned_scale_turns_the_sign() -> None:
    ratings = simulated(np.random.default_rng(3), 120, SEVERITIES, np.array([-1.0, 0.0, 1.0]), 3)
    labels = ["0", "1", "2", "3"]
    result = rater_severity(ratings, labels=labels)
    turned = rater_severity(
        ratings.with_columns(label=(3 - pl.col("label").cast(pl.Int64)).cast(pl.String)), labels=labels
    )
    assert result["severity"].to_numpy() == pytest.approx(-turned["severity"].to_numpy(), abs=1e-7)
    assert result["severity"].sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("ratings", "reasons"),
    [
        (two(25, 0), ["not_identified"] * 2),  # b is never above a
        (two(3, 3), ["too_few_items"] * 2),
        (two(5, 5).filter(pl.col("rater") == "a"), ["too_few_raters"]),
    ],
)
def test_when_it_is_undefined(ratings: pl.DataFrame, reasons: list[str]) -> None:
    result = rater_severity(ratings, labels=["0", "1"])
    assert result["reason"].to_list() == reasons
    assert result["severity"].null_count() == result.height


def test_severities_are_recovered_and_the_intervals_hold_them() -> None:
    """40 studies of 150 items; benchmarks/agreement/severity_coverage.py has 300 of each design."""
    estimates, held = [], []
    for seed in range(40):
        ratings = simulated(np.random.default_rng(seed), 150, SEVERITIES, np.array([-1.0, 0.0, 1.0]), 3)
        result = rater_severity(ratings, labels=["0", "1", "2", "3"])
        estimates.append(result["severity"].to_numpy())
        low, high = result["low"].to_numpy(), result["high"].to_numpy()
        held.append((low <= SEVERITIES) & (high >= SEVERITIES))
    assert np.abs(np.mean(estimates, axis=0) - SEVERITIES).max() < 0.1
    assert 0.90 <= np.mean(held) <= 0.985
