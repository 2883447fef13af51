"""Feedback of LLM-evaluation tools: one shape, three tools; people, judges and code told apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import ReadError
from tasks.formats import FORMATS, Export
from tasks.ingest.read_export import detect, read_export
from tasks.ingest.validate import validate

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "llm_feedback"


def read(tmp_path: Path, *records: dict[str, Any]) -> Export:
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    return read_export(path)


@pytest.mark.parametrize("name", ["langfuse.json", "langsmith.jsonl", "phoenix.csv"])
def test_people_judges_and_code_are_told_apart(name: str) -> None:
    ratings = validate(read_export(EXPORTS / name)).ratings
    kinds = {rater.split(":")[0] if ":" in rater else "person" for rater in ratings["rater"]}
    assert kinds == {"person", "judge", "code"}
    people = ratings.filter(rater_kind="human")["rater"]
    assert not any(rater.startswith(("judge:", "code:")) for rater in people)
    assert ratings["rated_at"].null_count() == 0


def test_langfuse_takes_the_text_of_a_category_and_a_part_of_a_trace() -> None:
    rows = read_export(EXPORTS / "langfuse.json").rows
    assert rows.filter(source_ref="s1").select("item", "question", "label").rows() == [("t1", "helpful", "yes")]
    assert rows.filter(source_ref="s5")["item"].to_list() == ["t2/o1"]


@pytest.mark.parametrize(
    ("value", "named", "kind", "label"),
    [(0, "yes", "CATEGORICAL", "yes"), ("yes", None, "CATEGORICAL", "yes"), (4.0, None, "NUMERIC", "4"),
     (1, "True", "BOOLEAN", "true"), (True, None, "BOOLEAN", "true"), (0, None, "BOOLEAN", "false")],
)  # fmt: skip
def test_langfuse_values_of_all_versions_of_the_api(
    tmp_path: Path, value: object, named: str | None, kind: str, label: str
) -> None:
    score = {"id": "1", "traceId": "t", "name": "q", "source": "ANNOTATION", "authorUserId": "u", "dataType": kind}
    assert read(tmp_path, score | {"value": value, "stringValue": named}).rows["label"].to_list() == [label]


def test_langsmith_prefers_the_value_to_the_score() -> None:
    rows = read_export(EXPORTS / "langsmith.jsonl").rows
    assert rows.select("item", "question", "rater", "label").rows() == [
        ("r1", "correct", "u1", "yes"),
        ("r0", "correct", "judge:gpt-judge", "no"),
        ("r1", "regex", "code:regex", "1"),
        ("r0", "correct", "u2", "0"),
    ]


def test_phoenix_answers_of_the_api(tmp_path: Path) -> None:
    score = {"span_id": "s", "name": "polite", "annotator_kind": "HUMAN", "user_id": "u", "identifier": "",
             "result": {"label": "yes", "score": 0.5, "explanation": None}, "updated_at": "2026-03-01"}  # fmt: skip
    rows = read(tmp_path, score).rows
    assert rows.select("question", "item", "rater", "label", "score").rows() == [("polite", "s", "u", "yes", "0.5")]
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"data": [score], "next_cursor": None}), encoding="utf-8")
    assert detect(path) == "llm_feedback"
    assert read_export(path).rows["rater"].to_list() == ["u"]


def test_a_record_of_no_tool_is_a_reject_among_others_and_a_refusal_alone(tmp_path: Path) -> None:
    score = {"traceId": "t", "name": "q", "source": "ANNOTATION", "authorUserId": "u", "value": 1}
    assert read(tmp_path, score, {"traceId": "t"}).rejects["reason"].to_list() == ["bad_record"]
    with pytest.raises(ReadError, match="no score of Langfuse"):
        FORMATS["llm_feedback"].read(EXPORTS.parent / "long" / "crowd.csv")
