"""Label Studio's three exports of one project agree: what a control's answer means does not depend on the format."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tasks.formats import ReadOptions
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.read_export import read_export
from tasks.ingest.validate import ValidatedExport, validate
from tasks.sources.live_label_studio import read_tasks
from tasks.sources.live_label_studio.live_source import LiveSource

pytestmark = pytest.mark.field_trial(15)
SPAN = {"start": 0, "end": 4, "text": "John"}
SECOND = {"start": 9, "end": 13, "text": "Mary"}
BARE = ("choices", "text")
Results = list[tuple[str, str, dict[str, Any]]]

# One project: each annotation as (task, annotator, results as (from_name, type, value)).
CONTROLS: list[tuple[int, int, Results]] = [
    (1, 1, [("tone", "choices", {"choices": ["good"]}), ("better", "pairwise", {"selected": "left"})]),
    (1, 2, [("tone", "choices", {"choices": ["bad"]}), ("better", "pairwise", {"selected": "right"})]),
    (2, 1, [("count", "number", {"number": 0}), ("day", "datetime", {"datetime": "2026-01-05"})]),
    (2, 2, [("count", "number", {"number": 4.5}), ("day", "datetime", {"datetime": "2026-01-06"})]),
    (3, 1, [("order", "ranker", {"ranker": {"rank": ["a", "b"]}}), ("tone", "choices", {"choices": ["good"]})]),
    (3, 2, [("order", "ranker", {"ranker": {"rank": ["b", "a"]}}), ("tone", "choices", {"choices": ["good"]})]),
    (4, 1, [("stars", "rating", {"rating": 4}), ("topics", "choices", {"choices": ["price", "room"]})]),
    (4, 2, [("kind", "taxonomy", {"taxonomy": [["A", "B"]]}), ("topics", "choices", {"choices": ["price"]})]),
]
PARTS: list[tuple[int, int, Results]] = [
    (1, 1, [("tone", "choices", {"choices": ["good"]})]),
    (1, 2, [("tone", "choices", {"choices": ["bad"]})]),
    (2, 1, [("ner", "labels", {**SPAN, "labels": ["PER"]}), ("style", "choices", {**SPAN, "choices": ["formal"]}),
            ("tone", "choices", {"choices": ["good"]})]),
    (2, 2, [("ner", "labels", {**SPAN, "labels": ["PER"]}), ("style", "choices", {**SPAN, "choices": ["slang"]}),
            ("tone", "choices", {"choices": ["good"]})]),
    (3, 1, [("ner", "labels", {**SPAN, "labels": ["PER"]}), ("style", "choices", {**SPAN, "choices": ["formal"]}),
            ("ner", "labels", {**SECOND, "labels": ["PER"]}), ("style", "choices", {**SECOND, "choices": ["slang"]}),
            ("tone", "choices", {"choices": ["bad"]})]),
]  # fmt: skip


TEXTS: list[tuple[int, int, Results]] = [
    (1, 1, [("tone", "choices", {"choices": ["good"]}), ("why", "textarea", {"text": ["friendly"]})]),
    (1, 2, [("tone", "choices", {"choices": ["bad"]}), ("why", "textarea", {"text": ["friendly"]})]),
    (2, 1, [("tone", "choices", {"choices": ["good"]}), ("why", "textarea", {"text": ["too long"]})]),
    (2, 2, [("tone", "choices", {"choices": ["bad"]}), ("why", "textarea", {"text": ["2026-01-05"]})]),
]


def as_json(project: list[tuple[int, int, Results]]) -> str:
    tasks: dict[int, dict[str, Any]] = {}
    for number, (task, annotator, results) in enumerate(project, start=1):
        kept = tasks.setdefault(task, {"id": task, "data": {"body": f"text {task}"}, "annotations": []})
        named = [{"id": "r", "from_name": name, "to_name": "t", "type": t, "value": v} for name, t, v in results]
        kept["annotations"].append({"id": number, "completed_by": annotator, "was_cancelled": False, "result": named})
    return json.dumps(list(tasks.values()))


def as_min(project: list[tuple[int, int, Results]]) -> list[dict[str, Any]]:
    """The records that Label Studio's converter makes of it."""
    records = []
    for number, (task, annotator, results) in enumerate(project, start=1):
        answers: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for name, kind, value in results:
            answers.setdefault(name, []).append((kind, value))
        cells = {name: cell(held) for name, held in answers.items()}
        records.append(
            {"body": f"text {task}", "id": task, **cells, "annotator": annotator, "annotation_id": number,
             "created_at": None, "updated_at": None, "lead_time": 1.5}
        )  # fmt: skip
    return records


def cell(held: list[tuple[str, dict[str, Any]]]) -> Any:
    kind = held[-1][0]
    values = [v["choices"][0] if t == "choices" and len(v["choices"]) == 1 else v for t, v in held]
    texts = [
        v["text"][0] if t == "textarea" and len(v["text"]) == 1 else v for (t, _), v in zip(held, values, strict=True)
    ]
    return texts[0] if kind in ("choices", "textarea") and len(texts) == 1 else texts


def csv_of(records: list[dict[str, Any]]) -> str:
    headers = sorted({key for record in records for key in record})
    out = io.StringIO()
    writer = csv.DictWriter(out, headers, restval="", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(
        {k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in record.items()} for record in records
    )
    return out.getvalue()


def read(tmp_path: Path, project: list[tuple[int, int, Results]], form: str) -> ValidatedExport:
    path = tmp_path / ("p.csv" if form == "csv" else f"{form}.json")
    texts = {"json": as_json, "min": lambda p: json.dumps(as_min(p)), "csv": lambda p: csv_of(as_min(p))}
    path.write_text(texts[form](project), encoding="utf-8")
    export = read_export(path)
    assert export.format == ("label_studio" if form == "json" else "label_studio_min")
    return validate(export)


@pytest.mark.parametrize("form", ["json", "min", "csv"])
def test_times_pairs_and_ranks_are_rejected_and_numbers_are_labels_in_every_export(tmp_path: Path, form: str) -> None:
    result = read(tmp_path, CONTROLS, form)
    assert sorted(result.ratings.select("item", "question", "rater", "label").rows()) == [
        ("1", "tone", "1", "good"), ("1", "tone", "2", "bad"), ("2", "count", "1", "0"), ("2", "count", "2", "4.5"),
        ("3", "tone", "1", "good"), ("3", "tone", "2", "good"), ("4", "kind", "2", "A / B"), ("4", "stars", "1", "4"),
        ("4", "topics", "1", '["price", "room"]'), ("4", "topics", "2", "price"),
    ]  # fmt: skip
    assert sorted(result.rejects.select("column_name", "reason").rows()) == sorted(
        [(name, "unsupported_control") for name in ("better", "day", "order") for _ in range(2)]
    )


@pytest.mark.parametrize("form", ["json", "min", "csv"])
def test_choices_about_parts_are_no_ratings_of_the_item_in_any_export(tmp_path: Path, form: str) -> None:
    result = read(tmp_path, PARTS, form)
    assert sorted(result.ratings.select("item", "question", "rater", "label").rows()) == [
        ("1", "tone", "1", "good"), ("1", "tone", "2", "bad"), ("2", "tone", "1", "good"), ("2", "tone", "2", "good"),
        ("3", "tone", "1", "bad"),
    ]  # fmt: skip
    rejected = result.rejects.filter(column_name="style")
    assert set(rejected["reason"]) == {"per_region"}
    assert rejected.height == (4 if form == "json" else 3)  # JSON has a result per part, the others a cell


@pytest.mark.parametrize("form", ["min", "csv"])
def test_one_choice_about_one_part_is_written_like_one_about_the_item(tmp_path: Path, form: str) -> None:
    only_single = [(task, who, results) for task, who, results in PARTS if task < 3]
    result = read(tmp_path, only_single, form)
    assert set(result.ratings["question"]) == {"tone"}
    path = tmp_path / ("p.csv" if form == "csv" else "min.json")
    assert any("answered only where parts of an item are marked" in w and "'style'" in w
               for w in read_export(path).warnings)  # fmt: skip
    insisting = ReadOptions(format="label_studio_min", columns={"label": "tone|style"})
    assert set(read_export(path, insisting).rows["question"]) == {"tone", "style"}


@pytest.mark.parametrize("form", ["min", "csv"])
def test_a_question_about_the_item_is_read_where_each_item_has_several_parts(tmp_path: Path, form: str) -> None:
    marked = [("ner", "labels", {**SPAN, "labels": ["PER"]}), ("ner", "labels", {**SECOND, "labels": ["PER"]})]
    project = [
        (task, who, [*marked, ("tone", "choices", {"choices": [["good", "bad"][(task + who) % 2]]})])
        for task in (1, 2)
        for who in (1, 2)
    ]
    assert sorted(read(tmp_path, project, form).ratings["label"]) == ["bad", "bad", "good", "good"]


@pytest.mark.parametrize("form", ["min", "csv"])
def test_objects_among_the_data_are_no_answers(tmp_path: Path, form: str) -> None:
    records = [{"talk": [{"author": "a", "text": "hello"}], **record} for record in as_min(PARTS[:2])]
    path = tmp_path / ("talk.csv" if form == "csv" else "talk.json")
    path.write_text(csv_of(records) if form == "csv" else json.dumps(records), encoding="utf-8")
    assert validate(read_export(path)).rejects.is_empty()
    assert set(read_export(path).rows["question"]) == {"tone"}


@pytest.mark.parametrize("form", ["json", "min", "csv"])
def test_texts_of_a_text_area_are_rejected_in_every_export(tmp_path: Path, form: str) -> None:
    result = read(tmp_path, TEXTS, form)
    assert set(result.ratings["question"]) == {"tone"}
    assert result.ratings.height == 4
    assert result.rejects.select("column_name", "reason").rows() == [("why", "unsupported_control")] * 4


@pytest.mark.parametrize("answers", [[3, 4, 3, 4], [True, False, True, False], ["2026-01-05", "2026-01-06"] * 2])
def test_bare_numbers_and_dates_are_no_labels_unless_named(tmp_path: Path, answers: list[object]) -> None:
    records = [record | {"tone": answer} for record, answer in zip(as_min(TEXTS), answers, strict=True)]
    path = tmp_path / "bare.json"
    path.write_text(json.dumps([{k: r[k] for k in r if k != "why"} for r in records]), encoding="utf-8")
    export = read_export(path)
    assert export.rows.is_empty()
    assert set(export.rejects["reason"]) == {"unsupported_control"}
    assert any("no two items share" in w and "'tone'" in w for w in export.warnings)
    insisting = ReadOptions(format="label_studio_min", columns={"label": "tone"})
    assert read_export(path, insisting).rows.height == 4


def test_a_live_project_agrees_with_its_export() -> None:
    source = LiveSource("labels", "http://127.0.0.1", 1)
    _, result, regions = read_tasks.read(source, json.loads(as_json(CONTROLS)), is_first=True, rules=IngestRules())
    assert regions is None
    assert set(result.ratings["question"]) == {"tone", "kind", "stars", "topics", "count"}
    assert set(result.rejects["reason"]) == {"unsupported_control"}
