"""Read Label Studio's JSON_MIN, CSV and TSV: one row per annotation, one column per question, beside the task's data.

These exports lose information: skipped annotations, predictions, the controls, and answers about parts of an item. They
do not say which columns are questions. The reader takes as questions

- the columns that the user names (`label=A|B`),
- those with answers other than plain text (several choices, ratings, taxonomies, numbers, pairs),
- in JSON_MIN those after the task's id,
- in CSV those with few values that differ within an item (data of the item never differ within it).

An answer has the same meaning as in a JSON export. Choices, taxonomies, ratings and numbers of a whole item are labels.
Answers of other controls and answers about parts of an item are rejects. A single choice about a part and the single
text of a text area are written as plain text, like a choice about the item; `_about_parts` and `_like_no_label` tell
them apart.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import find_header, listed, mapped_labels
from tasks.formats.label_studio import LABELS_IN, REGION
from tasks.formats.parsing.cells import cell_text, label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, parsed, text
from tasks.formats.parsing.tools.label_studio_plain import are_choices
from tasks.formats.parsing.tools.record_votes import FileRecords, Record, RecordVotes, read_records

OWN = ("id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time")
MAX_LABELS = 50
MAX_LABEL_LENGTH = 100
LOSSY = (
    "Label Studio's CSV and JSON_MIN have lost the skipped annotations, the predictions, and what belongs to a part of "
    "an item: a JSON export or a snapshot has them."
)
IN_PARTS = REGION | {"labels"}
"""What an answer about a part of the item holds; `labels` is what spans of text are labelled with."""
OTHER_CONTROLS: dict[str, type | tuple[type, ...]] = {
    "datetime": str, "selected": str, "ranker": dict, "text": list,
}  # fmt: skip
"""Where the answers of controls that are not labels of the item stand, and their type: datetime, pairwise,
ranker, and a text area with several texts."""
PICTURE = {"original_width", "original_height", "original_length", "image_rotation"}
"""What Label Studio writes beside any answer about a picture or a recording."""
PER_REGION = ("per_region", "The answer belongs to a part of the item.")
NO_LABEL = ("unsupported_control", "The control does not label the whole item.")
LIKE_NO_LABEL = ("unsupported_control", "The answers look like those of a control without labels.")
INSIST = "name all questions: --format label_studio_min --columns 'label=A|B'."
Rows = Sequence[tuple[int, Record]]
Reason = tuple[str, str]
"""The reason code of a reject and its sentence."""


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the columns of an annotation. A file whose rater or label the user maps is a table."""
    return {"annotation_id", "annotator", "lead_time"} <= keys(seen) and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all questions. Errors: ReadError where it is no such export, or no column is certainly a question."""
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    if not {"annotation_id", "annotator"} <= set(headers):
        raise ReadError.of(
            path,
            f"is not a JSON_MIN or CSV of Label Studio: it has {listed(headers)}.",
            "Such an export has the columns annotation_id and annotator.",
        )
    item = (
        headers[find_header(headers, options.columns["item"], path.name, "item")] if "item" in options.columns else "id"
    )
    headers = [h for h in headers if h != item or h == "id"]
    questions, refused, notes = _questions(records.kind, rows, headers, options, path)
    votes = RecordVotes()
    for row, record in rows:
        _add(votes, row, record, text(record.get(item)), questions, refused)
    return votes.export("label_studio_min", records, (LOSSY, *notes, *_odd_ids(records, rows, item)))


def _questions(
    kind: str, rows: Rows, headers: Sequence[str], options: ReadOptions, path: Path
) -> tuple[list[str], dict[str, Reason], list[str]]:
    """Return the columns that are questions, why the plain answers of some are not labels, and notes on both."""
    if mapped := mapped_labels(headers, options.columns, path.name):
        return mapped, {}, []
    others = [h for h in headers if h not in OWN and not h.startswith("_data_")]
    certain = {h for h in others if any(_is_answer(record.get(h)) for _, record in rows)}
    plain = [h for h in others if h not in certain and _few_labels(rows, h)]
    late = _after_id(rows) if kind != "text" else set()
    varying = certain | {h for h in plain if h in late or _varies(rows, h)}
    if not any(text(record.get("annotation_id")) for _, record in rows):
        return [], {}, []
    if not varying:
        repeating = [h for h in plain if _repeats(rows, h)]  # texts differ from item to item, labels repeat
        likely = "|".join(repeating) if repeating and not any("|" in h for h in repeating) else "COLUMN|COLUMN"
        raise ReadError.of(
            path,
            f"does not say which of its columns are questions: {listed(others)}.",
            f"Export JSON; or name them: --format label_studio_min --columns 'label={likely}'.",
        )
    questions = [h for h in others if h in varying]
    notes = [f"Read as questions: {listed(questions)}; --format label_studio_min --columns 'label=A|B' names others."]
    about_parts = _about_parts(rows, questions)
    if about_parts:
        notes.append(
            f"Rejected, because they are answered only where parts of an item are marked, like answers about the "
            f"parts: {listed(sorted(about_parts))}. A JSON export tells for certain; if they are about whole items, "
            f"{INSIST}"
        )
    like_no_label = _like_no_label(rows, [h for h in questions if h not in about_parts])
    if like_no_label:
        notes.append(
            f"Rejected, because their answers are numbers, dates, or texts that no two items share, like those of "
            f"controls without labels: {listed(sorted(like_no_label))}. A JSON export tells for certain; if they are "
            f"choices, {INSIST}"
        )
    refused = dict.fromkeys(about_parts, PER_REGION) | dict.fromkeys(like_no_label, LIKE_NO_LABEL)
    doubtful = [h for h in plain if h not in varying]
    if doubtful:
        notes.append(f"Read as data of the items, because no item has two values in them: {listed(doubtful)}.")
    return questions, refused, notes


def _about_parts(rows: Rows, questions: Sequence[str]) -> set[str]:
    """Return the questions that are about parts of items, as far as the file shows.

    Such a question has an answer with the place of a part. Or it is answered only in rows with marked parts, and no row
    shows that it is about the item. A question about the item has one answer in every row that marks several parts.
    """
    n_parts = [max((_n_parts(record.get(h)) for h in questions), default=0) for _, record in rows]
    on_parts = set()
    for header in questions:
        answers = [(parsed(record.get(header)), n) for (_, record), n in zip(rows, n_parts, strict=True)]
        answers = [(answer, n) for answer, n in answers if answer not in (None, "", [])]
        plain = [(answer, n) for answer, n in answers if _is_plain(answer)]
        if any(_is_choice_in_part(answer) for answer, _ in answers):
            on_parts.add(header)
        elif plain and all(n for _, n in answers):
            several = [answer for answer, n in plain if n > 1]
            if not several or any(isinstance(answer, list) for answer in several):
                on_parts.add(header)
    return on_parts


def _like_no_label(rows: Rows, questions: Sequence[str]) -> set[str]:
    """Return the questions whose answers are all plain and are no choices."""
    one_item = len({text(record.get("id")) for _, record in rows}) < 2
    unlike = set()
    for header in questions:
        answers = [(text(record.get("id")), parsed(record.get(header))) for _, record in rows]
        answers = [(item, answer) for item, answer in answers if answer not in (None, "", [])]
        if not any(isinstance(answer, list | dict) for _, answer in answers) and not are_choices(
            answers, one_item=one_item
        ):
            unlike.add(header)
    return unlike


def _n_parts(value: object) -> int:
    """Count the parts of the item that an answer marks."""
    value = parsed(value)
    return sum(_is_part(entry) for entry in value) if isinstance(value, list) else 0


def _is_plain(answer: object) -> bool:
    """Check whether an answer is written as text, which does not show what it is about."""
    return all(isinstance(entry, str) for entry in answer) if isinstance(answer, list) else not isinstance(answer, dict)


def _is_choice_in_part(answer: object) -> bool:
    """Check whether an answer holds several choices about a part, which are written with the part's place."""
    return any(_is_part(entry) and "choices" in entry for entry in _objects(answer))


def _objects(answer: object) -> list[dict[str, Any]]:
    return [entry for entry in (answer if isinstance(answer, list) else [answer]) if isinstance(entry, dict)]


def _is_answer(value: object) -> bool:
    """Check whether a value has the form that only an answer has."""
    value = parsed(value)
    if isinstance(value, dict):
        return isinstance(value.get("choices"), list)
    return isinstance(value, list) and any(
        _held(entry) is not None or _is_part(entry) or _is_of_other_control(entry) for entry in value
    )


def _held(value: object) -> object:
    """Return the value of a choice, a taxonomy, a rating or a number."""
    if _is_number(value):
        return value["number"]
    held = (value.get(name) for name in LABELS_IN.values() if name != "number") if isinstance(value, dict) else ()
    return next((value_held for value_held in held if value_held), None)


def _is_number(value: object) -> TypeGuard[dict[str, int | float]]:
    """Check whether an object is only the answer of a number control."""
    if not isinstance(value, dict) or value.keys() - PICTURE != {"number"}:
        return False
    return isinstance(value["number"], int | float) and not isinstance(value["number"], bool)


def _is_part(value: object) -> bool:
    return isinstance(value, dict) and not IN_PARTS.isdisjoint(value)


def _is_of_other_control(value: object) -> bool:
    """Check whether an object is only the answer of such a control. Data of an item may be objects, too."""
    if not isinstance(value, dict) or len(names := value.keys() - PICTURE) != 1:
        return False
    name = next(iter(names))
    return name in OTHER_CONTROLS and isinstance(value[name], OTHER_CONTROLS[name])


def _few_labels(rows: Rows, header: str) -> bool:
    values = [cell_text(record.get(header)) for _, record in rows]
    labels = {value for value in values if value and value.strip()}
    return 0 < len(labels) <= MAX_LABELS and max(map(len, labels)) <= MAX_LABEL_LENGTH


def _repeats(rows: Rows, header: str) -> bool:
    values = [value for _, record in rows if (value := cell_text(record.get(header)))]
    return 2 <= len(set(values)) <= len(values) / 2


def _after_id(rows: Rows) -> set[str]:
    """Return the columns between the task's id and the annotation in JSON_MIN.

    The keys of a record have this order: the task's data, its id, the answers, the annotation.
    """
    later: set[str] = set()
    for _, record in rows:
        names = list(record)
        if "id" in names and names[-1] in OWN:
            later.update(name for name in names[names.index("id") + 1 :] if name not in OWN)
    return later


def _varies(rows: Rows, header: str) -> bool:
    """Check whether two annotations of one task differ in the column, apart from blanks."""
    values: defaultdict[str | None, set[str]] = defaultdict(set)
    for _, record in rows:
        value = tidy_label(record.get(header))
        if value is not None:
            values[text(record.get("id"))].add(value)
    return any(len(of_item) > 1 for of_item in values.values())


def _add(
    votes: RecordVotes,
    row: int,
    record: Record,
    item: str | None,
    questions: Iterable[str],
    refused: Mapping[str, Reason],
) -> None:
    if text(record.get("annotation_id")) is None and text(record.get("annotator")) is None:
        votes.skip("Tasks without an annotation, counted as skipped: {n}.")
        return
    n_before = votes.n_outcomes
    for question in questions:
        _add_answer(votes, row, record, item, question, refused.get(question))
    if votes.n_outcomes == n_before:
        detail = f"annotation:{text(record.get('annotation_id'))} holds no answer to the questions that were read."
        votes.reject(row, None, None, "empty_answer", detail)
    data = {k: v for k, v in record.items() if k not in OWN and k not in questions}
    for question in questions:
        votes.describe(question, item, data)


def _add_answer(
    votes: RecordVotes, row: int, record: Record, item: str | None, question: str, refused: Reason | None
) -> None:
    value = parsed(record.get(question))
    label = _label(value)
    if any(_is_part(entry) for entry in _objects(value)):
        votes.reject(row, question, value, *PER_REGION)
    elif any(_held(entry) is None for entry in _objects(value)):
        votes.reject(row, question, value, *NO_LABEL)
    elif refused and label is not None:
        votes.reject(row, question, value, *refused)
    elif label is not None:
        votes.add(
            row, question, item, text(record.get("annotator")), label,
            rated_at=record.get("updated_at") or record.get("created_at"),
            duration_s=record.get("lead_time"),
            source_ref=f"annotation:{text(record.get('annotation_id'))}",
        )  # fmt: skip
        if any(entry.get("rating") or _is_number(entry) for entry in _objects(value)):
            votes.ordered.add(question)


def _label(value: object) -> str | None:
    """Return the label of an answer.

    A bare list is the path of one nested choice: several labels stand under `choices`.
    """
    held = [_held(entry) for entry in _objects(value)]
    if held:
        return label_set([path for entry in held for path in (entry if isinstance(entry, list) else [entry])])
    if isinstance(value, list):
        return label_set([value]) if value else None
    return tidy_label(value)


def _odd_ids(records: FileRecords, rows: Rows, item: str) -> list[str]:
    """Warn about ids of the data in place of the task's ids, which a data field named id causes in CSV."""
    ids = [text(record.get("id")) or "" for _, record in rows]
    if records.kind != "text" or item != "id" or all(item_id.isdigit() for item_id in ids):
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
    roles=frozenset({"item", "label"}),
)
