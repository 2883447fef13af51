"""Argilla's records with spans: damaged records, and that each row of the file counts once."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.formats import ReadOptions
from tasks.formats.parsing.file_look import HEAD
from tasks.formats.regions.read_regions import read_regions
from tasks.formats.regions.span_export import SpanExport
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.read_export import read_export
from tasks.ingest.read_file import read_file
from tasks.single_file.inspect_file import inspect_file
from tasks.sources.folder import FolderSource, find_files

PER = [{"start": 0, "end": 4, "label": "PER"}]
LOC = [{"start": 5, "end": 8, "label": "LOC"}]


def record(item: str, **questions: tuple[Any, Any, Any]) -> dict[str, Any]:
    held: dict[str, Any] = {"id": item, "text": "Anna saw Ben"}
    for name, answers in questions.items():
        columns = (f"{name}.responses{of}" for of in ("", ".users", ".status"))
        held |= dict(zip(columns, answers, strict=True))
    return held


BOTH = ["u1", "u2"], ["submitted", "submitted"]
FIRST = record("r1", ner=([PER, []], *BOTH), tone=(["kind", "odd"], *BOTH))


def written(path: Path, records: object) -> Path:
    path.write_text(json.dumps(records))
    return path


def spans_of(path: Path) -> SpanExport:
    held = read_regions([path], ReadOptions())
    assert held is not None
    return held


@pytest.mark.parametrize(
    ("damaged", "n_work", "column"),
    [
        (record("r2", ner=(None, "u1", "submitted")), 1, None),
        (record("r2", ner=(PER[0], "u1", "submitted")), 0, "ner"),
        (record("r2", ner=(["oops", PER], *BOTH)), 1, "ner"),
        (record("r2", ner=([PER], *BOTH)), 0, "ner.responses"),
        (record("r2", ner=([PER], ["u1"], ["odd"])), 0, "ner.responses.status"),
        (record("r2", other=([PER], *BOTH)), 0, "other.responses"),
        (record("r2", other=([PER], ["u1"], ["odd"])), 0, "other.responses.status"),
    ],
)
def test_a_damaged_answer_is_rejected_once_and_is_no_work(
    tmp_path: Path, damaged: dict[str, Any], n_work: int, column: str | None
) -> None:
    path = written(tmp_path / "x.json", [FIRST, damaged])
    held = spans_of(path)
    assert held.assignments.filter(item="r2").height == n_work
    assert held.rejects.select("row_number", "column_name").rows() == ([(2, column)] if column else [])
    shown = inspect_file(path)
    assert (shown["n_ratings"], shown["n_rejected"]) == (2, held.rejects.height)


def test_an_answer_that_is_given_again_is_told(tmp_path: Path) -> None:
    held = spans_of(written(tmp_path / "x.json", [record("r1", ner=([PER, LOC], ["u1", "u1"], BOTH[1]))]))
    assert held.spans["label"].to_list() == ["LOC"]
    assert held.warnings == ("Items that a rater submitted again: 1. The last one counts.",)


def test_questions_whose_names_begin_alike(tmp_path: Path) -> None:
    alike = record("r1", **{"a": ([PER], ["u1"], ["submitted"]), "a.b": (["x", None], *BOTH)})
    shown = inspect_file(written(tmp_path / "x.json", [alike]))
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (1, 1, 1)
    same = record("r1", **{"a": ([PER], ["u1"], ["submitted"]), "a.responses": (["x", None], *BOTH)})
    shown = inspect_file(written(tmp_path / "y.json", [same]))
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (1, 1, 1)


@pytest.mark.parametrize("in_columns", [False, True])
def test_spans_that_come_after_many_records_without_one(tmp_path: Path, in_columns: bool) -> None:
    pending = [{**record(f"p{n}", ner=(None, None, None)), "text": "word " * 1000} for n in range(HEAD // 4000)]
    records = [*pending, FIRST]
    columns = {name: [each.get(name) for each in records] for name in FIRST}
    path = written(tmp_path / "x.json", columns if in_columns else records)
    assert path.stat().st_size > HEAD
    assert spans_of(path).spans.rows() == [("ner", "r1", "u1", 0, 4, "PER")]


def test_a_broken_line_is_rejected_once(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("\n".join((json.dumps(FIRST), "{oops", json.dumps({**FIRST, "id": "r2"}))))
    shown = inspect_file(path)
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (4, 2, 1)
    assert read_export(path, ReadOptions(regions="labels")).rejects["row_number"].to_list() == [2]


def test_a_question_none_of_whose_spans_can_be_read_is_rejected_once(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", [FIRST | record("r1", other=([PER, []], BOTH[0], ["submitted"]))])
    shown = inspect_file(path)
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (2, 1, 1)


def test_rankings_beside_spans_stay_rejected_also_where_no_label_is(tmp_path: Path) -> None:
    ranking = [{"value": "a", "rank": 1}, {"value": "b", "rank": 2}]
    path = written(tmp_path / "x.json", [record("r1", ner=([PER, []], *BOTH), order=([ranking, ranking], *BOTH))])
    shown = inspect_file(path)
    assert (shown["n_ratings"], shown["n_regions"], shown["n_rejected"]) == (0, 1, 2)
    find = find_files([FolderSource("inbox", tmp_path)])
    _, checked, regions = read_file(find.readable[0], IngestRules({}, {}, {}), tmp_path / "spool")
    assert (checked.n_rows, checked.ratings.height, checked.rejects["column_name"].to_list()) == (4, 2, ["order"] * 2)
    assert regions is not None
    as_rankings = IngestRules({}, {}, {}, answers={"order": "ranking"})
    _, checked, both = read_file(find.readable[0], as_rankings, tmp_path / "spool")
    assert both is not None
    assert (checked.n_rows, both.checked.ratings.height, checked.rejects.height) == (4, 4, 0)
