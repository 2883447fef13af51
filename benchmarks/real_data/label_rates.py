"""Label rates without gold (method `model`) beside the gold of real sets, which is hidden from them.

    python -m benchmarks.real_data.label_rates FOLDER      # each subfolder with a labels.csv and a gold.csv

Systems are as in `benchmarks.real_data.accuracy`, at most 10 of a set. The rate by gold is that of the system's items
that have gold and another rating.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.page import Table, as_text
from benchmarks.real_data.accuracy import read_sets, systems_of
from benchmarks.real_data.real_sets import Choice, RealSet
from stats.accuracy.rates.label_rates import label_rates

CONFIDENCE, MOST_SYSTEMS = 0.9, 10


def study(real_set: RealSet, system: str) -> Iterator[dict[str, Any]]:
    """A row per label: the error of the rate, and whether its intervals hold the rate by gold."""
    others = [name for name in real_set.systems if name != system]
    ratings = real_set.ratings.filter(~pl.col("rater").is_in(others))
    rated = ratings.filter(pl.col("rater") != system).select("item").unique()
    gold = ratings.filter(rater=system).join(rated, on="item", how="semi").join(real_set.gold, on="item")["gold"]
    rates = label_rates(ratings, systems=[system], labels=real_set.labels, confidence=CONFIDENCE).filter(method="model")
    for row in rates.drop_nulls("estimate").iter_rows(named=True):
        truth = float((gold == row["label"]).mean() or 0.0)
        yield {
            "set": real_set.name,
            "squared": (row["estimate"] - truth) ** 2,
            "inner": row["low"] <= truth <= row["high"],
            "outer": row["outer_low"] <= truth <= row["outer_high"],
            "half": (row["high"] - row["low"]) / 2,
            "outer_half": (row["outer_high"] - row["outer_low"]) / 2,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    rows = []
    for real_set in read_sets(parser.parse_args().folder):
        for system in systems_of(real_set, Choice(most_systems=MOST_SYSTEMS)):
            rows += list(study(real_set, system))
    by_set = pl.DataFrame(rows).group_by("set", maintain_order=True)
    frame = by_set.agg(pl.len(), pl.col("squared").mean().sqrt(), pl.col("inner", "outer").mean(),
                       pl.col("half", "outer_half").median())  # fmt: skip
    mean = frame.select(pl.lit("mean of the sets").alias("set"), pl.col("len").sum(), pl.exclude("set", "len").mean())
    cells = [[str(value) if isinstance(value, int | str) else f"{value:.3f}" for value in row]
             for row in (*frame.rows(), *mean.rows())]  # fmt: skip
    header = ("set", "rates", "RMSE", "inner holds", "outer holds", "half-width", "of outer")
    print(as_text(Table(f"Label rates without gold, {CONFIDENCE:.0%} intervals", "", header, cells)))


if __name__ == "__main__":
    main()
