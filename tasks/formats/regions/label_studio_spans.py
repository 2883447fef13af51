"""Read the regions in Label Studio's JSON: spans (labels, hypertextlabels) and boxes (rectanglelabels, labels).

The control Labels marks text, or it names what Rectangle draws on an image: then the export has two results of one id.

The question is the name of the control. An annotation that was submitted without a region of a question did the item.
The label of a region is its labels together, as a set. Boxes are in per cent of the image.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tasks.formats.label_studio import MAX_REMEMBERED, REGION, SKIPPED, annotator
from tasks.formats.parsing.cells import cell_text, label_set, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import dicts_in, mentions_anywhere, number
from tasks.formats.parsing.tools.record_votes import read_records
from tasks.formats.regions.span_export import SpanExport, Spans, text_among

KINDS = ("labels", "hypertextlabels")
BOXES = ("rectanglelabels",)
WHOLE = ("choices", "taxonomy", "rating", "number")
RECTANGLE = "rectangle"
"""The type of a box as Rectangle draws it. Its label is in a result of Labels with the same id."""
SHAPES = frozenset({"points", "rle", "brush", "radiusX", "vertices"})
SOUND = ("unsupported_control", "A part of a sound is in seconds, and no span of characters.")
RELATIONS = "Relations between spans or boxes, which are not compared: {n}."
Json = Mapping[str, Any]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for tasks with a control that marks text."""
    shape = seen.shape
    tasks = shape.get("data") == "object" and "array" in (shape.get("annotations"), shape.get("predictions"))
    return seen.kind == "json" and tasks and mentions_anywhere(seen, *KINDS, *BOXES, least=1)


def read(path: Path, options: ReadOptions, known_questions: Sequence[str] = ()) -> SpanExport:
    """Read all tasks. `known_questions` have regions, also if nobody marked anything in these tasks."""
    records = read_records(path)
    spans, region_questions, paged = Spans(), set(known_questions), False
    for _, task in records.rows:
        for result in (result for entry in _works(task) for result in dicts_in(entry.get("result"))):
            kind = result.get("type")
            if kind in (*KINDS, *BOXES):
                region_questions.add(_question(result))
            paged |= kind == "hypertextlabels"  # its offsets are those of a page's text
            spans.has_labels |= kind in WHOLE and REGION.isdisjoint(_value(result))
    questions = sorted(region_questions)
    field = options.columns.get("item", "").strip().removeprefix("data.")
    for row, task in records.rows:
        data = task.get("data")
        item = tidy_label(data.get(field) if field and isinstance(data, dict) else task.get("id"))
        spans.text(item, None if paged or not isinstance(data, dict) else text_among(data))
        for annotation in dicts_in(task.get("annotations")):
            if annotation.get("was_cancelled"):
                spans.skip(SKIPPED)
                continue
            spans.notes[RELATIONS] += sum(
                result.get("type") == "relation" for result in dicts_in(annotation.get("result"))
            )
            rater = annotator(annotation)
            _add(spans, row, questions, (item, rater, "human"), annotation)
        for prediction in dicts_in(task.get("predictions")):
            version = tidy_label(prediction.get("model_version")) or "unnamed model"
            _add(spans, row, questions, (item, version, "system"), prediction)
    return spans.export("label_studio", records.rejects, records.warnings)


def _add(spans: Spans, row: int, questions: list[str], who: tuple[str | None, str | None, str], entry: Json) -> None:
    item, rater, kind = who
    ref = f"{'prediction' if kind == 'system' else 'annotation'}:{cell_text(entry.get('id'))}"
    time = cell_text(entry.get("updated_at") or entry.get("created_at"))
    for question in questions:
        if not spans.start(row, question, item, rater, kind, time, ref):
            return
        for result in dicts_in(entry.get("result")):
            if result.get("type") in (*KINDS, *BOXES) and _question(result) == question:
                _add_region(spans, row, (question, str(item), str(rater)), result)
    _reject_unlabelled_boxes(spans, row, entry)


def _add_region(spans: Spans, row: int, key: tuple[str, str, str], result: Json) -> None:
    kind, value = result["type"], _value(result)
    if kind in BOXES or ("start" not in value and {"x", "y", "width", "height"} <= value.keys()):
        _add_box(spans, row, key, kind, value)
        return
    if not SHAPES.isdisjoint(value):
        spans.reject_shape(row, key, "shape", _label(value.get(kind)), "The shape is no box.")
        return
    offsets = value.get("globalOffsets")
    places = offsets if isinstance(offsets, dict) else value
    if "channel" in value or "original_length" in result:
        spans.reject(row, "span", f"{places.get('start')}-{places.get('end')}", *SOUND)
        return
    spans.add(row, key, places.get("start"), places.get("end"), _label(value.get(kind)))


def _reject_unlabelled_boxes(spans: Spans, row: int, entry: Json) -> None:
    """Reject the boxes of Rectangle to which no label was given."""
    results = list(dicts_in(entry.get("result")))
    labelled = {cell_text(result.get("id")) for result in results if result.get("type") in (*KINDS, *BOXES)}
    for result in results:
        if result.get("type") == RECTANGLE and cell_text(result.get("id")) not in labelled:
            spans.reject(row, "box", _question(result), "missing_label", "The box has no label.")


def _add_box(spans: Spans, row: int, key: tuple[str, str, str], kind: str, value: Json) -> None:
    label = _label(value.get(kind))
    if number(value.get("rotation")):
        spans.reject_shape(row, key, "box", label, "The box is rotated.")
        return
    left, top, width, height = (number(value.get(name)) for name in ("x", "y", "width", "height"))
    right = None if left is None or width is None else left + width
    bottom = None if top is None or height is None else top + height
    spans.add_box(row, key, [left, top, right, bottom], label)


def _label(labels: object) -> str | None:
    """Return the labels of a region as a set. Nearly always it is one short text that was met before."""
    label = labels[0] if isinstance(labels, list) and len(labels) == 1 else labels
    if type(label) is str and len(label) <= MAX_REMEMBERED:
        return _tidy(label)
    return label_set(labels) if isinstance(labels, list) else tidy_label(labels)


@lru_cache(maxsize=10_000)
def _tidy(label: str) -> str | None:
    return tidy_label(label)


def _works(task: Json) -> list[dict[str, Any]]:
    return [*dicts_in(task.get("annotations")), *dicts_in(task.get("predictions"))]


def _question(result: Json) -> str:
    return cell_text(result.get("from_name")) or "labels"


def _value(result: Json) -> dict[str, Any]:
    value = result.get("value")
    return value if isinstance(value, dict) else {}
