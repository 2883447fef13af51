"""Label rates of a question's systems: all items, the items of each version, and the difference between versions."""

import numpy as np
import polars as pl

from tasks.evaluate.label_rate_tables import label_rate_tables, label_rates_of
from tasks.evaluate.systems import SystemRatings

LABELS = ["pass", "fail"]


def question(gold: int) -> tuple[SystemRatings, pl.DataFrame]:
    """Version 1 answers 200 items of which .8 pass, version 2 another 200 of which .4 do; each is right in .9."""
    rng = np.random.default_rng(2)
    truth = rng.random(400) < np.repeat([0.8, 0.4], 200)
    rows, answers = [], []
    for i, passes in enumerate(truth):
        for rater, right in (("ann", 0.85), ("bob", 0.85), ("bot", 0.9)):
            label = LABELS[int(passes != (rng.random() < right))]
            rows.append((str(i), rater, label, 1))
            if rater == "bot":
                answers.append((str(i), str(i), "bot", f"v{1 + i // 200}", label, None))
    schema = ["item", "rater", "label", "n_items"]
    known = [(str(i), LABELS[int(not truth[i])], 1) for i in (*range(gold), *range(200, 200 + gold))]
    gold_frame = pl.DataFrame(known, schema=["item", "label", "n_items"], orient="row") if gold else None
    inputs = SystemRatings(pl.DataFrame(rows, schema=schema, orient="row"), ["bot"], LABELS, "nominal", gold_frame)
    columns = {**dict.fromkeys(("item", "pattern", "rater", "system_version", "label"), pl.String), "first_at": pl.Date}
    return inputs, pl.DataFrame(answers, schema=columns, orient="row")


def test_rates_by_version_and_their_difference_with_gold() -> None:
    inputs, answers = question(60)
    result = label_rate_tables(inputs, label_rates_of(inputs).with_columns(system_version=pl.lit("v2")), answers)
    ppi = result.rates.filter(pl.col("method") == "ppi", pl.col("label") == "pass")
    assert ppi.select("scope", "system", "system_version", "n_items", "n_gold").rows() == [
        ("all", "bot", "v2", 400, 120),
        ("version:v1", "bot", "v1", 200, 60),
        ("version:v2", "bot", "v2", 200, 60),
    ]
    assert ppi["estimate"][1] > 0.7
    assert ppi["estimate"][2] < 0.5
    assert result.differences is not None
    row = result.differences.filter(pl.col("label") == "pass").row(0, named=True)
    assert (row["system"], row["version_a"], row["version_b"], row["n_gold"]) == ("bot", "v1", "v2", 120)
    assert row["low"] < -0.4 < row["high"] < 0


def test_without_gold_each_version_has_the_model_and_there_is_no_difference() -> None:
    inputs, answers = question(0)
    result = label_rate_tables(inputs, label_rates_of(inputs), answers)
    assert result.differences is None
    rows = result.rates.filter(pl.col("label") == "pass", pl.col("method") == "model")
    assert rows["scope"].to_list() == ["all", "version:v1", "version:v2"]
    assert rows["low"][1] < 0.8 < rows["high"][1]


def test_a_system_without_versions_has_only_its_own_rates() -> None:
    inputs, answers = question(0)
    assert label_rate_tables(inputs, label_rates_of(inputs), answers.clear()).rates["scope"].unique().to_list() == [
        "all"
    ]
