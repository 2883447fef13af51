"""A large file in parts: what is read, and what comes into the warehouse, is what it would be in one piece."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions, label_studio
from tasks.ingest.chunked_read import CODED, read_validated
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import DEFAULT_RULES, IngestRules
from tasks.ingest.read_export import read_export, read_parts
from tasks.ingest.validate import validate
from tasks.sources.folder import FolderSource, single_file
from warehouse.connect import connect
from warehouse.migrate import migrate

N_TASKS = 60
STORED = ("ratings", "item_metadata", "rejected_rows", "internal.items", "internal.raters", "internal.labels")


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_studio, "MAX_UNPACKED", 20)
    monkeypatch.setattr(label_studio, "MAX_PART", 50)


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
    assert any("were cut" in warning for warning in whole.warnings)


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


@pytest.mark.parametrize("rule", ["latest", "error", "repeats"])
def test_the_warehouse_holds_the_same(path: Path, monkeypatch: pytest.MonkeyPatch, rule: str) -> None:
    rules = IngestRules({"topic": ["l0", "l1"]}, {"topic": DuplicateRule(rule), "stars": DuplicateRule(rule)})
    whole = _stored(path, path.parent / "whole.duckdb", rules)
    monkeypatch.setattr(label_studio, "MAX_UNPACKED", 20)
    monkeypatch.setattr(label_studio, "MAX_PART", 50)
    in_parts = _stored(path, path.parent / "parts.duckdb", rules)
    assert [frame.height > 50 for frame in whole[:4]] == [True] * 4
    for one, other in zip(whole, in_parts, strict=True):
        assert one.equals(other)


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
    with connect(db) as con:
        frames = [con.table(name).pl() for name in STORED]
    kept = [frame.drop("ingested_at", "superseded_at", "rejected_at", strict=False) for frame in frames]
    return [frame.sort(frame.columns) for frame in kept]
