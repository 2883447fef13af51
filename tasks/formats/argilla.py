"""Read Argilla's flattened records (`flatten=True`, or a Hugging Face data set): parallel lists of responses per
question.

A question q has the lists `q.responses`, `q.responses.users` and `q.responses.status`. Only submitted responses are
votes. A record that a user discarded, or a draft, counts once as skipped, however many questions there are. A
suggestion is the answer of a system, its agent. The nested JSON has no status and is refused (tasks.formats.refused).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.parsing.cells import cell_text, label_set
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import dicts_in, holds_objects, keys, known_text, parsed, text
from tasks.formats.parsing.tools.argilla_lists import answers_of, with_ranks
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, Row, each, read_records

USERS, STATUS = ".responses.users", ".responses.status"
UNNAMED = "unnamed agent"
OWN = frozenset({"id", "status", "_server_id"})
NOT_A_STATUS = "The status is not submitted, discarded or draft."
SPAN = "A span is not a label of the item."
NOT_SPANS = "The answer is no list of spans."
NOT_A_LABEL = (
    "A ranking is not a label of the item. A project takes rankings in if its settings say"
    ' answers = "ranking" under [questions.NAME].'
)
SKIPPED = {
    "discarded": "Records that a user discarded, counted as skipped: {n}.",
    "draft": "Drafts, counted as skipped: {n}.",
}


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for a list of users beside the responses of a question."""
    return any(key.endswith(USERS) for key in keys(seen))


def read(path: Path, options: ReadOptions) -> Export:
    """Read responses and suggestions. Errors: ReadError where no question, or a question no status, is there."""
    records = read_records(path)
    rows = each(records)
    names = list(dict.fromkeys(key for _, record in rows for key in record))
    questions = [name.removesuffix(USERS) for name in names if name.endswith(USERS)]
    if not questions:
        raise ReadError.of(
            path,
            f"is not a flattened export of Argilla: it has {listed(names)}.",
            "Export with dataset.records(...).to_list(flatten=True).",
        )
    without_status = [q for q in questions if f"{q}{STATUS}" not in names]
    if without_status:
        raise ReadError.of(
            path,
            f"does not say which responses to {without_status[0]!r} were submitted:"
            f" {without_status[0]}{STATUS} is missing.",
            "Export with dataset.records(...).to_list(flatten=True).",
            column=f"{without_status[0]}{STATUS}",
        )
    questions = questions_of(names)
    votes, marked = RecordVotes(), span_questions(rows, questions)
    for row, record in with_ranks(rows, questions):
        _add_record(votes, row, record, questions, marked)
    return votes.export("argilla", records)


def questions_of(names: Iterable[str]) -> list[str]:
    """Return the questions that these columns answer, by responses or by suggestions."""
    columns = [*names]
    answered = [name.removesuffix(USERS) for name in columns if name.endswith(USERS)]
    suggested = [name.removesuffix(".suggestion") for name in columns if name.endswith(".suggestion")]
    return list(dict.fromkeys([*answered, *suggested]))


def response_lists(record: Record, question: str) -> list[list[Any]]:
    """Return the responses to a question, their users and their status. What is no list stands for a list of one."""
    cells = [parsed(record.get(f"{question}{name}")) for name in (".responses", USERS, STATUS)]
    if all(cell is None for cell in cells):
        return [[], [], []]
    return [cell if isinstance(cell, list) else [cell] for cell in cells]


def about_item(record: Record, questions: Collection[str]) -> Record:
    """Return the fields and the metadata of a record."""
    return {k: v for k, v in record.items() if k not in OWN and not any(k.startswith(f"{q}.") for q in questions)}


def has_spans(answer: object) -> bool:
    """Check for a list with an object that has a start and an end."""
    return any({"start", "end"} <= entry.keys() for entry in dicts_in(answer))


def span_questions(rows: Iterable[Row], questions: Sequence[str]) -> set[str]:
    """Return the questions with spans: those where at least as many answers mark spans as are labels. Their labels are
    damaged answers."""
    n_marked: Counter[str] = Counter()
    n_labels: Counter[str] = Counter()
    for _, record in rows:
        for question in questions:
            for answer in answers_of(record, question):
                n_marked[question] += has_spans(answer)
                n_labels[question] += answer not in (None, "", []) and not holds_objects(answer)
    return {question for question, n in n_marked.items() if n and n >= n_labels[question]}


def _add_record(
    votes: RecordVotes, row: int, record: Record, questions: Sequence[str], marked: Collection[str]
) -> None:
    item = text(record.get("id"))
    about = about_item(record, questions)
    skipped: dict[tuple[str | None, str], None] = {}
    for question in questions:
        n_before = len(votes.rows)
        _add_responses(votes, row, record, item, question, skipped, of_spans=question in marked)
        _add_suggestion(votes, row, record, item, question, of_spans=question in marked)
        if len(votes.rows) > n_before:
            votes.describe(question, item, about)
    for _, state in skipped:
        votes.skip(SKIPPED[state])


def _add_responses(
    votes: RecordVotes,
    row: int,
    record: Record,
    item: str | None,
    question: str,
    skipped: dict[tuple[str | None, str], None],
    *,
    of_spans: bool,
) -> None:
    columns = response_lists(record, question)
    if len({len(column) for column in columns}) > 1:
        counts = ", ".join(
            f"{len(c)} {what}" for c, what in zip(columns, ("responses", "users", "status"), strict=True)
        )
        votes.reject(row, f"{question}.responses", columns[0], "bad_record", f"The lists differ in length: {counts}.")
        return
    for value, user, state in zip(*columns, strict=True):
        if known_text(state) in SKIPPED:
            skipped[text(user), known_text(state)] = None
        else:
            _add_response(votes, row, item, question, value, text(user), known_text(state), of_spans=of_spans)


def _add_response(
    votes: RecordVotes,
    row: int,
    item: str | None,
    question: str,
    value: Any,
    user: str | None,
    state: str,
    *,
    of_spans: bool,
) -> None:
    if state != "submitted":
        votes.reject(row, question + STATUS, state, "bad_record", NOT_A_STATUS)
    elif holds_objects(value):
        votes.reject(row, question, value, "unsupported_control", SPAN if has_spans(value) else NOT_A_LABEL)
    elif (label := cell_text(value)) is None or not label.strip():
        votes.reject(row, question, None, "empty_answer", "Submitted without an answer.")
    elif of_spans:
        votes.reject(row, question, label, "bad_record", NOT_SPANS)
    else:
        votes.add(row, question, item, user, label, source_ref=f"record:{item}")
        if type(value) is int:  # only a rating question has numbers for values
            votes.ordered.add(question)


def _add_suggestion(
    votes: RecordVotes, row: int, record: Record, item: str | None, question: str, *, of_spans: bool
) -> None:
    value = record.get(f"{question}.suggestion")
    label = label_set(value) if isinstance(value, list) else cell_text(value)
    if holds_objects(value):
        votes.reject(row, question, value, "unsupported_control", SPAN if has_spans(value) else NOT_A_LABEL)
    elif label is None or not label.strip():
        return
    elif of_spans:
        votes.reject(row, question, label, "bad_record", NOT_SPANS)
    else:
        agent = text(record.get(f"{question}.suggestion.agent"))
        score = record.get(f"{question}.suggestion.score")
        if isinstance(score, list):  # one for each label of a set; alone it is the label's
            score = score[0] if len(score) == 1 else None
        votes.add(
            row, question, item, agent or UNNAMED, label,
            rater_kind="system", system_version=agent, score=score, source_ref=f"record:{item}",
        )  # fmt: skip


ARGILLA = Format(
    name="argilla",
    describe="Argilla's records with flatten=True, JSON or Parquet: submitted responses, suggestions as systems.",
    extensions=(".json", ".jsonl", ".parquet"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
