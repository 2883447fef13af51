"""A large file in parts: what is read, and what comes into the warehouse, is what it would be in one piece."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions, label_studio
from tasks.ingest import chunked_read
from tasks.ingest.chunked_read import read_validated
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import DEFAULT_RULES, IngestRules
from tasks.ingest.read_export import read_export, read_parts
from tasks.ingest.spooled_export import CODED, SpooledExport
from tasks.ingest.validate import validate
from tasks.sources.folder import FolderSource, single_file
from warehouse import sql
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance.doctor import drafts
from warehouse.migrate import migrate
from warehouse.row_parts import RowParts, parts_folder

N_TASKS = 60
STORED = ("ratings", "item_metadata", "rejected_rows", "internal.items", "internal.raters", "internal.labels")


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_studio, "MAX_UNPACKED", 20)
    monkeypatch.setattr(label_studio, "MAX_PART", 50)


@pytest.fixture
def on_disk(in_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked_read, "MAX_IN_MEMORY", 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "project.json"
    file.write_text(json.dumps([_task(n) for n in range(1, N_TASKS + 1)]))
    return file


def _task(number: int) -> dict[str, Any]:
    """Raters, labels and rejects of several kinds; a task of the beginning stands at the end once more."""
    return {
        "id": 2 if number == N_TASKS else number,
        "annotations": [_annotation(number, by) for by in (5, 6, 5 + number % 2)],
        "predictions": [{"id": number, "model_version": "m1", "score": 0.5, "result": [_choice(f"l{number % 3}")]}],
        "data": {"text": f"text {number} " * (1 + 300 * (number % 20 == 1)), "channel": "mail", "parts": []},
    }


def _annotation(number: int, by: int) -> dict[str, Any]:
    stars = {"from_name": "stars", "type": "rating", "value": {"rating": number % 5}}
    return {
        "id": 10 * number + by,
        "completed_by": None if number % 11 == 0 else by,
        "was_cancelled": number % 7 == 0,
        "updated_at": "no time" if number % 13 == 0 else f"2026-05-02T09:30:{number % 60:02}.000000Z",
        "lead_time": number / 4,
        "result": [_choice(f"l{number % 3}"), stars, *([] if number % 5 else [_choice("x", start=1)])],
    }


def _choice(label: str, **more: object) -> dict[str, Any]:
    return {"from_name": "topic", "type": "choices", "value": {"choices": [label], **more}}


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.cast({pl.Categorical: pl.String})


def test_the_parts_are_the_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_export(path, ReadOptions(prefix="p"))
    monkeypatch.setattr(label_studio, "MAX_UNPACKED", 20)
    monkeypatch.setattr(label_studio, "MAX_PART", 50)
    parts = list(read_parts(path, ReadOptions(prefix="p")))
    assert len(parts) > 5
    assert max(part.rows.height for part in parts) < 50
    joined = read_export(path, ReadOptions(prefix="p"))
    assert all(getattr(joined, name).equals(getattr(whole, name)) for name in ("rows", "rejects", "metadata"))
    assert (joined.n_skipped, joined.ordered) == (whole.n_skipped, whole.ordered) == (24, {"p/stars"})
    assert joined.warnings == whole.warnings
    assert any("Cut after" in warning for warning in whole.warnings)


def test_an_item_that_comes_again_keeps_its_first_metadata(path: Path, in_parts: None) -> None:
    about = read_export(path).metadata.filter(item="2", key="text")
    assert about.select("question", "value").rows() == [("topic", "text 2 "), ("stars", "text 2 ")]


@pytest.mark.usefixtures("in_parts")
def test_validated_part_by_part_is_validated_whole(path: Path) -> None:
    labels = {"topic": ["l0", "l1"]}
    export, checked = read_validated(path, labels=labels)
    whole = validate(read_export(path), labels=labels)
    coded = {name for name, dtype in checked.ratings.schema.items() if isinstance(dtype, pl.Categorical)}
    assert coded == set(CODED) - {"key"}
    assert export.metadata.schema["item"] == checked.ratings.schema["item"]
    assert export.rows.is_empty()
    assert _as_text(checked.ratings).equals(whole.ratings)
    assert checked.rejects.equals(whole.rejects)
    assert {"unknown_label", "missing_rater", "bad_time", "per_region"} <= set(checked.rejects["reason"])
    assert (checked.n_rows, checked.n_skipped) == (whole.n_rows, whole.n_skipped)
    assert _as_text(export.metadata).equals(read_export(path).metadata)


def test_a_file_of_one_part_stays_text(path: Path) -> None:
    export, checked = read_validated(path)
    assert checked.ratings.equals(validate(read_export(path)).ratings)
    assert not any(isinstance(dtype, pl.Categorical) for dtype in export.metadata.dtypes)


@pytest.mark.parametrize(
    ("rule", "max_in_memory", "aliases"),
    [("latest", 99, {}), ("error", 99, {}), ("repeats", 2, {}), ("latest", 2, {"1": "ann"}), ("error", 3, {})],
)
def test_the_warehouse_holds_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, max_in_memory: int, aliases: dict[str, str]
) -> None:
    rules = IngestRules(
        {"topic": ["l0", "l1"]}, {"topic": DuplicateRule(rule), "stars": DuplicateRule(rule)}, aliases=aliases
    )
    whole = _stored(path, path.parent / "whole.duckdb", rules)
    monkeypatch.setattr(label_studio, "MAX_UNPACKED", 20)
    monkeypatch.setattr(label_studio, "MAX_PART", 50)
    monkeypatch.setattr(chunked_read, "MAX_IN_MEMORY", max_in_memory)
    in_parts = _stored(path, path.parent / "parts.duckdb", rules)
    assert [frame.height > 50 for frame in whole[:4]] == [True] * 4
    for result, other in zip(whole, in_parts, strict=True):
        assert result.equals(other)


@pytest.mark.usefixtures("in_parts")
def test_rows_on_disk_are_those_in_memory(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export, checked = read_validated(path)
    monkeypatch.setattr(chunked_read, "MAX_IN_MEMORY", 2)
    spooled_export, spooled = read_validated(path, spool=tmp_path / "spool")
    assert isinstance(spooled, SpooledExport)
    assert len(spooled.parts.heights) > 5
    assert (spooled.ratings.height, spooled_export.metadata.height) == (0, 0)
    assert (spooled.questions, spooled.raters) == ({"topic", "stars"}, set(checked.ratings["rater"].cast(pl.String)))
    read_export_back, read_back = spooled.in_memory(spooled_export)
    assert _as_text(read_back.ratings).equals(_as_text(checked.ratings))
    assert read_back.rejects.equals(checked.rejects)
    assert _as_text(read_export_back.metadata).equals(_as_text(export.metadata))
    assert (read_back.n_rows, read_back.n_skipped) == (checked.n_rows, checked.n_skipped)


@pytest.mark.usefixtures("in_parts")
def test_a_further_attempt_changes_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = single_file(path, FolderSource("here", path.parent))
    narrow, results = IngestRules({"topic": ["l0", "l1"]}), []
    for max_in_memory in (99, 2):
        monkeypatch.setattr(chunked_read, "MAX_IN_MEMORY", max_in_memory)
        db = path.parent / f"{max_in_memory}.duckdb"
        _stored(path, db, narrow)
        assert not list(ingest(db, [file], narrow))
        (again,) = ingest(db, [file], retry_rejects=True)
        results.append((again, _tables(db)))
    (in_memory, expected), (on_disk, tables) = results
    assert in_memory.counts.n_new
    assert on_disk == in_memory
    assert all(frame.equals(other) for frame, other in zip(tables, expected, strict=True))
    assert not _left(path.parent)


@pytest.mark.usefixtures("on_disk")
def test_a_failure_while_parts_are_stored_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = path.parent / "warehouse.duckdb"
    run = sql.run

    def fail(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> None:
        run(con, name, **values)
        if name == "storing/20_metadata_and_rejects":
            assert _left(path.parent)  # the rows are on disk meanwhile
            raise duckdb.IOException("No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(sql, "run", fail)
        with pytest.raises(WarehouseError, match="disk is full"):
            _stored(path, db, DEFAULT_RULES)
    assert not _left(path.parent)
    with connect(db) as con:
        assert [con.table(name).pl().height for name in STORED] == [0] * len(STORED)
    assert [frame.height > 50 for frame in _stored(path, db, DEFAULT_RULES)[:4]] == [True] * 4


@pytest.mark.usefixtures("on_disk")
def test_what_needs_more_memory_gets_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = _stored(path, path.parent / "expected.duckdb", DEFAULT_RULES)
    run, bounds = sql.run, []

    def run_out_once(con: duckdb.DuckDBPyConnection, name: str, /, **values: object) -> None:
        run(con, name, **values)
        if name == "storing/07_write_ratings":
            bounds.append(con.sql("select current_setting('memory_limit')").fetchall())
            if len(bounds) == 1:
                raise duckdb.OutOfMemoryException("the bound is too low")

    monkeypatch.setattr(sql, "run", run_out_once)
    stored = _stored(path, path.parent / "warehouse.duckdb", DEFAULT_RULES)
    assert bounds[0] == [("488.2 MiB",)]
    assert len(bounds) == 2
    assert bounds[1] != bounds[0]
    assert all(frame.equals(other) for frame, other in zip(stored, expected, strict=True))


def test_what_a_killed_ingest_left_is_a_draft(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with parts_folder(tmp_path / "warehouse.duckdb") as mine:
        left = mine.with_name(mine.name.replace(f".{os.getpid()}.", f".{ended.pid}."))
        for folder in (mine, left):
            RowParts(folder / "ratings").append(pl.DataFrame({"item": ["a"]}))
        assert drafts([tmp_path]) == [left]
    assert _left(tmp_path) == [left]


def test_a_disk_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(WarehouseError, match=r"could not be kept in .*file"):
        RowParts(tmp_path / "file" / "ratings").append(pl.DataFrame({"item": ["a"]}))


def _left(folder: Path) -> list[Path]:
    return [path for path in folder.glob(".*.duckdb.*") if path.is_dir()]


def test_a_file_that_breaks_off_late_leaves_nothing(path: Path, in_parts: None) -> None:
    path.write_text(path.read_text()[:-40])
    with pytest.raises(ReadError, match="not valid JSON"):
        read_validated(path)
    stored = _stored(path, path.parent / "broken.duckdb", DEFAULT_RULES)
    assert [frame.height for frame in stored] == [0] * len(STORED)


def _stored(path: Path, db: Path, rules: IngestRules) -> list[pl.DataFrame]:
    """The tables with their ids in the order of their ids, without the times of this run."""
    with connect(db) as con:
        migrate(con)
    assert len(list(ingest(db, [single_file(path, FolderSource("here", path.parent))], rules))) == 1
    return _tables(db)


def _tables(db: Path) -> list[pl.DataFrame]:
    with connect(db) as con:
        frames = [con.table(name).pl() for name in STORED]
    kept = [frame.drop("ingested_at", "superseded_at", "rejected_at", strict=False) for frame in frames]
    return [frame.sort(frame.columns) for frame in kept]


@pytest.mark.parametrize(
    ("time", "timezone", "text"),
    [
        ("2026-04-01", "America/New_York", "2026-04-01 is 2026-03-31 20:00 there"),
        ("2026-04-01 23:30:00", "Europe/Berlin", "2026-04-01 23:30:00 is 2026-04-02 01:30 there"),
        ("2026-04-01", "Europe/Berlin", None),
        ("2026-04-01T23:30:00+02:00", "Europe/Berlin", None),
        ("2026-04-01T23:30:00", "UTC", None),
        ("1775000000", "Europe/Berlin", None),
    ],
)
def test_times_without_a_zone_are_named_if_days_depend_on_it(
    tmp_path: Path, time: str, timezone: str, text: str | None
) -> None:
    file = tmp_path / "tone.csv"
    file.write_text(f"item,rater,label,time\n1,ann,a,{time}\n1,ben,b,{time}\n2,ann,b,\n")
    export, checked = read_validated(file, timezone=timezone)
    notes = [note for note in export.warnings if "without a time zone" in note]
    assert checked.ratings.height == 3
    assert len(notes) == (text is not None)
    assert all(note.startswith("2 rows have times") and text in note for note in notes)  # type: ignore[operator]
    assert all(f'timezone = "{timezone}"' in note for note in notes)
    with_zone, _ = read_validated(file, ReadOptions(timezone=timezone), timezone=timezone)
    assert not [note for note in with_zone.warnings if "time zone" in note]
