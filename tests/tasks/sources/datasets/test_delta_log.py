"""Of a Delta table the files of the newest version are counted."""

import json
from dataclasses import replace
from pathlib import Path

import deltalake
import polars as pl
import pytest

from tasks.errors import InputError
from tasks.evaluate.question_config import QuestionConfig
from tasks.ingest.datasets.count_datasets import count_datasets
from tasks.ingest.datasets.pending_datasets import has_pending_files
from tasks.runs.history import agreement_as_of
from tasks.sources.dataset import DatasetSource
from tests.tasks.ingest.datasets.test_count_datasets import (
    START,
    Projects,
    counting_warehouses_are_migrated,
    ratings,
    stored,
)
from warehouse.connect import connect
from warehouse.datasets.stored import counted_versions

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet")  # where it is installed beside pandas 3
__all__ = ["counting_warehouses_are_migrated"]


@pytest.fixture
def projects(tmp_path: Path) -> Projects:
    return Projects(tmp_path)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return tmp_path / "delta"


def delta(projects: Projects, table: Path) -> DatasetSource:
    return replace(projects.source, name="ratings", path=table, options=projects.source.options)


def count(projects: Projects, table: Path) -> list[str]:
    results = count_datasets(projects.counted, [delta(projects, table)], projects.rules)
    return [result.status if result.status == "stored" else str(result.detail) for result in results]


def assert_counts(projects: Projects, expected: pl.DataFrame) -> None:
    """The patterns are those of these ratings, ingested as a file."""
    projects.write("a.parquet", expected)
    projects.ingest()
    assert stored(projects.counted)["patterns"].equals(stored(projects.files)["patterns"])


def test_files_that_were_removed_are_not_counted(projects: Projects, table: Path) -> None:
    first, second = ratings(60), ratings(40, 60, seed=2)
    deltalake.write_deltalake(table, first.to_arrow())
    assert count(projects, table) == ["stored"]
    deltalake.write_deltalake(table, second.to_arrow(), mode="append")
    assert has_pending_files(projects.counted, [delta(projects, table)])
    assert count(projects, table) == ["stored"]
    assert count(projects, table) == []
    deltalake.DeltaTable(table).delete("item = 'i5' or item = 'i70'")
    assert count(projects, table) == ["stored"]
    with connect(projects.counted) as con:
        versions = [version for version, _ in counted_versions(con, "ratings")]
        n_batches = con.table("batches").pl().filter(pl.col("status") == "stored").height
    assert versions == [0, 1, 2]
    assert n_batches >= 2
    assert not has_pending_files(projects.counted, [delta(projects, table)])
    assert_counts(projects, pl.concat([first, second]).filter(~pl.col("item").is_in(["i5", "i70"])))


def test_as_of_says_which_version_was_counted(projects: Projects, table: Path) -> None:
    deltalake.write_deltalake(table, ratings(60).to_arrow())
    count(projects, table)
    with connect(projects.counted) as con:
        ((_, counted_at),) = counted_versions(con, "ratings")
    with pytest.raises(InputError, match="came from version 0 of the Delta table") as refused:
        agreement_as_of(projects.counted, "tone", counted_at, QuestionConfig(), 0.95)
    assert "version=0" in refused.value.hint
    with pytest.raises(InputError, match="the warehouse has no earlier state of them"):
        agreement_as_of(projects.counted, "tone", START, QuestionConfig(), 0.95)


def test_a_table_in_folders_by_a_column(projects: Projects, table: Path) -> None:
    rows = ratings(60).with_columns(part=pl.lit("a b/ü%"))
    deltalake.write_deltalake(table, rows.to_arrow(), partition_by=["part"])
    assert count(projects, table) == ["stored"]
    assert_counts(projects, ratings(60))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"protocol": {"minReaderVersion": 9, "minWriterVersion": 9}}, "cannot be read"),
        ({"add": {"path": "file:///elsewhere/a.parquet"}}, "names files outside its folder"),
        ({"add": {"path": "gone.parquet"}}, "gone.parquet"),
        ({"metaData": {"configuration": {"delta.columnMapping.mode": "name"}}}, "has column mapping"),
    ],
)
def test_what_its_files_alone_do_not_say_is_refused(
    projects: Projects, table: Path, change: dict[str, dict[str, object]], sentence: str
) -> None:
    deltalake.write_deltalake(table, ratings(20).to_arrow())
    (log,) = (table / "_delta_log").glob("*.json")
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        for name, values in change.items():
            if name in action:
                action[name] |= values
    log.write_text("\n".join(json.dumps(action) for action in actions))
    assert any(sentence in detail for detail in count(projects, table))


def test_deletion_vectors_are_refused(projects: Projects, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """deltalake cannot write any, so that the table says for the test that it has them."""

    class Protocol:
        reader_features = ("deletionVectors",)

    class WithVectors(deltalake.DeltaTable):  # type: ignore[misc, name-defined]
        def protocol(self) -> Protocol:
            return Protocol()

        def deletion_vectors(self) -> object:
            return pl.DataFrame({"filepath": ["a"], "selection_vector": [[False]]}).to_arrow().to_batches()

    deltalake.write_deltalake(table, ratings(20).to_arrow())
    monkeypatch.setattr(deltalake, "DeltaTable", WithVectors)
    (detail,) = count(projects, table)
    assert "has deletion vectors" in detail
