"""Read the spans of text in Label Studio's JSON: controls of type labels and hypertextlabels.

The question is the name of the control. An annotation that was submitted without a span of a question did the item. The
label of a span is its labels together, as a set.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks.formats.parsing.cells import cell_text, label_set, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import mentions
from tasks.formats.parsing.record_votes import read_records
from tasks.formats.regions.span_export import SpanExport, Spans

KINDS = ("labels", "hypertextlabels")
WHOLE = ("choices", "taxonomy", "rating")
SKIPPED = "Annotations that were skipped: {n}."
Json = Mapping[str, Any]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for tasks with a control that marks text."""
    shape = seen.shape
    tasks = shape.get("data") == "object" and "array" in (shape.get("annotations"), shape.get("predictions"))
    return seen.kind == "json" and tasks and any(mentions(seen, kind) for kind in KINDS)


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read all tasks."""
    records = read_records(path)
    tasks = list(records.rows)
    results = [one for _, task in tasks for work in _works(task) for one in _objects(work.get("result"))]
    questions = sorted({_question(one) for one in results if one.get("type") in KINDS})
    spans = Spans(has_labels=any(one.get("type") in WHOLE and "start" not in _value(one) for one in results))
    field = options.columns.get("item", "").strip().removeprefix("data.")
    for row, task in tasks:
        data = task.get("data")
        item = tidy_label(data.get(field) if field and isinstance(data, dict) else task.get("id"))
        for annotation in _objects(task.get("annotations")):
            if annotation.get("was_cancelled"):
                spans.skip(SKIPPED)
                continue
            by = annotation.get("completed_by")
            rater = cell_text((by.get("id") or by.get("email")) if isinstance(by, dict) else by)
            _add(spans, row, questions, item, rater, "human", annotation)
        for prediction in _objects(task.get("predictions")):
            version = tidy_label(prediction.get("model_version")) or "unnamed model"
            _add(spans, row, questions, item, version, "system", prediction)
    return spans.export("label_studio", records.rejects, records.warnings)


def _add(
    spans: Spans, row: int, questions: list[str], item: str | None, rater: str | None, kind: str, work: Json
) -> None:
    for question in questions:
        if not spans.start(row, question, item, rater, kind):
            return
        for result in _objects(work.get("result")):
            if result.get("type") in KINDS and _question(result) == question:
                value = _value(result)
                offsets = value.get("globalOffsets")
                places = offsets if isinstance(offsets, dict) else value
                labels = value.get(result["type"])
                label = label_set(labels) if isinstance(labels, list) else tidy_label(labels)
                spans.add(row, (question, str(item), str(rater)), places.get("start"), places.get("end"), label)


def _works(task: Json) -> list[dict[str, Any]]:
    return [*_objects(task.get("annotations")), *_objects(task.get("predictions"))]


def _question(result: Json) -> str:
    return cell_text(result.get("from_name")) or "labels"


def _value(result: Json) -> dict[str, Any]:
    value = result.get("value")
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
