"""Read the spans in Argilla's flattened records: submitted responses that are lists of {start, end, label}.

Whoever submitted a record did each of its span questions, also without a span: Argilla leaves out a question that need
not be answered. A suggestion is the work of a system, its agent.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tasks.formats import argilla
from tasks.formats.argilla import NOT_A_STATUS, SKIPPED, STATUS, UNNAMED
from tasks.formats.parsing.cells import cell_text, tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import known_text, mentions_anywhere, parsed, text
from tasks.formats.parsing.tools.record_votes import Record, each, read_records
from tasks.formats.regions.span_export import SpanExport, Spans, text_among

UNEQUAL = "The lists of responses, users and status differ in length."
NOT_SPANS = "The answer is no list of spans."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for Argilla's records and places in a text."""
    return argilla.sniff(seen, options) and mentions_anywhere(seen, "start", "end")


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read all records. A question has spans if an answer to it is a list of them."""
    records = read_records(path)
    rows, has_spans = each(records), dict[str, bool]()
    for _, record in rows:
        for question in argilla.questions_of(record):
            has_spans[question] = has_spans.get(question, False) or _has_spans(record, question)
    of_spans = [question for question, marked in has_spans.items() if marked]
    spans = Spans(has_labels=len(of_spans) < len(has_spans), known_questions=frozenset(of_spans))
    for row, record in rows:
        item = text(record.get("id"))
        spans.text(item, text_among(argilla.about_item(record, has_spans)))
        _add_responses(spans, row, item, record, has_spans)
        for question in of_spans:
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


def _has_spans(record: Record, question: str) -> bool:
    return any(argilla.has_spans(answer) for answer in _answers(record, question))


def _answers(record: Record, question: str) -> Iterator[Any]:
    responses = parsed(record.get(f"{question}.responses"))
    yield from map(parsed, responses if isinstance(responses, list) else [])
    yield parsed(record.get(f"{question}.suggestion"))
