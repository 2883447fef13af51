"""Label Studio's JSON_MIN, CSV and TSV: one row per annotation, one column per question, beside the task's data.

Lossy: skipped annotations, predictions, the controls and what belongs to a part of an item are gone, and nothing says
which columns are questions. Read as questions are the columns that the user names (`label=A|B`); those with answers
that are no plain text (several choices, ratings, taxonomies); in JSON_MIN those that stand after the task's id; in CSV
those whose few values differ within an item, as data of the item cannot.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.base import Export, Format, ReadOptions
from tasks.formats.cells import cell_text, label_set, tidy_label
from tasks.formats.fields import keys, mapped_by_user, parsed, text
from tasks.formats.peek import Peek
from tasks.formats.roles import find_header, listed
from tasks.formats.votes import Record, Records, Votes, read_records

OWN = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
MOST_LABELS = 50
LABEL_LENGTH = 100
LOSSY = (
    "Label Studio's CSV and JSON_MIN have lost the skipped annotations, the predictions, and what belongs to a part of "
    "an item: a JSON export or a snapshot has them."
)
Rows = Sequence[tuple[int, Record]]


def sniff(seen: Peek, options: ReadOptions) -> bool:
    """The columns of an annotation; a user who maps rater or label reads it as a table."""
    return {"annotation_id", "annotator", "lead_time"} <= keys(seen) and not mapped_by_user(options)


def read(path: Path, options: ReadOptions) -> Export:
    """Read all questions. Errors: ReadError where it is no such export, or no column is certainly a question."""
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    if not {"annotation_id", "annotator"} <= set(headers):
        raise ReadError(
            f"{path.name} is no JSON_MIN or CSV of Label Studio: it has {listed(headers)}.",
            "Such an export has the columns annotation_id and annotator.",
            file=str(path),
        )
    item = (
        headers[find_header(headers, options.columns["item"], path.name, "item")] if "item" in options.columns else "id"
    )
    questions, notes = _questions(records.kind, rows, [h for h in headers if h != item or h == "id"], options, path)
    votes = Votes()
    for row, record in rows:
        _add(votes, row, record, text(record.get(item)), questions)
    return votes.export("label_studio_min", records, (LOSSY, *notes, *_odd_ids(records, rows, item)))


def _questions(
    kind: str, rows: Rows, headers: Sequence[str], options: ReadOptions, path: Path
) -> tuple[list[str], list[str]]:
    """The columns that are questions, and what to tell about the choice."""
    named = [name for name in options.columns.get("label", "").split("|") if name.strip()]
    if named:
        return [headers[find_header(headers, name, path.name, "label")] for name in named], []
    others = [h for h in headers if h not in OWN and not h.startswith("_data_")]
    certain = {h for h in others if any(_is_answer(record.get(h)) for _, record in rows)}
    plain = [h for h in others if h not in certain and _few_labels(rows, h)]
    late = _after_id(rows) if kind != "text" else set()
    found = certain | {h for h in plain if h in late or _varies(rows, h)}
    if not any(text(record.get("annotation_id")) for _, record in rows):
        return [], []
    if not found:
        raise ReadError(
            f"{path.name} does not say which of its columns are questions: {listed(others)}.",
            "Export JSON; or name them: --format label_studio_min --columns 'label=COLUMN|COLUMN'.",
            file=str(path),
        )
    questions = [h for h in others if h in found]
    notes = [f"Read as questions: {listed(questions)}; --format label_studio_min --columns 'label=A|B' says otherwise."]
    doubtful = [h for h in plain if h not in found]
    if doubtful:
        notes.append(f"Read as data of the items, since no item has two values of them: {listed(doubtful)}.")
    return questions, notes


def _is_answer(value: object) -> bool:
    """Whether a value has the form that only an answer has."""
    value = parsed(value)
    if isinstance(value, dict):
        return isinstance(value.get("choices"), list)
    return isinstance(value, list) and any(_held(one) is not None or _is_region(one) for one in value)


def _held(value: object) -> object:
    return (value.get("rating") or value.get("taxonomy")) if isinstance(value, dict) else None


def _is_region(value: object) -> bool:
    return isinstance(value, dict) and bool({"start", "end", "x", "points", "labels"} & value.keys())


def _few_labels(rows: Rows, header: str) -> bool:
    values = [cell_text(record.get(header)) for _, record in rows]
    labels = {value for value in values if value and value.strip()}
    return 0 < len(labels) <= MOST_LABELS and max(map(len, labels)) <= LABEL_LENGTH


def _after_id(rows: Rows) -> set[str]:
    """In JSON_MIN the keys of a record stand in this order: the task's data, its id, the answers, the annotation."""
    found: set[str] = set()
    for _, record in rows:
        names = list(record)
        if "id" in names and names[-1] in OWN:
            found.update(name for name in names[names.index("id") + 1 :] if name not in OWN)
    return found


def _varies(rows: Rows, header: str) -> bool:
    """Whether two annotations of one task differ in it, a blank aside."""
    values: defaultdict[str | None, set[str]] = defaultdict(set)
    for _, record in rows:
        value = tidy_label(record.get(header))
        if value is not None:
            values[text(record.get("id"))].add(value)
    return any(len(of_item) > 1 for of_item in values.values())


def _add(votes: Votes, row: int, record: Record, item: str | None, questions: Iterable[str]) -> None:
    if text(record.get("annotation_id")) is None and text(record.get("annotator")) is None:
        votes.skip("Tasks without an annotation, counted as skipped: {n}.")
        return
    n_before = len(votes.rows) + len(votes.rejects)
    for question in questions:
        _add_answer(votes, row, record, item, question)
    if len(votes.rows) + len(votes.rejects) == n_before:
        detail = f"annotation:{text(record.get('annotation_id'))} holds no answer to the questions that were read."
        votes.reject(row, None, None, "empty_answer", detail)
    data = {k: v for k, v in record.items() if k not in OWN and k not in questions}
    for question in questions:
        votes.describe(question, item, data)


def _add_answer(votes: Votes, row: int, record: Record, item: str | None, question: str) -> None:
    value = parsed(record.get(question))
    label = _label(value)
    if isinstance(value, list) and any(_is_region(one) for one in value):
        votes.reject(row, question, value, "per_region", "The answer belongs to a part of the item.")
    elif label is not None:
        votes.add(
            row, question, item, text(record.get("annotator")), label,
            rated_at=record.get("updated_at") or record.get("created_at"),
            duration_s=record.get("lead_time"),
            source_ref=f"annotation:{text(record.get('annotation_id'))}",
        )  # fmt: skip
        if isinstance(value, list) and any(isinstance(one, dict) and one.get("rating") for one in value):
            votes.ordered.add(question)


def _label(value: object) -> str | None:
    """Two labels or more stand under `choices`, so that a bare list is the path of one nested choice."""
    if isinstance(value, dict):
        chosen = value.get("choices")
        return label_set(chosen) if isinstance(chosen, list) else cell_text(value)
    if not isinstance(value, list):
        return tidy_label(value)
    held = [_held(one) for one in value if _held(one) is not None]
    if not held:
        return label_set([value]) if value else None
    return label_set([path for one in held for path in (one if isinstance(one, list) else [one])])


def _odd_ids(records: Records, rows: Rows, item: str) -> list[str]:
    """In CSV a data field named id takes the place of the task's id, in JSON_MIN it does not."""
    ids = [text(record.get("id")) or "" for _, record in rows]
    if records.kind != "text" or item != "id" or all(one.isdigit() for one in ids):
        return []
    return [
        "The ids are not those of Label Studio's tasks: a field of the data is named id, and CSV writes it instead. "
        "Items will not match those of a JSON export of the project."
    ]


LABEL_STUDIO_MIN = Format(
    name="label_studio_min",
    describe="Label Studio's JSON_MIN, CSV and TSV, with a warning: skips, predictions and parts of items are gone.",
    extensions=(".json", ".csv", ".tsv"),
    sniff=sniff,
    reader=read,
)
