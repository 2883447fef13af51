"""A count of a dataset keeps to the memory of the process."""

from collections.abc import Iterator

import duckdb
import pytest

from tasks.ingest.datasets import count_with_duckdb
from tasks.ingest.datasets.bucket_counter import BucketCounter
from tasks.ingest.datasets.count_job import CountJob
from tasks.ingest.datasets.count_memory import BUCKET_ROWS, bucket_rows, engine_memory
from tests.tasks.ingest.datasets.test_count_datasets import (
    Projects,
    assert_same,
    counting_warehouses_are_migrated,
    projects,
    ratings,
)
from warehouse.memory_limit import limit_memory

__all__ = ["counting_warehouses_are_migrated", "projects"]


@pytest.fixture
def small_limit() -> Iterator[None]:
    limit_memory(512_000_000)
    yield
    limit_memory(None)


@pytest.mark.usefixtures("small_limit")
def test_the_engines_share_half_of_the_limit() -> None:
    assert engine_memory(None) == "256000000B"
    assert engine_memory(None, 2) == "128000000B"
    assert engine_memory("1 GB", 2) == "1 GB"
    assert bucket_rows() < BUCKET_ROWS


@pytest.mark.usefixtures("small_limit")
def test_a_count_keeps_to_the_smallest_limit(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    projects.memory = None
    limits = []

    class Watched(BucketCounter):
        def __init__(self, job: CountJob, *rest: object) -> None:
            super().__init__(job, *rest)  # type: ignore[arg-type]
            engines = [self._after, *([self._before] if self._before is not None else [])]
            limits.append([_memory_limit(engine._con) for engine in engines])

    monkeypatch.setattr(count_with_duckdb, "BucketCounter", Watched)
    projects.write("a.parquet", ratings(120))
    projects.count()
    projects.write("b.parquet", ratings(40, 100, seed=2))
    projects.count()
    assert limits == [["244.1 MiB"], ["122.0 MiB", "122.0 MiB"]]
    projects.ingest()
    assert_same(projects, batches=False)


def _memory_limit(con: duckdb.DuckDBPyConnection) -> str:
    return str(con.execute("select current_setting('memory_limit')").fetchall()[0][0])
