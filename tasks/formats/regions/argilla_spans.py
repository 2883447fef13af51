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
from tasks.formats.argilla import NOT_A_STATUS, NOT_SPANS, SKIPPED, STATUS, UNNAMED
from tasks.formats.parsing.cells import cell_text, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import known_text, mentions_anywhere, parsed, text
from tasks.formats.parsing.tools.record_votes import Record, each, read_records
from tasks.formats.regions.span_export import SpanExport, Spans, text_among

UNEQUAL = "The lists of responses, users and status differ in length."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for Argilla's records and places in a text."""
    if not argilla.sniff(seen, options):
        return False
    return has_spans_in_parquet(seen.path) if seen.kind == "parquet" else mentions_anywhere(seen, "start", "end")


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
    of_spans = argilla.span_questions(rows, questions)
    has_spans = {question: question in of_spans for question in questions}
    spans = Spans(has_labels=not all(has_spans.values()), known_questions=frozenset(of_spans))
    for row, record in rows:
        item = text(record.get("id"))
        spans.text(item, text_among(argilla.about_item(record, has_spans)))
        _add_responses(spans, row, item, record, has_spans)
        for question in (name for name, marked in has_spans.items() if marked):
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
                of_user = answers.setdefault(text(user), {})
                spans.n_replaced += of_spans and question in of_user
                of_user[question] = parsed(value)
            elif of_spans:
                spans.reject(row, question + STATUS, state, "bad_record", NOT_A_STATUS)
    for _, state in skipped:
        spans.skip(SKIPPED[state])
    for rater, by_question in answers.items():
        for question, of_spans in has_spans.items():
            if of_spans and question not in unequal:
                _add_work(spans, row, question, item, (rater, "human"), by_question.get(question))


def _add_suggestion(spans: Spans, row: int, item: str | None, record: Record, question: str) -> None:
    value = parsed(record.get(f"{question}.suggestion"))
    if value is not None:
        agent = text(record.get(f"{question}.suggestion.agent")) or UNNAMED
        _add_work(spans, row, question, item, (agent, "system"), value)


def _add_work(
    spans: Spans, row: int, question: str, item: str | None, who: tuple[str | None, str], marked: object
) -> None:
    """Add the spans of a rater (a name and a kind) on an item. An answer that is no list is rejected as a whole."""
    rater, kind = who
    if marked is not None and not isinstance(marked, list):
        spans.reject(row, question, cell_text(marked), "bad_record", NOT_SPANS)
    elif spans.start(row, question, item, rater, kind, source_ref=f"record:{item}"):
        for entry in marked or ():
            place = entry if isinstance(entry, dict) else {}
            key = (question, str(item), str(rater))
            spans.add(row, key, place.get("start"), place.get("end"), tidy_label(place.get("label")))


def _responses(record: Record, question: str) -> list[tuple[Any, Any, str]] | None:
    """Return value, user and status of each response to a question. None if they do not belong together."""
    columns = argilla.response_lists(record, question)
    if len({len(column) for column in columns}) > 1:
        return None
    return [(value, user, known_text(state)) for value, user, state in zip(*columns, strict=True)]
