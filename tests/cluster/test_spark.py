"""Ratings in a Spark session are reduced there, by the same code, and evaluate to the same figures."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from stats.counts import count_patterns, pair_tables, rating_patterns
from tasks.single_file.agree_file import agree
from tasks.single_file.load_file import FileOptions
from tasks.single_file.reduce import reduce_ratings

pytestmark = [
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is not here"),
    pytest.mark.filterwarnings("ignore"),  # of Spark itself, with pandas 3
]
LABELS, RATERS = ["a", "b", "c", "d"], ["r1", "r2", "r3", "r4", "sys"]
N_ITEMS = 200_000  # of five ratings each: a million


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    wanted = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "4",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in wanted.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet parts."""
    rng, folder = np.random.default_rng(6), tmp_path_factory.mktemp("spark") / "tone.parquet"
    folder.mkdir()
    truth = rng.integers(0, 4, N_ITEMS)
    for number, rater in enumerate(RATERS):
        given = np.where(rng.random(N_ITEMS) < 0.8, truth, rng.integers(0, 4, N_ITEMS))
        items = pl.Series(range(N_ITEMS)).cast(pl.String)
        part = pl.DataFrame({"item": items, "rater": rater, "label": np.array(LABELS)[given]})
        part.write_parquet(folder / f"part-{number}.parquet")
    return folder


def test_the_counts_of_a_million_ratings_are_equal_on_three_engines(spark: Any, dataset: Path) -> None:
    with duckdb.connect() as con:
        engines = {
            "polars": pl.scan_parquet(dataset / "*.parquet"),
            "duckdb": con.sql(f"from read_parquet('{dataset}/*.parquet')"),
            "spark": spark.read.parquet(str(dataset)),
        }
        for count in (rating_patterns, pair_tables, _by_label):
            tables = {}
            for name, frame in engines.items():
                started = time.perf_counter()
                tables[name] = count(frame, labels=LABELS, raters=RATERS)
                print(f"{count.__name__} of {N_ITEMS * len(RATERS):,} ratings, {name}: "
                      f"{time.perf_counter() - started:.2f} s")  # fmt: skip
            assert tables["spark"].equals(tables["polars"])
            assert tables["duckdb"].equals(tables["polars"])


def _by_label(ratings: Any, *, labels: list[str], raters: list[str]) -> pl.DataFrame:
    return count_patterns(ratings, labels=labels, system=raters[-1])


def test_patterns_made_by_spark_are_evaluated_as_the_ratings_are(spark: Any, dataset: Path, tmp_path: Path) -> None:
    ratings = spark.read.parquet(str(dataset)).filter("cast(item as int) < 1000")
    path = tmp_path / "tone.parquet"
    reduce_ratings(ratings).write_parquet(path)
    plain = tmp_path / "plain" / "tone.parquet"
    plain.parent.mkdir()
    pl.read_parquet(dataset / "*.parquet").filter(pl.col("item").cast(pl.Int64) < 1000).write_parquet(plain)
    (result,), (expected,) = agree(path, FileOptions()), agree(plain, FileOptions())
    assert result["n_items"] == expected["n_items"] == 1000
    for row, other in zip(result["coefficients"], expected["coefficients"], strict=True):  # type: ignore[call-overload]
        assert row == pytest.approx(other)  # given a tolerance, it refuses texts
