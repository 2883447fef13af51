"""Prodigy's JSON lines: choices, binary answers, sessions, and what is not an answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.errors import ReadError
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "prodigy"


def example(**more: Any) -> dict[str, Any]:
    return {"text": "t", "_input_hash": -7, "_task_hash": 9, "answer": "accept", "_session_id": "set-ann"} | more


def read(tmp_path: Path, *records: dict[str, Any], name: str = "set.jsonl") -> Export:
    path = tmp_path / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return read_export(path)


def test_a_choice_is_one_row_with_item_rater_and_second() -> None:
    rows = validate(read_export(EXPORTS / "choice.jsonl")).ratings
    assert rows.select("question", "item", "rater", "label", "source_ref").row(0) == (
        "choice", "-101", "ann", "POS", "task:501",
    )  # fmt: skip
    assert rows["rated_at"].dt.to_string("%Y-%m-%dT%H:%M:%S").to_list()[0] == "2025-11-20T22:54:37"


def test_several_options_are_one_set_whatever_their_order() -> None:
    labels = read_export(EXPORTS / "multi.jsonl").rows["label"].to_list()
    assert labels == ['["MIX", "POS"]', '["MIX", "POS"]', "NEG"]


def test_item_metadata_are_the_text_and_the_meta_fields() -> None:
    metadata = read_export(EXPORTS / "choice.jsonl").metadata
    assert metadata.filter(item="-101").select("key", "value").rows() == [
        ("text", "text 1"), ("source", "forum"), ("score", "0.4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "file", "raters"),
    [
        (["set-ann", "set-ben"], "set.jsonl", ["ann", "ben"]),
        (["my-set-ann", "my-set-anton"], "other.jsonl", ["ann", "anton"]),
        (["set-ann"], "other.jsonl", ["ann"]),
        (["set-ann"], "set.jsonl", ["ann"]),
        (["ann", "ben"], "set.jsonl", ["ann", "ben"]),
        (["set-", "set-a"], "set.jsonl", ["set-", "a"]),
        (["my-set-rose-ann", "my-set-ann"], "my-set.jsonl", ["rose-ann", "ann"]),
        (["2026-01-05_12-33-11", "2026-01-06_12-33-11"], "x.jsonl", ["2026-01-05_12-33-11", "2026-01-06_12-33-11"]),
    ],
)
def test_the_dataset_is_cut_from_names_where_it_is_certain(
    tmp_path: Path, names: list[str], file: str, raters: list[str]
) -> None:
    export = read(tmp_path, *(example(_session_id=name) for name in names), name=file)
    assert export.rows["rater"].to_list() == raters


@pytest.mark.field_trial(13)
@pytest.mark.parametrize("file", ["presto_annotation.jsonl", "week1.jsonl"])
@pytest.mark.parametrize("dataset", ["presto_annotation", "presto-2026"])
@pytest.mark.parametrize("others", [[], ["jan"], ["jan", "2026-01-05_12-33-11"], ["jan", None]])
def test_the_name_of_a_rater_does_not_depend_on_the_others_in_the_file(
    tmp_path: Path, dataset: str, others: list[str | None], file: str
) -> None:
    sessions = [name and (f"{dataset}-{name}" if "_" not in name else name) for name in ["mireia", *others]]
    export = read(tmp_path, *(example(_session_id=session) for session in sessions), name=file)
    assert export.rows["rater"].to_list() == ["mireia", *others]


@pytest.mark.field_trial(13)
def test_two_people_do_not_become_one(tmp_path: Path) -> None:
    names = [example(_session_id=f"set-{name}") for name in ("rose-ann", "lee-ann")]
    with pytest.raises(
        ReadError, match="sessions 'set-lee-ann' and 'set-rose-ann', which would both be the rater 'ann'"
    ):
        read(tmp_path, *names, name="other.jsonl")
    assert read(tmp_path, *names).rows["rater"].to_list() == ["rose-ann", "lee-ann"]
    alone = read(tmp_path, names[0], name="other.jsonl")
    assert any("'set-rose-ann' is the rater 'ann'" in warning for warning in alone.warnings)


def test_a_person_with_sessions_in_two_datasets_is_one_rater(tmp_path: Path) -> None:
    export = read(tmp_path, example(_session_id="news-ann"), example(_session_id="blog-ann"), name="both.jsonl")
    assert export.rows["rater"].to_list() == ["ann", "ann"]
    assert "The dataset's name was cut from the names of the raters: 'blog', 'news'." in export.warnings


def test_nobody_is_a_reject_and_the_annotator_comes_before_the_session(tmp_path: Path) -> None:
    records = [example(_session_id=None), example(_annotator_id="set-ben", _session_id="set-x")]
    export = read(tmp_path, *records)
    assert any("Rows that do not say who answered: 1. Prodigy writes it if" in text for text in export.warnings)
    checked = validate(export)
    assert checked.rejects["reason"].to_list() == ["missing_rater"]
    assert checked.ratings["rater"].to_list() == ["ben"]


def test_no_time_in_old_versions_is_no_fault(tmp_path: Path) -> None:
    assert validate(read(tmp_path, example())).ratings["rated_at"].to_list() == [None]


def test_a_reviewer_counts_as_a_rater_and_it_is_said(tmp_path: Path) -> None:
    export = read(tmp_path, example(versions=[{"sessions": ["set-ben"], "answer": "reject"}]))
    assert export.rows["rater"].to_list() == ["ann"]
    assert "Rows by a reviewer who saw the others' answers: 1." in export.warnings


def test_odd_values_are_rejects(tmp_path: Path) -> None:
    odd = [example(answer=None), example(answer=7), example(accept=[["A", "B"]]), example(accept="POS")]
    export = read(tmp_path, *odd)
    assert export.rejects["reason"].to_list() == ["bad_record", "bad_record"]
    assert export.rows["label"].to_list() == ["A / B", "accept"]


def test_who_maps_rater_and_label_reads_a_table() -> None:
    columns = {"item": "_task_hash", "rater": "_session_id", "label": "answer"}
    export = read_export(EXPORTS / "insult.jsonl", ReadOptions(columns=columns))
    assert (export.format, export.rows["rater"][0]) == ("long", "insult-ann")


def test_other_json_lines_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"item": 1, "label": "a"}\n{"item": 2, "label": "a"}\n', encoding="utf-8")
    with pytest.raises(ReadError, match="not an export of Prodigy") as caught:
        FORMATS["prodigy"].read(path)
    assert "db-out" in caught.value.hint


def test_a_text_without_spans_is_no_vote_for_accept(tmp_path: Path) -> None:
    """In a set of spans it is an item in which the annotator found none; beside a label the list says nothing."""
    spans = [{"start": 0, "end": 1, "label": "X"}]
    result = read(tmp_path, example(spans=spans), example(spans=[]), example(spans=[], label="SPAM"))
    assert result.rejects["reason"].to_list() == ["unsupported_control", "unsupported_control"]
    assert result.rows.select("question", "label").rows() == [("SPAM", "accept")]
