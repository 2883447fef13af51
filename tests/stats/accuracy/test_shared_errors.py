"""Errors that raters share: the what-if, and the correlation of errors that gold shows."""

import numpy as np
import polars as pl
import pytest

from stats.accuracy import accuracy, warnings_in_words
from stats.accuracy.shared_errors import (
    LEAST_ITEMS,
    SHARES,
    accuracy_if_shared,
    effective_raters,
    sensitivity,
    shared_errors,
)
from stats.arrays import FloatArray
from stats.simulate import simulate_ratings


def table(wrong: FloatArray) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ratings of raters who err where `wrong` (items, raters) says so; the right label is A."""
    n, m = wrong.shape
    rows = [(str(i), f"r{j}", "B" if wrong[i, j] else "A") for i in range(n) for j in range(m)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    return frame, frame.select("item", label=pl.lit("A")).unique().sort("item")


def drawn(rho: float, n: int, m: int, seed: int) -> FloatArray:
    """Errors with a beta-binomial correlation rho and mean .3."""
    rng = np.random.default_rng(seed)
    s = 1 / rho - 1
    p = rng.beta(0.3 * s, 0.7 * s, n)
    return np.asarray(rng.random((n, m)) < p[:, None])


def test_a_share_d_of_traps_mixes_right_and_wrong_answers() -> None:
    for k, A, d in ((2, 0.9, 0.25), (5, 0.7, 0.05)):
        mixed = (1 - d) * A + d * (1 - A) / (k - 1)
        assert accuracy_if_shared(A, k, d) == pytest.approx(mixed)
    assert accuracy_if_shared(0.2, 5, 0.25) == pytest.approx(0.2)  # chance stays chance


def test_sensitivity_is_of_average_without_gold() -> None:
    rng = np.random.default_rng(2)
    rated = simulate_ratings(n_items=60, labels=["A", "B"], raters={"a": 0.8, "b": 0.8}, systems={"s": 0.9}, rng=rng)
    result = accuracy(rated.drop("truth"), systems=["s"], labels=["A", "B"])
    rows = sensitivity(result, 2)
    assert [row["share"] for row in rows] == list(SHARES)
    A = result["accuracy"][0]
    assert [row["accuracy"] for row in rows] == [accuracy_if_shared(A, 2, d) for d in SHARES]
    gold = rated.select("item", label="truth").unique().sort("item").head(20)
    assert sensitivity(accuracy(rated.drop("truth"), systems=["s"], labels=["A", "B"], gold=gold), 2) == []


def test_effective_raters_reach_a_limit() -> None:
    assert effective_raters(4, 1.0) == 1.0
    assert effective_raters(1000, 0.16) == pytest.approx(1 / 0.16, rel=0.01)
    assert effective_raters(5, -0.2) == 5.0


@pytest.mark.parametrize("rho", [0.1, 0.3])
def test_the_correlation_is_the_one_that_made_the_errors(rho: float) -> None:
    result = shared_errors(*table(drawn(rho, 800, 5, 1)), labels=["A", "B"])
    assert None not in (result.correlation, result.low, result.high)
    assert result.correlation == pytest.approx(rho, abs=0.04)
    assert result.low < rho < result.high  # type: ignore[operator]
    assert result.n_effective == pytest.approx(effective_raters(5, result.correlation))  # type: ignore[arg-type]
    assert result.n_effective_low < result.n_effective < result.n_effective_high  # type: ignore[operator]


def test_its_interval_covers() -> None:
    held = 0
    for seed in range(150):
        result = shared_errors(*table(drawn(0.25, 60, 4, seed)), labels=["A", "B"], confidence=0.9)
        held += result.low is not None and result.high is not None and result.low <= 0.25 <= result.high
    assert 0.82 <= held / 150 <= 0.97


def test_an_item_that_stands_for_several_counts_so_often() -> None:
    errors = drawn(0.3, 40, 3, 3)
    frame, gold = table(errors)
    twice, gold_twice = table(np.concatenate([errors, errors]))
    weighted = shared_errors(frame.with_columns(n_items=pl.lit(2)), gold, labels=["A", "B"])
    plain = shared_errors(twice, gold_twice, labels=["A", "B"])
    assert weighted.n_items == plain.n_items == 80
    assert weighted.correlation == pytest.approx(plain.correlation)
    assert weighted.high == pytest.approx(plain.high)


def test_where_it_is_undefined_there_is_a_reason() -> None:
    few = shared_errors(*table(drawn(0.3, LEAST_ITEMS - 1, 3, 1)), labels=["A", "B"])
    assert (few.correlation, few.reason) == (None, "too_few_items")
    perfect = shared_errors(*table(np.zeros((30, 3))), labels=["A", "B"])
    assert (perfect.correlation, perfect.reason) == (None, "zero_denominator")
    lone = shared_errors(*table(drawn(0.3, 30, 1, 1)), labels=["A", "B"])
    assert lone.reason == "too_few_items"


def test_methods_far_apart_call_for_an_audit_and_promise_no_larger_error() -> None:
    (note,) = warnings_in_words.on_dawid_skene(0.9, 0.75)
    assert note.startswith("The methods disagree: audit.")
    assert "not measured that errors are larger" in note
    assert warnings_in_words.on_dawid_skene(0.9, None) == []


def test_an_outer_interval_without_width_is_said_to_be_too_sure() -> None:
    (note,) = warnings_in_words.on_outer_interval({"outer_low": 0.99971, "outer_high": 0.99999})
    assert "agree on a wrong label" in note
    assert warnings_in_words.on_outer_interval({"outer_low": 0.97, "outer_high": 0.99}) == []
    assert warnings_in_words.on_outer_interval({"outer_low": None, "outer_high": None}) == []
    assert warnings_in_words.on_outer_interval({}) == []


def test_a_million_items_on_which_the_system_follows_from_the_raters_get_that_warning() -> None:
    rows = [("0", rater, "yes", 700_000) for rater in ("ann", "bob", "bot")]
    rows += [("1", "ann", "yes", 100_000), ("1", "bob", "no", 100_000), ("1", "bot", "yes", 100_000)]
    rows += [("2", rater, "no", 200_000) for rater in ("ann", "bob", "bot")]
    ratings = pl.DataFrame(rows, schema=["item", "rater", "label", "n_items"], orient="row")
    row = accuracy(ratings, systems=["bot"], labels=["no", "yes"], methods=["average"]).row(0, named=True)
    assert row["outer_high"] - row["outer_low"] < 0.0005
    assert any("no width that shows" in sentence for sentence in row["warnings"])
