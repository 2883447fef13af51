"""The tables that need human raters: as one asks for them, and empty."""

import numpy as np
import polars as pl

from stats.accuracy import annotators, prepared
from stats.simulate import simulate_ratings
from tasks.evaluate.rater_tables import no_rater_tables, rater_tables


def test_empty_tables_have_the_columns_of_full_ones() -> None:
    drawn = simulate_ratings(
        n_items=60, labels=["A", "B"], raters={"a": 0.8, "b": 0.8, "c": 0.8}, systems={"s": 0.9},
        rng=np.random.default_rng(1),
    ).drop("truth")  # fmt: skip
    once = prepared(drawn, systems=["s"], labels=["A", "B"])
    people = annotators(drawn.filter(pl.col("rater") != "s"), labels=["A", "B"])
    full = rater_tables(once, once, people, None, {"scale": "nominal", "confidence": 0.95, "seed": 0})
    empty = no_rater_tables()
    assert {name: rows.schema for name, rows in full.items()} == {name: rows.schema for name, rows in empty.items()}
    assert all(full[name].height and empty[name].is_empty() for name in full)
