"""Argilla's flattened records: parallel lists, statuses, suggestions."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import Export
from tasks.ingest.read_export import detect, read_export

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "argilla"


def record(**more: Any) -> dict[str, Any]:
    first = {"id": "r1", "status": "pending", "_server_id": None, "text": "t"}
    return first | {"q.responses": ["a"], "q.responses.users": ["u1"], "q.responses.status": ["submitted"]} | more


def read(tmp_path: Path, *records: dict[str, Any]) -> Export:
    path = tmp_path / "records.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return read_export(path)


def test_records_lines_and_columns_hold_the_same() -> None:
    records, lines, columns = (
        read_export(EXPORTS / f"{name}") for name in ("records.json", "lines.jsonl", "columns.json")
    )
    assert records.rows.equals(lines.rows)
    assert records.rows.equals(columns.rows)
    assert records.metadata.rows() == columns.metadata.rows()


def test_parquet_of_a_hugging_face_data_set(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pl.read_json(EXPORTS / "records.json", infer_schema_length=None).write_parquet(path)
    assert detect(path) == "argilla"
    assert read_export(path).rows.equals(read_export(EXPORTS / "records.json").rows)


def test_suggestions_are_systems_with_their_agent_and_score() -> None:
    systems = read_export(EXPORTS / "records.json").rows.filter(rater_kind="system", item="rev-1")
    assert systems.select("question", "rater", "system_version", "label", "score").rows() == [
        ("label", "bert-v1", "bert-v1", "positive", "0.5"),
        ("topics", "llm-judge", "llm-judge", '["price", "service"]', None),
    ]


def test_a_suggestion_without_an_agent_and_with_one_score(tmp_path: Path) -> None:
    more = {"q.suggestion": ["b"], "q.suggestion.score": [0.25], "q.suggestion.agent": None}
    system = read(tmp_path, record(**more)).rows.filter(rater_kind="system")
    assert system.select("rater", "system_version", "label", "score").rows() == [("unnamed agent", None, "b", "0.25")]


def test_metadata_are_the_fields_without_what_belongs_to_questions() -> None:
    metadata = read_export(EXPORTS / "records.json").metadata.filter(item="rev-1", question="label")
    assert metadata.select("key", "value").rows() == [("text", "text 1"), ("source", "web")]


def test_lists_of_different_length_are_one_reject(tmp_path: Path) -> None:
    export = read(tmp_path, record(**{"q.responses.users": ["u1", "u2"]}))
    assert export.rows.is_empty()
    assert export.rejects.select("row_number", "column_name", "reason").rows() == [(1, "q.responses", "bad_record")]


def test_spans_rankings_blanks_and_unknown_statuses_are_rejects(tmp_path: Path) -> None:
    lists = {
        "q.responses": [[{"start": 0, "end": 1, "label": "X"}], {"value": 1}, None, "a"],
        "q.responses.users": ["u1", "u2", "u3", "u4"],
        "q.responses.status": ["submitted", "submitted", "submitted", "odd"],
    }
    reasons = read(tmp_path, record(**lists)).rejects["reason"].to_list()
    assert reasons == ["unsupported_control", "unsupported_control", "empty_answer", "bad_record"]


def test_most_answers_say_whether_a_question_has_spans(tmp_path: Path) -> None:
    span = [{"start": 0, "end": 1, "label": "X"}]
    for answers, n_labels, details in (
        ([span, span, "a", []], 0, ["A span is not a label of the item."] * 2 + ["The answer is no list of spans."]),
        ([span, "a", "b"], 2, ["A span is not a label of the item."]),
    ):
        users = [f"u{n}" for n in range(len(answers))]
        lists = {"q.responses": answers, "q.responses.users": users, "q.responses.status": ["submitted"] * len(users)}
        export = read(tmp_path, record(**lists))
        assert export.rows.height == n_labels
        assert [text for text in export.rejects["detail"] if text != "Submitted without an answer."] == details


def test_without_status_it_is_refused(tmp_path: Path) -> None:
    without = {key: value for key, value in record().items() if not key.endswith(".status")}
    with pytest.raises(ReadError, match=r"which responses to 'q' were submitted") as caught:
        read(tmp_path, without)
    assert caught.value.column == "q.responses.status"
    assert "flatten=True" in caught.value.hint
