"""A dataset in an object store is counted as the same files in a folder are."""

from dataclasses import replace
from pathlib import Path

import deltalake
import pytest

from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.pending_datasets import has_pending_files
from tasks.sources.dataset import DatasetSource
from tasks.sources.object_store.address import parse
from tasks.sources.object_store.store_source import ObjectStore
from tests.tasks.ingest.datasets.test_count_datasets import (
    Projects,
    assert_same,
    bad,
    counting_warehouses_are_migrated,
    ratings,
)
from tests.tasks.sources.object_store.conftest import Bucket

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet")  # where it is installed beside pandas 3
__all__ = ["counting_warehouses_are_migrated"]


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path)


def in_bucket(projects: Projects, bucket: Bucket) -> DatasetSource:
    store = ObjectStore("ratings", parse(f"s3://{bucket.name}/night"), projects.folder, "**/*.parquet")
    return replace(projects.source, path=Path(store.address.base), store=store)


def count(projects: Projects, bucket: Bucket) -> list[tuple[str, str]]:
    results = count_datasets(projects.counted, [in_bucket(projects, bucket)], projects.rules)
    return [(result.status, str(result.detail)) for result in results]


def upload(projects: Projects, bucket: Bucket) -> None:
    for path in projects.folder.rglob("*.parquet"):
        bucket.put(f"night/{path.relative_to(projects.folder).as_posix()}", path.read_bytes())


def test_objects_are_counted_as_files_are(projects: Projects, bucket: Bucket) -> None:
    projects.write("a.parquet", bad(ratings(60)))
    upload(projects, bucket)
    bucket.put("night/notes.txt", "no ratings")
    bucket.put("night/broken.parquet", "no Parquet file")
    (refused, why), counted = count(projects, bucket)
    assert (refused, counted[0]) == ("rejected", "stored")
    assert "broken.parquet is not a complete Parquet file" in why
    assert not has_pending_files(projects.counted, [in_bucket(projects, bucket)])
    assert count(projects, bucket) == []
    projects.ingest()
    assert_same(projects)
    projects.write("day=2/b.parquet", ratings(30, 50, seed=2).drop("duration_s"))
    bucket.put("night/day=2/b.parquet", (projects.folder / "day=2" / "b.parquet").read_bytes())
    assert has_pending_files(projects.counted, [in_bucket(projects, bucket)])
    assert [status for status, _ in count(projects, bucket)] == ["stored"]
    projects.ingest()
    assert_same(projects)
    assert not list(projects.counted.parent.glob("dataset-*"))


def test_a_bucket_that_does_not_exist_leaves_the_counts(projects: Projects, bucket: Bucket) -> None:
    projects.write("a.parquet", ratings(20))
    upload(projects, bucket)
    count(projects, bucket)
    gone = replace(in_bucket(projects, bucket), store=ObjectStore("r", parse("s3://no-such-bucket/x"), projects.folder))
    (failed,) = count_datasets(projects.counted, [gone], projects.rules)
    assert failed.status == "failed"
    assert "there is no bucket 'no-such-bucket'" in str(failed.detail)
    assert count(projects, bucket) == []


def test_a_delta_table_in_a_bucket(projects: Projects, bucket: Bucket) -> None:
    options = {"AWS_ENDPOINT_URL": bucket.endpoint, "AWS_ALLOW_HTTP": "true", "aws_conditional_put": "etag"}
    address = f"s3://{bucket.name}/night"
    deltalake.write_deltalake(address, ratings(60).to_arrow(), storage_options=options)
    source = in_bucket(projects, bucket)
    source = replace(source, store=replace(source.store, endpoint=bucket.endpoint))  # type: ignore[type-var]
    (result,) = count_datasets(projects.counted, [source], projects.rules)
    assert (result.status, result.counts.n_ratings) == ("stored", ratings(60).height)
    assert count_datasets(projects.counted, [source], projects.rules) == []
