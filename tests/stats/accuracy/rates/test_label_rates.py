"""Label rates of systems: every method, its counts, and what is undefined."""

import numpy as np
import polars as pl
import pytest

from stats.accuracy.rates.label_rates import label_rates
from stats.errors import StatsError

LABELS = ["pass", "fail"]


def ratings(n: int = 400, rate: float = 0.7, seed: int = 3) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Three people right in .85, a judge that passes too much; and the truth of all items."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < rate
    rows = []
    for name in ("ann", "bob", "cy"):
        text = truth ^ (rng.random(n) > 0.85)
        rows += [(str(i), name, LABELS[int(not s)]) for i, s in enumerate(text)]
    text = truth | (rng.random(n) < 0.4)
    rows += [(str(i), "judge", LABELS[int(not s)]) for i, s in enumerate(text)]
    gold = pl.DataFrame({"item": [str(i) for i in range(n)], "label": [LABELS[int(not t)] for t in truth]})
    return pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row"), gold


def figures(result: pl.DataFrame, label: str = "pass") -> dict[str, float]:
    rows = result.filter(pl.col("label") == label)
    return dict(zip(rows["method"], rows["estimate"], strict=True))


def test_gold_corrects_a_judge_that_passes_too_much() -> None:
    frame, gold = ratings()
    result = label_rates(frame, systems=["judge"], labels=LABELS, gold=gold.head(100))
    rates = figures(result)
    truth = float((gold["label"] == "pass").mean())  # type: ignore[arg-type]
    assert list(rates) == ["ppi", "rogan_gladen", "gold_only", "raw"]
    assert rates["raw"] > truth + 0.08
    assert abs(rates["ppi"] - truth) < 0.05
    assert abs(rates["rogan_gladen"] - truth) < 0.12
    assert rates["gold_only"] == float((gold["label"].head(100) == "pass").mean())  # type: ignore[arg-type]
    rows = {row["method"]: row for row in result.filter(pl.col("label") == "pass").to_dicts()}
    assert (rows["ppi"]["n_items"], rows["ppi"]["n_gold"], rows["raw"]["n_gold"]) == (400, 100, 0)
    assert rows["ppi"]["low"] < truth < rows["ppi"]["high"] < rows["raw"]["low"]


def test_two_labels_add_up_and_mirror_each_other() -> None:
    frame, gold = ratings()
    result = label_rates(frame, systems=["judge"], labels=LABELS, gold=gold.head(40))
    passing, failing = figures(result), figures(result, "fail")
    for method in passing:
        assert passing[method] + failing[method] == pytest.approx(1, abs=1e-9), method


def test_without_gold_the_model_and_what_the_judge_says() -> None:
    frame, gold = ratings(1500)
    result = label_rates(frame, systems=["judge"], labels=LABELS)
    truth = float((gold["label"] == "pass").mean())  # type: ignore[arg-type]
    rates = figures(result)
    assert list(rates) == ["model", "raw"]
    row = result.row(0, named=True)
    assert row["low"] < truth < row["high"]
    assert row["n_gold"] == 0
    assert abs(rates["model"] - truth) < abs(rates["raw"] - truth)


def test_few_gold_items_give_a_reason_and_leave_raw() -> None:
    frame, gold = ratings(50)
    result = label_rates(frame, systems=["judge"], labels=LABELS, gold=gold.head(1))
    assert result.filter(pl.col("method") != "raw")["reason"].unique().to_list() == ["too_few_gold"]
    assert result.filter(pl.col("method") == "raw")["estimate"].null_count() == 0


def test_raters_no_better_than_chance_leave_no_model_rate() -> None:
    rng = np.random.default_rng(1)
    rows = [(str(i), name, LABELS[int(rng.integers(2))]) for i in range(60) for name in ("a", "b", "judge")]
    apart = [(str(i), name, LABELS[j]) for i in range(60, 90) for j, name in enumerate(("a", "b"))]
    frame = pl.DataFrame(rows + apart, schema=["item", "rater", "label"], orient="row")
    result = label_rates(frame, systems=["judge"], labels=LABELS).filter(pl.col("method") == "model")
    assert result["estimate"].null_count() == 2
    assert result["reason"].null_count() == 0


def test_item_counts_stand_for_as_many_items() -> None:
    frame, gold = ratings(60)
    weighted = frame.with_columns(n_items=pl.lit(3))
    repeated = pl.concat([frame.with_columns(item=pl.format("{}-{}", "item", pl.lit(i))) for i in range(3)])
    golds = pl.concat([gold.head(20).with_columns(item=pl.format("{}-{}", "item", pl.lit(i))) for i in range(3)])
    result = label_rates(weighted, systems=["judge"], labels=LABELS, gold=gold.head(20))
    assert result.equals(label_rates(repeated, systems=["judge"], labels=LABELS, gold=golds))


def test_gold_with_an_unknown_label_is_refused() -> None:
    frame, gold = ratings(20)
    with pytest.raises(StatsError, match="undeclared label"):
        label_rates(frame, systems=["judge"], labels=LABELS, gold=gold.with_columns(label=pl.lit("maybe")))
