"""Read Label Studio's JSON: the plain export, the snapshot, and the answer of /api/tasks?fields=all.

A task holds annotations (one person's visit) and predictions (one model's). Each holds results, one per control of the
labelling interface. The name of the control (`from_name`) is the question. Each result becomes one row: a rating if it
is a choice, taxonomy, rating or number for the whole item, else a reject. A skipped annotation counts as skipped. An
annotation that was submitted without a result is one reject. `ground_truth` is not gold: imports set it by default.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemas.rating_columns import MAX_METADATA_LENGTH
from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.columns.item_columns import cut_warning
from tasks.formats.parsing.cells import cell_text, label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions, joined
from tasks.formats.parsing.file_look import FileLook, json_error, look_at_file
from tasks.formats.parsing.records.json_objects import mended_warning
from tasks.formats.parsing.records.json_records import JsonRecords
from tasks.formats.parsing.reject_rows import Reject
from tasks.formats.parsing.text_encoding import open_utf8
from tasks.formats.parsing.tools.label_studio_frames import Source, TaskRows

LABELS_IN = {"choices": "choices", "taxonomy": "taxonomy", "rating": "rating", "number": "number"}
"""The controls that label a whole item, and where their result's value holds the labels."""

ORDERED = ("rating", "number")

REGION = frozenset(
    {"start", "end", "startOffset", "endOffset", "globalOffsets", "ranges", "x", "y", "width", "height", "rotation"}
    | {"radiusX", "radiusY", "points", "vertices", "closed", "rle", "brush", "sequence", "item_index"}
)
"""What a result's value holds besides the labels where they belong to a part of the item."""

MORE = {
    "pairwise": " `kappaflow prefer` reads pairwise choices.",
    "ranker": ' `kappaflow agree --question NAME` and projects with answers = "ranking" compare rankings.',
    "textarea": ' `kappaflow agree --question NAME` and projects with answers = "text" compare texts.',
}  # commands for other controls
UNNAMED = "unnamed model"
SKIPPED = "Annotations that were skipped: {n}."
MAX_UNPACKED = 50_000  # results and metadata as Python objects at a time
MAX_PART = 250_000  # rows and metadata that are read before they are handed on
MAX_REMEMBERED = 100  # characters of a label that is tidied once
REF = 6  # the place of the source's own id

Json = Mapping[str, Any]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for tasks that have data and annotations or predictions."""
    shape = seen.shape
    answers = "array" in (shape.get("annotations"), shape.get("predictions"))
    return seen.kind == "json" and shape.get("data") == "object" and answers


def read(path: Path, options: ReadOptions) -> Export:
    """Read all tasks of the file. Errors: ReadError if it is no such export, or its JSON breaks off."""
    return joined(list(parts(path, options)))


def parts(path: Path, options: ReadOptions) -> Iterator[Export]:
    """Read the file in parts of MAX_PART rows or a few more. The last part has the rest."""
    item_key = options.columns.get("item", "").strip().removeprefix("data.") or None
    task_rows = TaskRows()
    for task in _tasks(path, task_rows):
        _add_task(task_rows, task, item_key)
        if task_rows.n_waiting >= MAX_UNPACKED:
            task_rows.pack()
            if task_rows.n_packed >= MAX_PART:
                yield task_rows.part()
    if item_key and task_rows.n_tasks and item_key not in task_rows.data_keys:
        raise ReadError(
            f"No task of {path.name} has a data field {item_key!r}; there are {listed(sorted(task_rows.data_keys))}.",
            "Map the item to one of them (--columns item=FIELD), or leave it out: then it is the task's id.",
            file=str(path),
            column=item_key,
        )
    task_rows.pack()
    last = task_rows.part()
    yield replace(last, warnings=(*_unused_columns(options), *_warnings(task_rows)))


def _tasks(path: Path, task_rows: TaskRows) -> Iterator[Json]:
    """Iterate over the tasks: of a list, of the list under `tasks`, or a single one."""
    seen = look_at_file(path)
    if not sniff(seen, ReadOptions()):
        raise ReadError.of(
            path,
            f"is no JSON export of Label Studio: {seen.described}.",
            "Export the project as JSON (not JSON_MIN), or make a snapshot.",
        )
    with open_utf8(path, seen.encoding) as file:
        records = JsonRecords(file)
        try:
            for n, task in enumerate(records, start=1):
                if not isinstance(task, dict):
                    what = f"Record {n} of {path.name} is not a task."
                    raise ReadError(what, "Export it again.", file=str(path), row=n)
                yield task
        except (ValueError, RecursionError) as e:
            raise json_error(path, e) from e
        task_rows.n_mended = records.n_mended


def _add_task(task_rows: TaskRows, task: Json, item_key: str | None) -> None:
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    item = tidy_label(data.get(item_key) if item_key else task.get("id"))
    first = len(task_rows.results)
    listed_annotations = _list(task.get("annotations"))
    annotations = [a for a in listed_annotations if isinstance(a, dict)]
    for annotation in listed_annotations:
        if isinstance(annotation, dict):
            _add_annotation(task_rows, annotation, item)
        else:
            task_rows.n += 1
            detail = "The annotation is not in the file, only what stands for it."
            task_rows.rejects.append(Reject(task_rows.n, "annotations", cell_text(annotation), "bad_record", detail))
    _add_predictions(task_rows, _list(task.get("predictions")), annotations, item)
    task_rows.n_tasks += 1
    task_rows.n_drafts += len(_list(task.get("drafts")))
    task_rows.data_keys.update(data)
    questions = dict.fromkeys(question for _, question, _, _ in task_rows.results[first:] if question is not None)
    if item is not None and questions:
        _add_metadata(task_rows, data, item, questions)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _add_metadata(task_rows: TaskRows, data: Json, item: str, questions: Iterable[str]) -> None:
    number = task_rows.n_tasks
    task_rows.items.append(item)
    task_rows.task_questions += [(number, question) for question in questions]
    for key, value in data.items():
        if isinstance(value, dict | list):
            continue
        if text := value if type(value) is str else cell_text(value):
            # Long texts are cut later. Here one more character is enough to show that.
            task_rows.metadata.append((number, item, key, text[: MAX_METADATA_LENGTH + 1]))


def annotator(annotation: Json) -> str | None:
    """Return who made an annotation: the id, also 0, or the e-mail of an annotator without one.

    >>> annotator({"completed_by": 7}), annotator({"completed_by": {"id": 0, "email": "a@b.c"}})
    ('7', '0')
    >>> annotator({"completed_by": {"id": None, "email": "a@b.c"}}), annotator({})
    ('a@b.c', None)
    """
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") if by.get("id") in (None, "") else by["id"]
    return cell_text(by)


def _add_annotation(task_rows: TaskRows, annotation: Json, item: str | None) -> None:
    task_rows.n += 1
    get = annotation.get
    task_rows.n_ground_truth += get("ground_truth") is True
    if get("was_cancelled"):
        task_rows.n_skipped += 1
        return
    rater, changed_by = annotator(annotation), get("updated_by")
    changed_by = changed_by.get("id") if isinstance(changed_by, dict) else changed_by
    task_rows.n_by_others += changed_by is not None and cell_text(changed_by) != rater
    time, duration = cell_text(get("updated_at") or get("created_at")), cell_text(get("lead_time"))
    ref = f"annotation:{cell_text(get('id'))}"
    _add_results(task_rows, (item, rater, None, None, time, duration, ref, task_rows.n), get("result"), None)


def _add_predictions(
    task_rows: TaskRows, predictions: list[Any], annotations: Sequence[Json], item: str | None
) -> None:
    """Add the full predictions, and the copies that annotations keep of the one they showed. Each id counts once."""
    shown = [a["prediction"] for a in annotations if "prediction" in a]
    copies = [prediction for prediction in shown if isinstance(prediction, dict) and prediction]
    seen_ids: set[str | None] = set()
    for prediction in [p for p in predictions if isinstance(p, dict)] + copies:
        ref = cell_text(prediction.get("id")) or cell_text(prediction)
        if ref not in seen_ids:
            seen_ids.add(ref)
            _add_prediction(task_rows, prediction, item)
    bare_ids = {cell_text(p) for p in predictions if not isinstance(p, dict)}
    task_rows.n_bare_predictions += len(bare_ids - seen_ids)


def _add_prediction(task_rows: TaskRows, prediction: Json, item: str | None) -> None:
    task_rows.n += 1
    version = tidy_label(prediction.get("model_version"))
    time = cell_text(prediction.get("updated_at") or prediction.get("created_at"))
    ref = f"prediction:{cell_text(prediction.get('id'))}"
    source = (item, version or UNNAMED, "system", version, time, None, ref, task_rows.n)
    _add_results(task_rows, source, prediction.get("result"), prediction.get("score"))


def _add_results(task_rows: TaskRows, source: Source, results: object, score: object) -> None:
    task_rows.sources.append(source)
    if not _list(results):
        task_rows.rejects.append(Reject(task_rows.n, None, None, "empty_answer", f"{source[REF]} holds no answer."))
    for result in _list(results):
        _add_result(task_rows, source, result if isinstance(result, dict) else {"type": "unknown"}, score)


def _add_result(task_rows: TaskRows, source: Source, result: Json, score: object) -> None:
    question, kind, value = cell_text(result.get("from_name")), result.get("type"), result.get("value")
    kind = kind if isinstance(kind, str) else "unknown"
    value = value if isinstance(value, dict) else {}
    if kind not in LABELS_IN:
        reason, detail = (
            "unsupported_control",
            f"A control of type {kind} does not label the whole item.{MORE.get(kind, '')}",
        )
    elif not REGION.isdisjoint(value) or "item_index" in result:
        reason, detail = "per_region", "The answer belongs to a part of the item."
    elif (label := _label(task_rows, value.get(LABELS_IN[kind]))) is None:
        reason, detail = "empty_answer", "Nothing was chosen."
    else:
        number = cell_text(result.get("score", score))
        task_rows.results.append((len(task_rows.sources) - 1, question, label, number))
        if kind in ORDERED and question:
            task_rows.ordered.add(question)
        return
    shown = cell_text({k: v for k, v in value.items() if k != "rle"})
    task_rows.rejects.append(Reject(task_rows.n, question, shown, reason, f"{source[REF]}: {detail}"))


def _label(task_rows: TaskRows, held: object) -> str | None:
    """Return one label, or several as a set. Nearly always it is one text that was met before."""
    value = held[0] if type(held) is list and len(held) == 1 else held
    if type(value) is not str or len(value) > MAX_REMEMBERED:
        return label_set(held) if isinstance(held, list) else tidy_label(held)
    if value not in task_rows.labels:
        task_rows.labels[value] = tidy_label(value)
    return task_rows.labels[value]


def _unused_columns(options: ReadOptions) -> list[str]:
    """Return a note on mapped columns without use. They are no error, because the source may also hold tables."""
    others = sorted(role for role in options.columns if role != "item")
    return [f"Columns mapped to {', '.join(others)} do not concern Label Studio's JSON."] if others else []


def _warnings(task_rows: TaskRows) -> list[str]:
    notes = {
        "Predictions of which the file has only the ids: {n:,}. A snapshot or /api/tasks?fields=all has their "
        "answers.": task_rows.n_bare_predictions,
        "Annotations marked ground_truth: {n:,}. They do not count as gold, because imports set the mark by "
        "default.": task_rows.n_ground_truth,
        "Drafts not read: {n:,}.": task_rows.n_drafts,
        "Annotations that somebody else changed last: {n:,}. They count as the first annotator's, because Label Studio "
        "keeps no other name.": task_rows.n_by_others,
    }
    texts = [note.format(n=n) for note, n in notes.items() if n]
    return [*texts, *mended_warning(task_rows.n_mended), *cut_warning(task_rows.n_cut)]


LABEL_STUDIO = Format(
    name="label_studio",
    describe="Label Studio's JSON: export, snapshot or /api/tasks?fields=all; annotations, skips and predictions.",
    extensions=(".json",),
    sniff=sniff,
    reader=read,
    parts=parts,
)
