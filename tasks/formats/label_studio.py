"""Label Studio JSON: the plain export, the snapshot, and what /api/tasks?fields=all answers.

A task holds annotations (one person's visit) and predictions (one model's); each holds results, one per control of
the labelling interface, and the control's name (`from_name`) is the question. Each result ends as one row: a rating
if it is a choice, taxonomy or rating for the whole item, else a reject. A skipped annotation counts as skipped, one
that was submitted without a result is one reject. `ground_truth` is not read as gold: imports set it by default.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from tasks.errors import ReadError
from tasks.formats.base import CANONICAL, METADATA, Export, Format, ReadOptions, canonical
from tasks.formats.cells import cell_text, label_set, tidy_label
from tasks.formats.items import cut_long
from tasks.formats.peek import Peek, json_error, open_utf8, peek
from tasks.formats.records import JsonRecords
from tasks.formats.rejects import Reject, rejects_frame
from tasks.formats.roles import listed
from tasks.formats.table import mended_warning

LABELS_IN = {"choices": "choices", "taxonomy": "taxonomy", "rating": "rating"}
"""The controls that label a whole item, and where their result's value holds the labels."""

REGION = frozenset(
    {"start", "end", "startOffset", "endOffset", "globalOffsets", "ranges", "x", "y", "width", "height", "rotation"}
    | {"radiusX", "radiusY", "points", "vertices", "closed", "rle", "brush", "sequence", "item_index"}
)
"""What a result's value holds besides the labels where they belong to a part of the item."""

UNNAMED = "unnamed model"
ROWS = 20_000  # as Python objects at a time
ABOUT = dict.fromkeys(("item", "key", "value"), pl.String)

Json = Mapping[str, Any]


def sniff(seen: Peek, options: ReadOptions) -> bool:
    """Tasks that have data and annotations or predictions."""
    shape = seen.shape
    answers = "array" in (shape.get("annotations"), shape.get("predictions"))
    return seen.kind == "json" and shape.get("data") == "object" and answers


def read(path: Path, options: ReadOptions) -> Export:
    """Stream the tasks of the file. Errors: ReadError where it is no such export, or its JSON breaks off."""
    item_key = options.columns.get("item", "").strip().removeprefix("data.") or None
    found = _Found()
    for task in _tasks(path, found):
        _add_task(found, task, item_key)
        if len(found.rows) >= ROWS:
            found.pack()
    if item_key and found.n_tasks and item_key not in found.data_keys:
        raise ReadError(
            f"No task of {path.name} has a data field {item_key!r}; there are {listed(sorted(found.data_keys))}.",
            "Map the item to one of them (--columns item=FIELD), or leave it out: then it is the task's id.",
            file=str(path),
            column=item_key,
        )
    found.pack()
    metadata, cut = cut_long(_metadata_frame(found))
    return Export(
        format="label_studio",
        rows=pl.concat(found.row_frames),
        rejects=rejects_frame(found.rejects),
        n_skipped=found.n_skipped,
        metadata=metadata,
        warnings=(*_unused_columns(options), *_warnings(found), *mended_warning(found.n_mended), *cut),
        ordered=frozenset(found.ordered),
    )


@dataclass
class _Found:
    """What the tasks so far hold. `n` numbers annotations and predictions as they come. Lists are what came since the
    last `pack`: `metadata` has task number, item, key and value, `asked` the questions answered for each task."""

    rows: list[tuple[object, ...]] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    metadata: list[tuple[int, str, str, str]] = field(default_factory=list)
    asked: list[tuple[int, str]] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    data_keys: set[str] = field(default_factory=set)
    ordered: set[str] = field(default_factory=set)
    n_tasks: int = 0
    n: int = 0
    n_skipped: int = 0
    n_bare_predictions: int = 0
    n_ground_truth: int = 0
    n_drafts: int = 0
    n_by_others: int = 0
    n_mended: int = 0
    row_frames: list[pl.DataFrame] = field(default_factory=list)
    metadata_frames: list[pl.DataFrame] = field(default_factory=list)
    item_frames: list[pl.Series] = field(default_factory=list)

    def pack(self) -> None:
        """Put what came so far into frames, which take a fraction of the memory."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(CANONICAL)
        named = zip(CANONICAL, columns, strict=True)
        rows = pl.DataFrame({name: pl.Series(values, dtype=CANONICAL[name]) for name, values in named})
        self.row_frames.append(canonical(rows))
        about = pl.DataFrame(self.metadata, schema={"task": pl.Int64, **ABOUT}, orient="row")
        asked = pl.DataFrame(self.asked, schema={"task": pl.Int64, "question": pl.String}, orient="row")
        # a join, so that each text is in memory once, and not once a question
        self.metadata_frames.append(asked.join(about, on="task", maintain_order="left_right").select(*METADATA))
        self.item_frames.append(pl.Series("item", self.items, dtype=pl.String))
        for full in (self.rows, self.metadata, self.asked, self.items):
            full.clear()


@dataclass(frozen=True)
class _Source:
    """What the answers of one annotation or prediction share. `who` is item, rater, rater_kind, system_version."""

    who: tuple[str | None, str | None, str | None, str | None]
    time: str | None
    duration: str | None
    ref: str


def _tasks(path: Path, found: _Found) -> Iterator[Json]:
    """The tasks one by one: of a list, of the list under `tasks`, or a single one."""
    seen = peek(path)
    if not sniff(seen, ReadOptions()):
        raise ReadError(
            f"{path.name} is no JSON export of Label Studio: {seen.described}.",
            "Export the project as JSON (not JSON_MIN), or make a snapshot.",
            file=str(path),
        )
    with open_utf8(path, seen.encoding) as file:
        records = JsonRecords(file)
        try:
            for n, task in enumerate(records, start=1):
                if not isinstance(task, dict):
                    raise ReadError(f"Record {n} of {path.name} is no task.", "Export it again.", file=str(path), row=n)
                yield task
        except (ValueError, RecursionError) as e:
            raise json_error(path, e) from e
        found.n_mended = records.n_mended


def _add_task(found: _Found, task: Json, item_key: str | None) -> None:
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    item = tidy_label(data.get(item_key) if item_key else task.get("id"))
    first = len(found.rows)
    annotations = [a for a in _list(task.get("annotations")) if isinstance(a, dict)]
    for annotation in _list(task.get("annotations")):
        if isinstance(annotation, dict):
            _add_annotation(found, annotation, item)
        else:
            found.n += 1
            detail = "The annotation is not in the file, only what stands for it."
            found.rejects.append(Reject(found.n, "annotations", cell_text(annotation), "bad_record", detail))
    _add_predictions(found, _list(task.get("predictions")), annotations, item)
    found.n_tasks += 1
    found.n_drafts += len(_list(task.get("drafts")))
    found.data_keys.update(data)
    questions = dict.fromkeys(str(row[0]) for row in found.rows[first:] if row[0] is not None)
    scalars = {k: cell_text(v) for k, v in data.items() if not isinstance(v, dict | list)}
    if item is not None:
        found.items.append(item)
        found.asked += [(found.n_tasks, question) for question in questions]
        found.metadata += [(found.n_tasks, item, key, value) for key, value in scalars.items() if value]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _add_annotation(found: _Found, annotation: Json, item: str | None) -> None:
    found.n += 1
    found.n_ground_truth += annotation.get("ground_truth") is True
    if annotation.get("was_cancelled"):
        found.n_skipped += 1
        return
    by = annotation.get("completed_by")
    rater = (by.get("id") or by.get("email")) if isinstance(by, dict) else by
    changed_by = annotation.get("updated_by")
    changed_by = changed_by.get("id") if isinstance(changed_by, dict) else changed_by
    found.n_by_others += changed_by is not None and cell_text(changed_by) != cell_text(rater)
    source = _Source(
        who=(item, cell_text(rater), None, None),
        time=cell_text(annotation.get("updated_at") or annotation.get("created_at")),
        duration=cell_text(annotation.get("lead_time")),
        ref=f"annotation:{cell_text(annotation.get('id'))}",
    )
    _add_results(found, source, annotation.get("result"), None)


def _add_predictions(found: _Found, predictions: list[Any], annotations: Sequence[Json], item: str | None) -> None:
    """The full predictions, and the copies that annotations keep of the one they were shown, each id once."""
    copies = [a["prediction"] for a in annotations if isinstance(a.get("prediction"), dict) and a["prediction"]]
    known: set[str | None] = set()
    for prediction in [p for p in predictions if isinstance(p, dict)] + copies:
        ref = cell_text(prediction.get("id")) or cell_text(prediction)
        if ref not in known:
            known.add(ref)
            _add_prediction(found, prediction, item)
    bare = {cell_text(p) for p in predictions if not isinstance(p, dict)}
    found.n_bare_predictions += len(bare - known)


def _add_prediction(found: _Found, prediction: Json, item: str | None) -> None:
    found.n += 1
    version = tidy_label(prediction.get("model_version"))
    source = _Source(
        who=(item, version or UNNAMED, "system", version),
        time=cell_text(prediction.get("updated_at") or prediction.get("created_at")),
        duration=None,
        ref=f"prediction:{cell_text(prediction.get('id'))}",
    )
    _add_results(found, source, prediction.get("result"), prediction.get("score"))


def _add_results(found: _Found, source: _Source, results: object, score: object) -> None:
    if not _list(results):
        found.rejects.append(Reject(found.n, None, None, "empty_answer", f"{source.ref} holds no answer."))
    for result in _list(results):
        _add_result(found, source, result if isinstance(result, dict) else {"type": "unknown"}, score)


def _add_result(found: _Found, source: _Source, result: Json, score: object) -> None:
    question, kind, value = cell_text(result.get("from_name")), result.get("type"), result.get("value")
    kind = kind if isinstance(kind, str) else "unknown"
    value = value if isinstance(value, dict) else {}
    held = value.get(LABELS_IN.get(kind, ""))
    label = label_set(held) if isinstance(held, list) else tidy_label(held)
    if kind not in LABELS_IN:
        reason, detail = "unsupported_control", f"A control of type {kind} does not label the whole item."
    elif REGION & value.keys() or "item_index" in result:
        reason, detail = "per_region", "The answer belongs to a part of the item."
    elif label is None:
        reason, detail = "empty_answer", "Nothing was chosen."
    else:
        number = cell_text(result.get("score", score))
        found.rows.append((question, *source.who, label, source.time, number, source.duration, source.ref, found.n))
        if kind == "rating" and question:
            found.ordered.add(question)
        return
    shown = cell_text({k: v for k, v in value.items() if k != "rle"})
    found.rejects.append(Reject(found.n, question, shown, reason, f"{source.ref}: {detail}"))


def _metadata_frame(found: _Found) -> pl.DataFrame:
    """The first value counts where an item stands in the file twice."""
    frame = pl.concat(found.metadata_frames)
    if pl.concat(found.item_frames).is_unique().all():
        return frame
    return frame.unique(["question", "item", "key"], keep="first", maintain_order=True)


def _unused_columns(options: ReadOptions) -> list[str]:
    """A source may hold tables too, for which the mapping is meant; so it is no error here."""
    others = sorted(role for role in options.columns if role != "item")
    return [f"Columns mapped to {', '.join(others)} do not concern Label Studio's JSON."] if others else []


def _warnings(found: _Found) -> list[str]:
    notes = {
        "Predictions that stand in the file as numbers only: {n:,}. A snapshot or /api/tasks?fields=all has their "
        "answers.": found.n_bare_predictions,
        "Annotations marked ground_truth: {n:,}. That is not taken for gold, because an import sets it by "
        "default.": found.n_ground_truth,
        "Drafts not read: {n:,}.": found.n_drafts,
        "Annotations that somebody else changed last: {n:,}. They count as the first annotator's, since Label Studio "
        "keeps no other name.": found.n_by_others,
    }
    return [note.format(n=n) for note, n in notes.items() if n]


LABEL_STUDIO = Format(
    name="label_studio",
    describe="Label Studio's JSON: export, snapshot or /api/tasks?fields=all; annotations, skips and predictions.",
    extensions=(".json",),
    sniff=sniff,
    reader=read,
)
