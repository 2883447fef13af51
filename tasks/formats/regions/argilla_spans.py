"""Read the spans in Argilla's flattened records (JSON, Parquet): submitted responses that are lists of {start, end,
label}.

Whoever submitted a record did each of its span questions, also without a span: Argilla leaves out a question that need
not be answered. A suggestion is the work of a system, its agent.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from tasks.formats import argilla
from tasks.formats.argilla import NOT_A_STATUS, NOT_SPANS, SKIPPED, STATUS, UNNAMED, USERS
from tasks.formats.parsing.cells import cell_text, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import known_text, mentions, parsed, text
from tasks.formats.parsing.tools.record_votes import Record, each, read_records
from tasks.formats.regions.span_export import SpanExport, Spans, text_among

UNEQUAL = "The lists of responses, users and status differ in length."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for Argilla's records and places in a text."""
    has_places = has_spans_in_parquet(seen.path) if seen.kind == "parquet" else mentions(seen, "start", "end")
    return has_places and argilla.sniff(seen, options)


def has_spans_in_parquet(path: Path) -> bool:
    """Check the types of a Parquet file for answers that are lists of spans. False if it cannot be read."""
    try:
        columns = pl.read_parquet_schema(path)
    except (OSError, pl.exceptions.PolarsError):
        return False
    return any(_is_of_spans(dtype) for name, dtype in columns.items() if name.endswith((".responses", ".suggestion")))


def _is_of_spans(dtype: pl.DataType) -> bool:
    while isinstance(dtype, pl.List):
        dtype = dtype.inner  # type: ignore[assignment]
    return isinstance(dtype, pl.Struct) and {"start", "end"} <= {field.name for field in dtype.fields}


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read all records. Which questions have spans, `argilla.span_questions` says."""
    records = read_records(path)
    rows = each(records)
    questions = list(dict.fromkeys(question for _, record in rows for question in argilla.questions_of(record)))
    marked = argilla.span_questions(rows, questions)
    has_spans = {question: question in marked for question in questions}
    spans = Spans(has_labels=not all(has_spans.values()))
    for row, record in rows:
        item = text(record.get("id"))
        spans.text(item, text_among(argilla.about_item(record, has_spans)))
        _add_responses(spans, row, item, record, has_spans)
        for question in (name for name, of_spans in has_spans.items() if of_spans):
            _add_suggestion(spans, row, item, record, question)
    return spans.export("argilla", records.rejects, records.warnings)


def _add_responses(spans: Spans, row: int, item: str | None, record: Record, has_spans: Mapping[str, bool]) -> None:
    answers: dict[str | None, dict[str, Any]] = {}
    skipped: dict[tuple[str | None, str], None] = {}
    unequal = set()
    for question, of_spans in has_spans.items():
        responses = _responses(record, question)
        if responses is None and of_spans:
            unequal.add(question)
            spans.reject(row, f"{question}.responses", None, "bad_record", UNEQUAL)
        for value, user, state in responses or ():
            if state in SKIPPED:
                skipped[text(user), state] = None
            elif state == "submitted":
                answers.setdefault(text(user), {})[question] = parsed(value)
            elif of_spans:
                spans.reject(row, question + STATUS, state, "bad_record", NOT_A_STATUS)
    for _, state in skipped:
        spans.skip(SKIPPED[state])
    for rater, by_question in answers.items():
        for question, of_spans in has_spans.items():
            if of_spans and question not in unequal:
                _add_work(spans, row, (question, item, rater), "human", by_question.get(question))


def _add_suggestion(spans: Spans, row: int, item: str | None, record: Record, question: str) -> None:
    value = parsed(record.get(f"{question}.suggestion"))
    if value is None:
        return
    agent = text(record.get(f"{question}.suggestion.agent")) or UNNAMED
    _add_work(spans, row, (question, item, agent), "system", value)


def _add_work(spans: Spans, row: int, key: tuple[str, str | None, str | None], kind: str, marked: object) -> None:
    """Add the spans of a rater's work on an item. An answer that is no list is no work: it does not say "no span"."""
    question, item, rater = key
    if marked is not None and not isinstance(marked, list):
        spans.reject(row, question, cell_text(marked), "bad_record", NOT_SPANS)
        return
    if not spans.start(row, question, item, rater, kind, source_ref=_ref(item)):
        return
    for entry in marked or ():
        place = entry if isinstance(entry, dict) else {}
        start, end, label = place.get("start"), place.get("end"), tidy_label(place.get("label"))
        spans.add(row, (question, str(item), str(rater)), start, end, label)


def _ref(item: str | None) -> str:
    return f"record:{item}"


def _responses(record: Record, question: str) -> list[tuple[Any, Any, str]] | None:
    """Return value, user and status of each response to a question. None if they do not belong together."""
    lists = [parsed(record.get(f"{question}{name}")) for name in (".responses", USERS, STATUS)]
    columns = [column if isinstance(column, list) else [] for column in lists]
    if len({len(column) for column in columns}) > 1:
        return None
    return [(value, user, known_text(state)) for value, user, state in zip(*columns, strict=True)]
