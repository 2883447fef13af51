"""How often the intervals of corrected label rates hold the rate, on simulated systems whose errors are known.

    python -m benchmarks.gold.rates_coverage               # half a minute
    python -m benchmarks.gold.rates_coverage --runs 200

It is a part of `python -m benchmarks.gold.coverage`, too, which writes docs/gold-coverage.md.

The rate is .05 to .95. The system finds the label where it is right (sensitivity), and leaves it out where it is not
(specificity), as in SYSTEMS. The gold items are a random sample. Both intervals are at 95 %.
"""

import argparse
from collections.abc import Sequence
from itertools import product

import numpy as np
import polars as pl

from stats.accuracy.rates.label_rates import corrected_rates

RATES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.8, 0.95)
SYSTEMS = ((0.95, 0.95), (0.9, 0.9), (0.8, 0.95), (0.7, 0.7), (0.98, 0.9))
N_REST = (300, 2000)
N_GOLD = (20, 50, 200)
N_SETTINGS = len(RATES) * len(SYSTEMS) * len(N_REST)  # of each number of gold items
CONFIDENCE = 0.95


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400, help="of each of the 70 settings")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with pl.Config(tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_hide_column_data_types=True, float_precision=3):
        print(summary(measure(options.runs, options.seed)))


def measure(runs: int, seed: int, sizes: Sequence[int] = N_GOLD) -> pl.DataFrame:
    """Return one row per setting and method: n_gold, method, coverage, half_width, defined (share of the runs)."""
    return pl.concat([_of_size(n_gold, runs, np.random.default_rng([seed, n_gold])) for n_gold in sizes])


def _of_size(n_gold: int, runs: int, rng: np.random.Generator) -> pl.DataFrame:
    rows = []
    for rate, system, n_rest in product(RATES, SYSTEMS, N_REST):
        runs_of = [row for _ in range(runs) for row in _run(rng, n_gold, rate, system, n_rest)]
        frame = pl.DataFrame(runs_of, schema=["method", "held", "half_width"], orient="row")
        by_method = frame.group_by("method").agg(
            pl.col("held").mean().alias("coverage"), pl.col("half_width").mean(), defined=pl.col("held").count() / runs
        )
        rows.append(by_method.with_columns(n_gold=pl.lit(n_gold), rate=pl.lit(rate)))
    return pl.concat(rows)


def summary(figures: pl.DataFrame) -> pl.DataFrame:
    """Return mean, lowest and highest coverage over the settings."""
    grouped = figures.filter(pl.col("method") != "raw").group_by("n_gold", "method")
    return grouped.agg(
        pl.col("coverage").mean(),
        lowest=pl.col("coverage").min(),
        highest=pl.col("coverage").max(),
        half_width=pl.col("half_width").mean(),
        defined=pl.col("defined").mean(),
    ).sort("n_gold", "method")


def _run(
    rng: np.random.Generator, n_gold: int, rate: float, system: tuple[float, float], n_rest: int
) -> list[tuple[object, bool | None, float | None]]:
    """Return method, whether the interval holds the rate, and half-width; None where the method is undefined."""
    n = n_gold + n_rest
    truth = rng.random(n) < rate
    answer = np.where(rng.random(n) < np.where(truth, *system), truth, ~truth).astype(np.int64)
    answers = np.bincount(answer, minlength=2).astype(np.float64)
    gold = slice(0, n_gold)
    rows = corrected_rates(answers, answer[gold], truth[gold].astype(np.int64), None, CONFIDENCE)
    return [_held(row, rate) for label, row in rows if label == 1]


def _held(row: dict[str, object], rate: float) -> tuple[object, bool | None, float | None]:
    low, high = row.get("low"), row.get("high")
    if not isinstance(low, float) or not isinstance(high, float):
        return row["method"], None, None
    return row["method"], low <= rate <= high, (high - low) / 2


if __name__ == "__main__":
    main()
