"""Folders of Parquet parts, as Spark writes a table, in the inbox; and what is not a rating there."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.runs.run_records import close_run, open_run
from tasks.single_file.reduce import reduce_ratings
from tasks.sources.folder import FolderSource, find_files
from tasks.summary.published_views import read_views

NOW = datetime(2026, 1, 5, tzinfo=UTC)
RATINGS = pl.DataFrame(
    [(f"{item}", rater, "yes" if (item + place) % 3 else "no") for item in range(12) for place, rater in
     enumerate(("ann", "bob"))],
    schema=["item", "rater", "label"], orient="row",
)  # fmt: skip


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "warehouse.duckdb"
    close_run(path, open_run(path, "test", "1", now=NOW), "succeeded", None, now=NOW)
    return path


def _take_in(db: Path, inbox: Path) -> list[FileResult]:
    return list(ingest(db, find_files([FolderSource("inbox", inbox)]).readable))


def test_the_parts_of_a_folder_are_batches_of_one_question(db: Path, tmp_path: Path) -> None:
    folder = tmp_path / "inbox" / "tone.parquet"
    folder.mkdir(parents=True)
    for number in range(2):
        RATINGS.gather_every(2, number).write_parquet(folder / f"part-0000{number}-c000.snappy.parquet")
    for mark in ("_SUCCESS", "_metadata", "_committed_123", ".part-00000.crc"):
        (folder / mark).touch()
    names = [f"tone.parquet/part-0000{number}-c000.snappy.parquet" for number in range(2)]
    assert [(result.file_name, result.status) for result in _take_in(db, tmp_path / "inbox")] == [
        (name, "stored") for name in names
    ]
    ratings = read_views(db, "current_ratings")["current_ratings"]
    assert ratings["question"].unique().to_list() == ["tone"]
    assert ratings.select("item", "rater", "label").sort("item", "rater").equals(RATINGS.sort("item", "rater"))
    assert _take_in(db, tmp_path / "inbox") == []


def test_rating_patterns_are_no_ratings(db: Path, tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    reduce_ratings(RATINGS).write_parquet(tmp_path / "inbox" / "tone.parquet")
    (result,) = _take_in(db, tmp_path / "inbox")
    assert (result.status, result.reason) == ("rejected", "unreadable")
    assert "without items they are not ratings" in str(result.detail)
    assert "kappaflow agree tone.parquet" in str(result.detail)
    assert read_views(db, "current_ratings")["current_ratings"].is_empty()
