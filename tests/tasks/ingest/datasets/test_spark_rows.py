"""What the workers of a Spark cluster do, without one: buckets that are counted by themselves add up."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

from tasks.errors import ReadError
from tasks.ingest.datasets import bucket_counter, count_with_spark
from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.count_job import CountJob, CountOutcome
from tasks.ingest.datasets.dataset_columns import judged_columns
from tasks.ingest.datasets.spark_rows import COUNTED, KEYS, TaskError, counted_bucket, file_rows
from tasks.ingest.datasets.spark_session import cluster_errors
from tasks.ingest.ingest_files import ingest
from tasks.sources.folder import FolderSource, find_files
from tests.tasks.ingest.datasets.test_count_datasets import (
    LABELS,
    Projects,
    assert_same,
    bad,
    counting_warehouses_are_migrated,
    n_of_distinct_patterns,
    options,
    ratings,
    reasons,
    rules,
    stored,
    teams,
    totals,
)

__all__ = ["counting_warehouses_are_migrated"]
N_BUCKETS = 3


def count_like_spark(job: CountJob, folder: Path) -> CountOutcome:
    """Do with polars what Spark does between the two functions that run on workers."""
    columns = judged_columns(count_with_spark._first_rows(job, folder), job.source, job.rules.slices)
    starts = job.files.select("path", start=(pl.col("n_rows").cum_sum() - pl.col("n_rows")).cast(pl.Int64))
    rows = _frame(file_rows(starts.to_arrow().to_batches(), job.source, columns))
    if not job.whole:
        touched = rows.filter(pl.col("row_number") >= job.first_new_row).select("key").unique()
        rows = rows.join(touched, on="key", how="semi")
    buckets = rows.sample(fraction=1, shuffle=True, seed=1).with_columns(bucket=pl.col("key").hash(7) % N_BUCKETS)
    counted = [
        _frame(counted_bucket(bucket.drop("bucket").to_arrow().to_batches(max_chunksize=50), job, columns))
        for bucket in buckets.partition_by("bucket")
    ]
    sums = pl.concat(counted).group_by(list(KEYS)).agg(pl.col("n").sum(), pl.col("payload").first())
    return count_with_spark.outcome_of(sums.select(list(COUNTED)), job, columns)


def _frame(batches: object) -> pl.DataFrame:
    frame = pl.from_arrow(pa.Table.from_batches(list(batches)))  # type: ignore[call-overload]
    assert isinstance(frame, pl.DataFrame)
    return frame


def by_content(db: Path) -> dict[str, pl.DataFrame]:
    """Return all counts but those by batch. Patterns have their content in place of their number (`item`)."""
    frames = stored(db, batches=False)
    rated = pl.concat_str("rater", "rater_kind", "label", separator=" ")
    contents = frames["patterns"].group_by("item").agg(content=rated.sort().str.join(", "))
    named = {
        name: frame.join(contents, on="item").drop("item") if "item" in frame.columns else frame
        for name, frame in frames.items()
    }
    return {name: frame.sort(frame.columns) for name, frame in named.items()}


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Projects:
    monkeypatch.setattr(count_with_spark, "count_with_spark", count_like_spark)
    return Projects(tmp_path)


def count(projects: Projects) -> None:
    results = count_datasets(projects.counted, [replace(projects.source, engine="spark")], projects.rules)
    assert [result.status for result in results] == ["stored"], results[0].detail


def test_counts_of_buckets_add_up_to_those_of_the_ingested_files(projects: Projects) -> None:
    projects.write("a.parquet", bad(ratings(120)).with_columns(item=pl.format(" {}", "item")))
    count(projects)
    projects.ingest()
    assert_same(projects)
    projects.write("b.parquet", bad(pl.concat([ratings(30, 100, seed=2), ratings(10, 200)])))
    count(projects)
    projects.ingest()
    assert_same(projects)
    assert totals(projects.counted) == totals(projects.files)
    assert reasons(projects.counted) == reasons(projects.files)
    assert projects.count() == []  # DuckDB finds nothing new


def test_settings_of_a_question_elsewhere_are_no_ratings_of_the_dataset(tmp_path: Path, projects: Projects) -> None:
    """Declared kinds of raters name questions that the dataset does not have."""
    kinds = pl.DataFrame({"question": ["intent"], "rater": ["bot"], "rater_kind": ["system"]})
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    ratings(20).write_csv(inbox / "intent.csv")
    results = find_files([FolderSource("inbox", inbox, options=options(question="intent"))])
    assert [result.status for result in ingest(projects.counted, results.readable)] == ["stored"]
    projects.rules = rules(kinds=kinds)
    projects.write("a.parquet", ratings(20))
    count(projects)


def test_many_raters_and_columns_of_several_types(projects: Projects) -> None:
    rng = random.Random(3)
    rows = [(item, f"r{rater}", rng.choice(LABELS)) for item in range(150) for rater in rng.sample(range(40), 3)]
    frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    floats = frame.with_columns(pl.col("item").cast(pl.Float64), label=pl.lit("yes")).head(60)
    for name, some in (("day=1/a.parquet", frame), ("day=2/b.parquet", floats)):
        projects.write(name, some)
        count(projects)
        projects.ingest()
    for name, ingested in by_content(projects.files).items():
        assert_frame_equal(by_content(projects.counted)[name], ingested, check_dtypes=False)


def test_only_the_ratings_of_distinct_patterns_come_to_the_driver(
    projects: Projects, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, seen = teams(600), []
    outcome_of = count_with_spark.outcome_of

    def watched(sums: pl.DataFrame, *rest: Any) -> CountOutcome:
        seen.append(sums)
        return outcome_of(sums, *rest)

    monkeypatch.setattr(count_with_spark, "outcome_of", watched)
    projects.write("a.parquet", rows)
    count(projects)
    (sums,) = seen
    assert sums.filter(pl.col("part") == "content").height == n_of_distinct_patterns(rows) < rows.height / 10


def test_a_file_that_a_worker_cannot_read_is_named(projects: Projects) -> None:
    projects.write("a.parquet", ratings(20))
    path = projects.folder / "a.parquet"
    columns = judged_columns(pl.read_parquet(path), projects.source)
    path.unlink()
    files = pl.DataFrame({"path": [str(path)], "start": [0]}).to_arrow().to_batches()
    with pytest.raises(TaskError, match=r"A worker cannot read .*a\.parquet"):
        list(file_rows(files, projects.source, columns))


def test_sentences_of_a_worker_reach_the_user(projects: Projects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_counter, "max_counts", lambda: 20)
    projects.write("a.parquet", ratings(60))
    with pytest.raises(TaskError, match="hardly repeat") as raised:
        count(projects)

    class ClusterError(Exception):
        """Stands for that of pyspark, which is an extra."""

    told = f"Traceback ...\ntasks.ingest.datasets.spark_rows.TaskError: {raised.value}\n"
    with pytest.raises(ReadError, match="hardly repeat") as error, cluster_errors(projects.source, ClusterError):
        raise ClusterError(told)
    assert error.value.hint.endswith("Or ingest the files as a folder.")


def test_a_column_whose_name_has_another_case_in_some_files(projects: Projects) -> None:
    for number, name in enumerate(("item", "Item", "ITEM")):
        projects.write(f"{number}.parquet", ratings(40, 20 * number, seed=number).rename({"item": name}))
        count(projects)
        projects.ingest()
    assert_same(projects, batches=False)
