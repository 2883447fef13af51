"""Read the batch results of Amazon Mechanical Turk: one row per assignment, one column per answer.

A rejected assignment is a reject, whatever its answer. Checkboxes are `a|b` in one cell, or a column of true and false
for each option (`Answer.topic.price`). Crowd-forms write one JSON cell (`Answer.taskAnswers`). Times name their zone.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import find_header, listed, mapped_labels
from tasks.formats.parsing.cells import label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, known_text, objects, text
from tasks.formats.parsing.tools.amazon_answers import UNREADABLE, answers_of
from tasks.formats.parsing.tools.mturk_columns import REJECT, are_results
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

ANSWER, INPUT, FORM = "Answer.", "Input.", "Answer.taskAnswers"
FORM_IDS = {"workerid", "assignmentid", "hitid"}  # parameters of the form's address, which many forms send back
TRUTH = {"true": True, "false": False, "on": True, "off": False}
BLANK = ("", "{}")
ZONES = {
    "UTC": "+00:00", "GMT": "+00:00", "EDT": "-04:00", "EST": "-05:00", "CDT": "-05:00", "CST": "-06:00",
    "MDT": "-06:00", "MST": "-07:00", "PDT": "-07:00", "PST": "-08:00",
}  # fmt: skip
DATE = re.compile(r"[A-Za-z]{3} ([A-Za-z]{3}) +(\d{1,2}) (\d{2}:\d{2}:\d{2}) ([A-Z]{3,4}) (\d{4})$")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

Layout = Mapping[str, Sequence[str]]


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the columns of an assignment. A file whose rater or label the user maps is a table."""
    names = keys(seen)
    return are_results(names) and any(name.startswith(ANSWER) for name in names) and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all answers; `item` may be mapped to a column of the input, `label` to the answers that are questions.

    Errors: ReadError where it is no such file.
    """
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    answers = [header for header in headers if header.startswith(ANSWER)]
    if not are_results(headers) or not answers:
        raise ReadError.of(
            path,
            f"is not a batch of Mechanical Turk: it has {listed(headers)}.",
            "Download the results of the batch: they have HITId, WorkerId and columns Answer.NAME.",
        )
    ids = [answer for answer in answers if answer.removeprefix(ANSWER).lower() in FORM_IDS]
    answers = mapped_labels(headers, options.columns, path.name) or [a for a in answers if a not in ids]
    item = headers[find_header(headers, options.columns.get("item", "HITId"), path.name, "item")]
    votes = RecordVotes()
    layout = _layout(rows, answers)
    for row, record in rows:
        _add(votes, row, record, text(record.get(item)), layout)
    unread = [answer for answer in ids if answer not in answers]
    notes = [f"Not read as answers, because they are ids that the form sends back: {listed(unread)}."] if unread else []
    return votes.export("mturk", records, notes)


def iso_time(value: object) -> str | None:
    """Convert `Wed Jan 16 13:42:47 PST 2019` to ISO 8601 with its offset. Other text stays unchanged.

    >>> iso_time("Wed Jan 16 13:42:47 PST 2019"), iso_time("2019-01-19 21:43:39 UTC")
    ('2019-01-16T13:42:47-08:00', '2019-01-19 21:43:39 UTC')
    """
    written = text(value)
    match = DATE.match(written) if written else None
    if not match or match[1].title() not in MONTHS or match[4] not in ZONES:
        return written
    month = MONTHS.index(match[1].title()) + 1
    return f"{match[5]}-{month:02}-{int(match[2]):02}T{match[3]}{ZONES[match[4]]}"


def _layout(rows: Sequence[tuple[int, Record]], answers: Sequence[str]) -> Layout:
    """Return the columns of each question: one, or one for each option with true and false."""
    ticks = {a for a in answers if a.count(".") > 1 and _is_ticks([record.get(a) for _, record in rows])}
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for answer in answers:
        groups[answer.rpartition(".")[0] if answer in ticks else answer].append(answer)
    return {name.removeprefix(ANSWER): columns for name, columns in groups.items()}


def _is_ticks(values: Sequence[object]) -> bool:
    marks = {known_text(value) for value in values} - {*BLANK}
    return bool(marks) and marks <= TRUTH.keys()


def _add(votes: RecordVotes, row: int, record: Record, item: str | None, layout: Layout) -> None:
    status = text(record.get("AssignmentStatus"))
    marked = text(record.get(REJECT))  # by the requester, in a file to be uploaded again
    if (status or "").lower() == "rejected" or text(record.get("RejectionTime")) or marked:
        why = text(record.get("RequesterFeedback")) or marked or "no reason is given"
        detail = f"The requester rejected the assignment of {text(record.get('WorkerId'))}: {why}."
        votes.reject(row, "AssignmentStatus", status, "rejected_answer", detail[:500])
        return
    n_before = votes.n_outcomes
    for question, label, fault in _answers(record, layout):
        if fault or label is None:
            shown = record.get(f"{ANSWER}{question}")
            votes.reject(
                row, question, shown, "unsupported_control" if fault else "empty_answer", fault or "Nothing was chosen."
            )
            continue
        votes.add(
            row, question, item, text(record.get("WorkerId")), label,
            rated_at=iso_time(record.get("SubmitTime")),
            duration_s=record.get("WorkTimeInSeconds"),
            source_ref=text(record.get("AssignmentId")),
        )  # fmt: skip
        if not votes.knows(question, item):
            inputs = {k.removeprefix(INPUT): v for k, v in record.items() if k.startswith(INPUT)}
            votes.describe(question, item, inputs)
    if votes.n_outcomes == n_before:
        votes.reject(row, None, None, "empty_answer", "The assignment holds no answer.")


def _answers(record: Record, layout: Layout) -> Iterator[tuple[str, str | None, str | None]]:
    """Return the answers as parsing.tools.amazon_answers does. A blank cell is not an answer to its question."""
    for question, columns in layout.items():
        if ANSWER + question == FORM and text(record.get(FORM)):
            forms = objects(record.get(FORM))
            yield from (answer for form in forms for answer in answers_of(form))
            if not forms:
                yield question, None, UNREADABLE
        elif columns != [ANSWER + question]:
            ticks = {c.rpartition(".")[2]: known_text(record.get(c)) for c in columns}
            if any(tick not in BLANK for tick in ticks.values()):
                yield question, label_set([option for option, tick in ticks.items() if TRUTH.get(tick)]), None
        elif (written := tidy_label(record.get(columns[0]))) and written not in BLANK:
            chosen = [part for part in written.split("|") if part.strip()]
            yield question, label_set(chosen), None


MTURK = Format(
    name="mturk",
    describe="Batch results of Amazon Mechanical Turk: a question per Answer column; rejected assignments are rejects.",
    extensions=(".csv",),
    sniff=sniff,
    reader=read,
    roles=frozenset({"item", "label"}),
)
