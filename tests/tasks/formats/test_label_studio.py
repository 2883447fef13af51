"""Label Studio's JSON in its three forms, and the traps that real exports held."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import FORMATS, Export, ReadOptions
from tasks.ingest.read_export import detect, read_export
from tasks.ingest.validate import validate

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "label_studio"
FILES = ("export.json", "snapshot.json", "api_tasks.json")


def choices(*labels: object, name: str = "q", **more: object) -> dict[str, Any]:
    return {"from_name": name, "to_name": "t", "type": "choices", "value": {"choices": list(labels), **more}}


def annotation(*results: dict[str, Any], number: int = 1, **more: object) -> dict[str, Any]:
    return {"id": number, "completed_by": 5, "result": list(results), "was_cancelled": False} | more


def task(*annotations: dict[str, Any], number: int = 1, **more: object) -> dict[str, Any]:
    return {"id": number, "data": {"text": "t"}, "annotations": list(annotations), "predictions": []} | more


def read(tmp_path: Path, tasks: object, **options: object) -> Export:
    path = tmp_path / "project.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return read_export(path, ReadOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FILES)
def test_each_result_is_one_row(name: str) -> None:
    rows = read_export(EXPORTS / name).rows.filter(source_ref="annotation:1")
    assert rows.select("question", "item", "rater", "rater_kind", "label").rows() == [
        ("tone", "11", "1", "human", "good"),
        ("topics", "11", "1", "human", '["price", "service"]'),
        ("tax", "11", "1", "human", '["A / A1", "B"]'),
        ("stars", "11", "1", "human", "4"),
    ]
    assert rows["rated_at"].unique().to_list() == ["2026-05-02T09:30:00.000000Z"]
    assert rows["duration_s"].unique().to_list() == ["1.5"]


def test_one_export_a_snapshot_and_the_api_agree_on_the_annotations() -> None:
    export, snapshot, api = (read_export(EXPORTS / name).rows.filter(rater_kind="human") for name in FILES)
    assert export.drop("row_number", "question").rows() == snapshot.drop("row_number", "question").rows()
    assert snapshot.rows() == api.rows()


def test_rejects_name_control_reason_and_annotation() -> None:
    rejects = read_export(EXPORTS / "snapshot.json").rejects
    assert rejects.select("row_number", "column_name", "reason").rows() == [
        (1, "comment", "unsupported_control"),
        (6, None, "empty_answer"),
        (8, "ner", "unsupported_control"),
        (8, "formal", "per_region"),
        (9, "topics", "empty_answer"),
        (12, None, "empty_answer"),
    ]
    assert rejects["detail"][1] == "annotation:4 holds no answer."
    assert rejects["value"][0] == '{"text": ["well"]}'


def test_predictions_are_systems_each_id_once() -> None:
    systems = read_export(EXPORTS / "snapshot.json").rows.filter(rater_kind="system")
    assert systems.select("source_ref", "item", "rater", "system_version", "label", "score").rows() == [
        ("prediction:1", "11", "bert-v1", "bert-v1", "good", "0.8"),
        ("prediction:2", "11", "llm-2", "llm-2", "bad", "0.9"),
        ("prediction:3", "12", "unnamed model", None, "good", None),
        ("prediction:4", "12", "bert-v1", "bert-v1", "bad", "0.9"),
    ]
    assert systems["rated_at"].unique().to_list() == ["2026-05-01T08:00:01.000000Z"]


def test_a_plain_export_has_only_the_predictions_that_annotators_saw() -> None:
    export = read_export(EXPORTS / "export.json")
    assert export.rows.filter(rater_kind="system")["source_ref"].to_list() == ["prediction:1"]
    assert export.warnings[0].startswith("Predictions of which the file has only the ids: 4.")


def test_metadata_are_the_scalars_of_each_question_the_item_has() -> None:
    metadata = read_export(EXPORTS / "snapshot.json").metadata
    assert metadata.filter(question="stars").rows() == [
        ("stars", "11", "text", "Anna is kind"),
        ("stars", "11", "ext_id", "doc-1"),
        ("stars", "11", "n", "1"),
    ]
    assert metadata.filter(item="12", key="text")["value"].str.len_chars().unique().to_list() == [2_000]
    assert "13" not in metadata["item"]


# Traps, by their numbers in the list of what real exports hold


@pytest.mark.parametrize("by", [5, "5", {"id": 5, "email": "e@example.com"}])
def test_trap_1_a_rater_is_the_id_as_text(tmp_path: Path, by: object) -> None:
    assert read(tmp_path, [task(annotation(choices("a"), completed_by=by))]).rows["rater"].to_list() == ["5"]


@pytest.mark.parametrize("by", [0, {"id": 0, "email": "e@example.com"}])
def test_trap_1_the_id_0_is_an_id(tmp_path: Path, by: object) -> None:
    assert read(tmp_path, [task(annotation(choices("a"), completed_by=by))]).rows["rater"].to_list() == ["0"]


def test_trap_1_nobody_is_a_reject_and_an_email_serves_without_id(tmp_path: Path) -> None:
    tasks = [task(annotation(choices("a"), completed_by=None), annotation(choices("a"), completed_by={"email": "e@x"}))]
    checked = validate(read(tmp_path, tasks))
    assert checked.ratings["rater"].to_list() == ["e@x"]
    assert checked.rejects["reason"].to_list() == ["missing_rater"]


@pytest.mark.parametrize("key", ["ext_id", "data.ext_id"])
def test_trap_3_a_field_of_the_data_can_name_the_item(key: str) -> None:
    rows = read_export(EXPORTS / "snapshot.json", ReadOptions(columns={"item": key})).rows
    assert set(rows["item"]) == {"doc-1", "doc-2"}


def test_trap_3_a_field_that_is_nowhere_is_refused_and_a_gap_is_a_reject(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"no.* data field 'doc'|No task .* data field 'doc'.*'ext_id', 'list', 'n'"):
        read_export(EXPORTS / "snapshot.json", ReadOptions(columns={"item": "doc"}))
    tasks = [task(annotation(choices("a")), data={"k": "d1"}), task(annotation(choices("b")), data={"other": 1})]
    checked = validate(read(tmp_path, tasks, columns={"item": "k"}))
    assert checked.ratings["item"].to_list() == ["d1"]
    assert checked.rejects["reason"].to_list() == ["missing_item"]


@pytest.mark.parametrize(
    ("chosen", "label"),
    [
        (["a"], "a"),
        (["b", "a"], '["a", "b"]'),
        ([["Animal", "Cat"]], "Animal / Cat"),
        ([["Animal", "Cat"], ["Plant"]], '["Animal / Cat", "Plant"]'),
        (["Plant"], "Plant"),
        (["b,c", "ü"], '["b,c", "ü"]'),
        (["a", "a"], "a"),
        ([" a "], "a"),
    ],
)
def test_trap_6_and_8_labels_are_bare_alone_and_sets_together(tmp_path: Path, chosen: list[Any], label: str) -> None:
    assert read(tmp_path, [task(annotation(choices(*chosen)))]).rows["label"].to_list() == [label]


@pytest.mark.parametrize("place", [{"start": 0, "end": 4}, {"x": 1.0, "width": 3}, {"points": [[1, 2]]}])
def test_trap_9_choices_of_a_region_are_not_the_items(tmp_path: Path, place: dict[str, Any]) -> None:
    export = read(tmp_path, [task(annotation(choices("formal", **place)))])
    assert export.rows.is_empty()
    assert export.rejects["reason"].to_list() == ["per_region"]


def test_trap_11_a_rater_may_answer_twice_and_both_rows_stay(tmp_path: Path) -> None:
    export = read(tmp_path, [task(annotation(choices("a")), annotation(choices("b"), number=2))])
    assert export.rows.select("rater", "label").rows() == [("5", "a"), ("5", "b")]
    assert export.rows["source_ref"].to_list() == ["annotation:1", "annotation:2"]


@pytest.mark.parametrize(("changed_by", "n"), [(7, 1), ({"id": 7}, 1), (5, 0), ({"id": 5}, 0), (None, 0)])
def test_trap_11_an_edit_by_somebody_else_is_said(tmp_path: Path, changed_by: object, n: int) -> None:
    export = read(tmp_path, [task(annotation(choices("a"), updated_by=changed_by))])
    assert export.rows["rater"].to_list() == ["5"]
    assert sum("somebody else changed last: 1." in warning for warning in export.warnings) == n


def test_trap_15_skips_count_annotations_even_with_a_result_and_empty_ones_are_rejects(tmp_path: Path) -> None:
    skipped = annotation(choices("a"), choices("b", name="r"), was_cancelled=True)
    export = read(tmp_path, [task(skipped, annotation(was_cancelled=True), annotation(), annotation(choices()))])
    assert (export.n_skipped, export.rows.height) == (2, 0)
    assert export.rejects.select("reason", "column_name").rows() == [("empty_answer", None), ("empty_answer", "q")]
    assert validate(export).n_rows == 4


def test_trap_16_ground_truth_is_not_gold(tmp_path: Path) -> None:
    export = read(tmp_path, [task(annotation(choices("a"), ground_truth=True))])
    assert export.rows["rater_kind"].to_list() == ["human"]
    assert export.warnings[0].startswith("Annotations marked ground_truth: 1.")


def test_trap_22_half_characters_are_mended_and_said(tmp_path: Path) -> None:
    export = read(tmp_path, [task(annotation(choices("\ud83d cut", "whole \U0001f600")))])
    assert export.rows["label"].to_list() == ['["whole \U0001f600", "\ufffd cut"]']
    assert export.warnings == ("Records with half characters (texts cut within one), shown as \ufffd: 1.",)


# Shapes


def test_a_single_task_and_an_export_without_answers(tmp_path: Path) -> None:
    assert read(tmp_path, task(annotation(choices("a")))).rows.height == 1
    only_predictions = {"id": 9, "data": {}, "predictions": [{"id": 1, "model_version": "m", "result": [choices("a")]}]}
    assert read(tmp_path, [only_predictions]).rows["rater_kind"].to_list() == ["system"]
    assert read(tmp_path, [task()]).rows.schema == read(tmp_path, task(annotation(choices("a")))).rows.schema


def test_odd_values_end_as_rejects_or_nothing_never_as_an_error(tmp_path: Path) -> None:
    kind = {"type": "choices"}
    odd: list[Any] = [None, 1, "x", kind, {**kind, "value": None}, {**kind, "value": {"choices": 7}}]
    export = read(tmp_path, [task(annotation(*odd), annotation(result="text")), task(number=2, data=[])])
    assert read(tmp_path, [task(12, annotation(choices("a")))]).rejects["reason"].to_list() == ["bad_record"]  # type: ignore[arg-type]
    assert export.rows["label"].to_list() == ["7"]
    assert export.rejects["reason"].to_list() == [*["unsupported_control"] * 3, *["empty_answer"] * 3]


def test_a_task_that_is_no_object_refuses_the_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"Record 2 of project\.json is not a task") as caught:
        read(tmp_path, [task(annotation(choices("a"))), 17])
    assert caught.value.row == 2


def test_a_file_cut_off_is_refused_whole(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps([task(annotation(choices("a")), number=n) for n in range(5)])[:-40], encoding="utf-8")
    assert detect(path) == "label_studio"
    with pytest.raises(ReadError, match="not valid JSON"):
        read_export(path)


def test_other_json_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "flat.json"
    path.write_text('[{"item": 1, "rater": "a", "label": "x"}]', encoding="utf-8")
    with pytest.raises(ReadError, match="no JSON export of Label Studio: JSON whose first record has 'item', 'rater'"):
        FORMATS["label_studio"].read(path)


def test_columns_for_tables_in_the_same_source_do_no_harm(tmp_path: Path) -> None:
    export = read(tmp_path, [task(annotation(choices("a")))], columns={"rater": "who", "label": "code"})
    assert export.rows["rater"].to_list() == ["5"]
    assert export.warnings == ("Columns mapped to label, rater do not concern Label Studio's JSON.",)


def test_question_and_prefix(tmp_path: Path) -> None:
    nameless = {k: v for k, v in choices("b").items() if k != "from_name"}
    export = read(tmp_path, [task(annotation(choices("a"), nameless))], prefix="p", question="told")
    assert export.rows["question"].to_list() == ["p/q", "p/told"]
    assert set(export.metadata["question"]) == {"p/q"}


def test_numbers_of_rows_follow_the_file(tmp_path: Path) -> None:
    prediction = {"id": 7, "model_version": "m", "result": [choices("a")]}
    tasks = [
        task(annotation(choices("a")), annotation(number=2, was_cancelled=True), predictions=[prediction]),
        task(annotation(choices("b"), number=3), number=2),
    ]
    rows = read(tmp_path, tasks).rows
    assert rows["source_ref"].to_list() == ["annotation:1", "prediction:7", "annotation:3"]
    assert rows["row_number"].to_list() == [1, 3, 4]
    assert isinstance(rows.schema["row_number"], pl.Int64)


@pytest.mark.parametrize("kind", [["choices"], {"a": 1}, None, 7])
def test_a_control_of_an_odd_type_is_a_reject(tmp_path: Path, kind: object) -> None:
    export = read(tmp_path, [task(annotation({"from_name": "q", "type": kind, "value": {"choices": ["a"]}}))])
    assert export.rejects["reason"].to_list() == ["unsupported_control"]
