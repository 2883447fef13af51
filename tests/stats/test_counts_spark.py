"""stats.counts on a local Spark session gives what it gives on polars and DuckDB. Needs PySpark 4 and Java 17."""

import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from stats.agreement import agreement, by_item
from stats.counts import count_patterns, distinct_raters, long_patterns, pair_tables, rating_patterns
from stats.errors import StatsError

pytestmark = [
    pytest.mark.skipif(find_spec("pyspark") is None, reason="PySpark is not installed (extra `spark`)"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java, which is not here"),
    pytest.mark.filterwarnings("ignore"),  # of Spark itself, with pandas 3
    pytest.mark.xdist_group("spark"),  # one session
]
LABELS = ["A", "B", "C"]
RATINGS = 20_000
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
}
# raters, ratings of an item, whether an item stands for several
DESIGNS = {
    "few raters": (5, 4, False),
    "few raters, several items": (5, 4, True),
    "many raters": (300, 3, False),
    "many raters, several items": (300, 3, True),
}
TABLES: dict[str, Callable[[Any, list[str]], Any]] = {
    "distinct_raters": lambda ratings, raters: distinct_raters(ratings),
    "rating_patterns": lambda ratings, raters: rating_patterns(ratings, labels=LABELS, raters=raters).rows(),
    "count_patterns": lambda ratings, raters: count_patterns(ratings, labels=LABELS).rows(),
    "count_patterns, a system": lambda ratings, raters: count_patterns(ratings, labels=LABELS, system=raters[0]).rows(),
    "pair_tables": lambda ratings, raters: pair_tables(ratings, labels=LABELS, raters=raters).rows(),
    "long_patterns": lambda ratings, raters: {
        name: np.asarray(value).tolist()
        for name, value in vars(long_patterns(ratings, labels=LABELS, raters=raters)).items()
    },
    "agreement": lambda ratings, raters: agreement(ratings, labels=LABELS, coefficients=["fleiss_kappa"]).rows(),
    "by_item": lambda ratings, raters: by_item(ratings, labels=LABELS).rows(),
}


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module", params=DESIGNS)
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Parquet parts, rows in no order."""
    n_raters, per_item, several = DESIGNS[request.param]
    rng, folder = np.random.default_rng(7), tmp_path_factory.mktemp("spark") / "ratings.parquet"
    n = RATINGS // per_item
    raters = rng.random((n, n_raters)).argsort(axis=1)[:, :per_item].ravel()
    ratings = pl.DataFrame(
        {
            "item": pl.Series(np.repeat(np.arange(n), per_item)).cast(pl.String),
            "rater": pl.Series(raters).cast(pl.String),
            "label": pl.Series(LABELS).gather(rng.integers(0, 3, len(raters))),
        }
    )
    if several:
        ratings = ratings.with_columns(n_items=pl.Series(np.repeat(rng.integers(1, 50, n), per_item)))
    folder.mkdir()
    for number, part in enumerate(ratings.sample(fraction=1, shuffle=True, seed=1).iter_slices(RATINGS // 3)):
        part.write_parquet(folder / f"part-{number}.parquet")
    return folder


@pytest.mark.parametrize("table", TABLES)
def test_three_engines_give_the_same(table: str, spark: Any, dataset: Path) -> None:
    lazy, compute = pl.scan_parquet(dataset / "*.parquet"), TABLES[table]
    raters = distinct_raters(lazy)
    expected = compute(lazy, raters)
    assert compute(spark.read.parquet(str(dataset)), raters) == expected
    with duckdb.connect() as con:
        assert compute(con.read_parquet(f"{dataset}/*.parquet"), raters) == expected


GOOD = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "ann", "C")]
BAD = {
    "null item": ([*GOOD, (None, "bob", "A")], "no null, found 1 in the column item"),
    "null label": ([*GOOD, ("2", "bob", None)], "no null, found 1 in the column label"),
    "undeclared label": ([*GOOD, ("2", "bob", "X")], "Every label must be declared, found 'X'"),
    "undeclared rater": ([*GOOD, ("2", "eve", "A")], "Every rater must be declared, found 'eve'"),
    "twice": ([*GOOD, ("1", "bob", "B")], "found rater 'bob' 2 times on item '1'"),
    "so often that sums overflow": ([("1", "cy", "C")] * 300, "found rater 'cy' 300 times on item '1'"),
}


@pytest.mark.parametrize("more", [22, 60])
@pytest.mark.parametrize("case", BAD)
def test_bad_ratings_are_named(case: str, more: int, spark: Any) -> None:
    rows, message = BAD[case]
    raters = [*(f"nobody {g}" for g in range(more)), "ann", "bob", "cy"]
    with pytest.raises(StatsError, match=message):
        long_patterns(
            spark.createDataFrame(rows, "item string, rater string, label string"), labels=LABELS, raters=raters
        )


@pytest.mark.parametrize(
    ("n_items", "kind", "message"),
    [(0, "int", "found n_items 0 or none"), (3, "int", "found 1 and 3 at item '1'"), (1, "double", "found Float64")],
)
def test_a_bad_n_items_is_named(n_items: int, kind: str, message: str, spark: Any) -> None:
    numbers = {"int": int, "double": float}
    rows = [("1", "ann", "A", numbers[kind](1)), ("1", "bob", "B", numbers[kind](n_items))]
    ratings = spark.createDataFrame(rows, f"item string, rater string, label string, n_items {kind}")
    with pytest.raises(StatsError, match=message):
        long_patterns(ratings, labels=LABELS, raters=["ann", "bob"])
