"""Read data sets that keep all annotators of an item in its record.

- LeWiDi (2023): `annotations` and `annotators` are parallel texts, `"0,0,1"` and `"Ann1,Ann2,Ann3"`.
- LeWiDi (2025): `annotations` is an object, `{"Ann1": "entailment"}`; labels with a comma between them are a set.
- HateXplain: `annotators` is a list of objects; each of their fields but `annotator_id` is a question.
- CrowS-Pairs: `annotations` and `anon_annotators` are parallel lists in the cells of a CSV.

Aggregates beside them (`hard_label`, `soft_label`) are no votes.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tasks.counted_words import counted
from tasks.errors import ReadError
from tasks.formats.parsing.cells import label_set, listed_labels, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import is_nested, keys, mentions, parsed, text
from tasks.formats.parsing.tools.record_votes import FileRecords, Record, RecordVotes, read_records

ANON, WHO = "anon_annotators", "annotator_id"
NO_ID = ("", "unnamed: 0")


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for parallel lists in a table, or for objects by item that hold annotators."""
    if options.maps_table:
        return False
    if {"annotations", ANON} <= keys(seen):
        return True
    objects = {*seen.shape.values()} == {"object"} and seen.records_at == ""
    if seen.kind == "jsonl" and seen.sample:
        objects = len(seen.sample) == 1 and all((cell or "").startswith("{") for cell in seen.sample[0])
    has_annotators = mentions(seen, "annotations", "annotators") or mentions(seen, "annotators", WHO)
    return seen.kind in ("json", "jsonl") and objects and has_annotators


def read(path: Path, options: ReadOptions) -> Export:
    """Read all votes. Errors: ReadError where no item has annotators."""
    records = read_records(path)
    votes = RecordVotes()
    n_items = 0
    for row, item, record in _items(votes, records):
        n_items += 1
        n_before = votes.n_outcomes
        if isinstance(record.get("annotators"), list):
            _add_objects(votes, row, item, record)
        elif ANON in record:
            _add_lists(votes, row, item, record)
        else:
            _add_parallel(votes, row, item, record)
        if votes.n_outcomes == n_before:
            votes.reject(row, None, item, "empty_answer", "The item has no annotators.")
    if not n_items:
        raise ReadError.of(
            path,
            "holds no items with annotators.",
            "Known are LeWiDi, HateXplain and CrowS-Pairs. Or write one row per rating: item, rater, label.",
        )
    return votes.export("nested_annotators", records)


def _items(votes: RecordVotes, records: FileRecords) -> Iterator[tuple[int, str | None, Record]]:
    """Iterate over row, item and record: of an object by item, or of a table."""
    for row, record in records.rows:
        if ANON in record:
            ids = [value for key, value in record.items() if key.lower() in NO_ID]
            yield row, text(ids[0]) if ids else text(record.get("id")) or str(row), record
            continue
        for n, (item, inner) in enumerate(record.items(), start=1):
            if isinstance(inner, dict) and "annotators" in inner:
                yield n, text(item), inner
            else:
                votes.reject(n, text(item), inner, "bad_record", "An object with annotators is expected here.")


def _add_parallel(votes: RecordVotes, row: int, item: str | None, record: Record) -> None:
    """Add votes of LeWiDi: parallel texts, or an object by annotator."""
    annotations = record.get("annotations")
    if isinstance(annotations, dict):
        pairs = [(name, label_set(str(tidy_label(label) or "").split(","))) for name, label in annotations.items()]
    else:
        labels, raters = ((tidy_label(cell) or "").split(",") for cell in (annotations, record.get("annotators")))
        if len(labels) != len(raters):
            detail = f"The lists differ in length: {_sizes(labels, raters)}."
            votes.reject(row, "annotations", annotations, "bad_record", detail)
            return
        pairs = [(rater, tidy_label(label)) for rater, label in zip(raters, labels, strict=True)]
    for rater, label in pairs:
        _add(votes, row, None, item, text(rater), label)
    votes.describe(None, item, {k: v for k, v in record.items() if k in ("text", "lang", "split", "annotation task")})


def _add_objects(votes: RecordVotes, row: int, item: str | None, record: Record) -> None:
    """Add votes of HateXplain: each field of an annotator is a question."""
    for annotator in votes.objects(row, "annotators", record.get("annotators")):
        for question, value in annotator.items():
            if question == WHO:
                continue
            if is_nested(value):
                votes.reject(row, question, value, "unsupported_control", "An object is not a label of the item.")
            else:
                label = label_set(value) if isinstance(value, list) else tidy_label(value)
                _add(votes, row, question, item, text(annotator.get(WHO)), label)


def _add_lists(votes: RecordVotes, row: int, item: str | None, record: Record) -> None:
    """Add votes of CrowS-Pairs: lists as text, where the label of each annotator is a list."""
    labels, raters = _listed(record.get("annotations")), _listed(record.get(ANON))
    if labels is None or raters is None or len(labels) != len(raters):
        detail = f"The lists are not parallel: {_sizes(labels or [], raters or [])}."
        votes.reject(row, "annotations", record.get("annotations"), "bad_record", detail)
        return
    for rater, label in zip(raters, labels, strict=True):
        if is_nested(label) or isinstance(rater, dict | list):
            votes.reject(row, "annotations", label, "bad_record", "A list of labels is expected here.")
        else:
            _add(
                votes, row, None, item, text(rater), label_set(label) if isinstance(label, list) else tidy_label(label)
            )
    about = {k: v for k, v in record.items() if k and k not in ("annotations", ANON)}
    votes.describe(None, item, about)


def _listed(value: Any) -> list[Any] | None:
    value = parsed(value)
    if isinstance(value, str):
        value = listed_labels(value)
    return value if isinstance(value, list) else None


def _add(
    votes: RecordVotes, row: int, question: str | None, item: str | None, rater: str | None, label: str | None
) -> None:
    if label is None:
        votes.reject(row, question or "annotations", None, "empty_answer", f"{rater} chose nothing.")
    else:
        votes.add(row, question, item, rater, label)


NESTED_ANNOTATORS = Format(
    name="nested_annotators",
    describe="Data sets with all annotators in an item's record: LeWiDi (2023, 2025), HateXplain, CrowS-Pairs.",
    extensions=(".json", ".csv"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)


def _sizes(labels: Sequence[object], raters: Sequence[object]) -> str:
    return f"{counted(len(labels), 'annotation')}, {counted(len(raters), 'annotator')}"
