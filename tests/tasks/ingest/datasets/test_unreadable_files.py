"""A file of a dataset that cannot be read is rejected by its name; the others are counted."""

import os
from pathlib import Path

import polars as pl
import pytest

from tasks.ingest.datasets.pending_datasets import has_pending_files
from tests.tasks.ingest.datasets.test_count_datasets import (
    Projects,
    assert_same,
    counting_warehouses_are_migrated,
    ratings,
)
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks

__all__ = ["counting_warehouses_are_migrated"]


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path)


def damage(projects: Projects, name: str, *, footer: bool) -> None:
    """Break the end of a file, or its first page."""
    path = projects.folder / name
    content = bytearray(path.read_bytes())
    place = len(content) - 6 if footer else 8
    content[place : place + 4] = b"\xff\xff\xff\x7f"
    path.write_bytes(content)
    os.utime(path, (1_700_000_000, 1_700_000_000))


def batches(projects: Projects) -> list[tuple[str, str]]:
    with connect(projects.counted) as con:
        return con.table("batches").pl().sort("file_name").select("file_name", "status").rows()


@pytest.mark.parametrize("footer", [True, False], ids=["footer", "page"])
def test_the_others_are_counted_and_it_is_tried_again_when_it_changed(projects: Projects, footer: bool) -> None:
    projects.write("a.parquet", ratings(60))
    projects.write("b.parquet", ratings(60, 30, seed=2))
    damage(projects, "b.parquet", footer=footer)
    refused, counted = projects.count()
    assert (refused.file_name, refused.status, refused.reason) == ("b.parquet", "rejected", "unreadable")
    assert "b.parquet" in str(refused.detail) or not footer
    assert counted.counts.n_ratings == ratings(60).height
    assert batches(projects) == [("a.parquet", "stored"), ("b.parquet", "rejected")]
    assert projects.count() == []
    assert not has_pending_files(projects.counted, [projects.source])

    projects.write("b.parquet", ratings(60, 30, seed=2))
    os.utime(projects.folder / "b.parquet", (1_700_000_001, 1_700_000_001))
    assert has_pending_files(projects.counted, [projects.source])
    assert [result.status for result in projects.count()] == ["stored"]
    projects.ingest()
    assert_same(projects, batches=False)
    with connect(projects.counted) as con:
        assert con.table("internal.dataset_unreadable").pl().is_empty()
        assert not [name for name, rows in run_checks(con).items() if rows.height]


def test_a_counted_file_that_is_damaged_leaves_the_counts(projects: Projects) -> None:
    projects.write("a.parquet", ratings(60))
    projects.write("b.parquet", ratings(60, 30, seed=2))
    projects.count()
    damage(projects, "b.parquet", footer=True)
    assert [result.status for result in projects.count()] == ["rejected", "stored"]
    (projects.folder / "b.parquet").unlink()
    projects.ingest()
    assert_same(projects, batches=False)
    assert projects.count() == []


@pytest.mark.parametrize("shifted", [False, True])
def test_only_files_that_may_have_an_item_are_read_again(
    projects: Projects, shifted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the item stands there with spaces around it."""
    from tasks.ingest.datasets import dataset_rows

    read = []
    keyed = dataset_rows.DatasetReader._keyed

    def noted(self: dataset_rows.DatasetReader, columns: object, files: pl.DataFrame) -> object:
        read.append(files["file_name"].to_list())
        return keyed(self, columns, files)  # type: ignore[arg-type]

    for number, first in enumerate((100, 200, 300)):
        rows = ratings(100, first, seed=number)
        projects.write(f"{number}.parquet", rows.with_columns(item=pl.format("  {} ", "item")) if shifted else rows)
    projects.count()
    projects.ingest()
    monkeypatch.setattr(dataset_rows.DatasetReader, "_keyed", noted)
    projects.write("later.parquet", ratings(20, 190, seed=9))
    projects.count()
    projects.ingest()
    assert read[-1] == ["0.parquet", "1.parquet", "later.parquet"]
    assert_same(projects, batches=False)


def test_the_rows_of_a_new_file_without_items_are_rejected(projects: Projects) -> None:
    projects.write("a.parquet", ratings(60))
    projects.count()
    others = ratings(10, 60).rename({"item": "thing"})
    projects.write("other.parquet", others)
    (result,) = projects.count()
    assert (result.status, result.counts.n_ratings, result.counts.n_rejected) == ("stored", 0, others.height)
    projects.write("b.parquet", ratings(60, 100, seed=2))
    assert [result.counts.n_ratings for result in projects.count()] == [ratings(60, 100, seed=2).height]


@pytest.mark.parametrize("column", ["item", "rater", "label", "note"])
@pytest.mark.parametrize("first", [True, False], ids=["first file", "last file"])
def test_a_file_whose_column_is_of_another_kind_is_rejected_by_its_name(
    projects: Projects, column: str, first: bool
) -> None:
    odd, whole = ("a.parquet", "b.parquet") if first else ("c.parquet", "b.parquet")
    for number, name in enumerate((whole, "d.parquet")):
        projects.write(name, ratings(60, 60 * number).with_columns(note=pl.lit("x")))
    rows = ratings(60, 30, seed=2).with_columns(note=pl.lit("x"))
    projects.write(odd, rows.with_columns(pl.struct(id=column).alias(column)))
    refused, counted = projects.count()
    assert (refused.file_name, refused.status, refused.reason) == (odd, "rejected", "unreadable")
    assert str(refused.detail).startswith(
        f"Its column '{column}' holds STRUCT(id VARCHAR), and that of the other files VARCHAR."
    )
    assert counted.counts.n_ratings == ratings(60).height * 2
    assert projects.count() == []
    projects.write(odd, rows)
    os.utime(projects.folder / odd, (1_700_000_001, 1_700_000_001))
    assert [result.status for result in projects.count()] == ["stored"]


def test_the_kind_of_the_counted_files_decides(projects: Projects) -> None:
    projects.write("b.parquet", ratings(60))
    projects.count()
    for name in ("a.parquet", "c.parquet"):
        projects.write(name, ratings(60, 60).with_columns(item=pl.concat_list("item")))
    assert [(result.file_name, result.status) for result in projects.count()] == [
        ("a.parquet", "rejected"), ("c.parquet", "rejected"),
    ]  # fmt: skip
    assert batches(projects) == [("a.parquet", "rejected"), ("b.parquet", "stored"), ("c.parquet", "rejected")]
