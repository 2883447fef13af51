"""What is timed of counting: `python -m benchmarks.size.engine_counts ENGINE FILE TABLE` makes one of TABLES once.

The engine's session stands, the file is known and the same was counted once before the clock starts: an engine that
compiles what it does is not charged for its first call.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from benchmarks.child import Figures, Work, report
from benchmarks.ratings import LABELS

SPARK = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "8",
}


def with_polars(path: str, table: str) -> Work:
    """A lazy scan of the file."""
    import polars as pl

    return _counted(pl.scan_parquet(path), path, table)


def with_duckdb(path: str, table: str) -> Work:
    """A relation over the file."""
    import duckdb

    return _counted(duckdb.connect().read_parquet(path), path, table)


def with_spark(path: str, table: str) -> Work:
    """A data frame over the file, in a session on this machine with a thread for each core."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]")
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return _counted(session.read.parquet(path), path, table)


def _counted(ratings: Any, path: str, table: str) -> Work:
    import polars as pl

    from stats.counts import distinct_raters

    compute, raters = TABLES[table], distinct_raters(pl.scan_parquet(path))
    compute(ratings, raters)

    def work() -> Callable[[], Figures]:
        counts = compute(ratings, raters)
        return lambda: _figures(counts)

    return work


def _figures(counts: Any) -> Figures:
    """A number that two equal tables share, and hardly any two others."""
    import numpy as np
    import polars as pl

    columns = counts.to_dict(as_series=True) if isinstance(counts, pl.DataFrame) else vars(counts)
    digest = sha256()
    for name, values in columns.items():
        digest.update(name.encode() + np.asarray(values).astype(np.int64).tobytes())
    return {"digest": int(digest.hexdigest()[:12], 16)}


def rating_patterns(ratings: Any, raters: list[str]) -> Any:
    """(rater -> label) and items."""
    from stats.counts import rating_patterns

    return rating_patterns(ratings, labels=LABELS, raters=raters)


def count_patterns(ratings: Any, _: list[str]) -> Any:
    """(label -> raters) and items."""
    from stats.counts import count_patterns

    return count_patterns(ratings, labels=LABELS)


def pair_tables(ratings: Any, raters: list[str]) -> Any:
    """Each two raters' labels."""
    from stats.counts import pair_tables

    return pair_tables(ratings, labels=LABELS, raters=raters)


def long_patterns(ratings: Any, raters: list[str]) -> Any:
    """The patterns in sparse form."""
    from stats.counts import long_patterns

    return long_patterns(ratings, labels=LABELS, raters=raters)


TABLES: dict[str, Callable[[Any, list[str]], Any]] = {
    "rating_patterns": rating_patterns,
    "count_patterns": count_patterns,
    "pair_tables": pair_tables,
    "long_patterns": long_patterns,
}
ENGINES: dict[str, Callable[..., Work]] = {"polars": with_polars, "DuckDB": with_duckdb, "PySpark": with_spark}

if __name__ == "__main__":
    report(ENGINES)
