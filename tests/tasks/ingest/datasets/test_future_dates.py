"""Ratings of a dataset that are dated after they arrived are counted as those of ingested files."""

from datetime import datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from tasks.ingest.datasets import count_memory, count_with_spark
from tests.tasks.ingest.datasets.test_count_datasets import Projects, counting_warehouses_are_migrated, ratings
from tests.tasks.ingest.datasets.test_spark_rows import count_like_spark
from warehouse.connect import connect

__all__ = ["counting_warehouses_are_migrated"]
Future = list[tuple[int, datetime | None]]


@pytest.fixture(params=["duckdb", "spark"])
def projects(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Projects:
    monkeypatch.setattr(count_with_spark, "count_with_spark", count_like_spark)
    monkeypatch.setattr(count_memory, "BUCKET_ROWS", 100)  # several buckets
    projects = Projects(tmp_path)
    projects.engine = request.param
    return projects


def future(db: Path) -> Future:
    """The number of such ratings of each batch, and their latest date."""
    with connect(db) as con:
        return con.table("data_quality").order("ingested_at, file_name").select("n_future, last_future_at").fetchall()


def test_they_are_counted_by_batch_and_said(projects: Projects) -> None:
    late = pl.col("rated_at") + timedelta(days=36_500)
    projects.write(
        "a.parquet", ratings(150).with_columns(rated_at=pl.when(pl.col("item") > "i8").then(late).otherwise("rated_at"))
    )
    (counted,), (ingested,) = projects.count(), projects.ingest()
    assert counted.counts.n_future == ingested.counts.n_future > 40
    assert counted.counts.last_future == ingested.counts.last_future
    assert any("are dated in the future" in note for note in counted.warnings)
    projects.write("b.parquet", ratings(20, 200))
    (counted,), _ = projects.count(), projects.ingest()
    assert counted.counts.n_future == 0
    assert not [note for note in counted.warnings if "future" in note]
    assert future(projects.counted) == future(projects.files)
