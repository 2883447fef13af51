"""Read the feedback scores of Opik's traces or spans: the item is the trace, the question the score's name.

A score given on the page (`ui`) is of the person who gave it; an online evaluation rule is a judge; the rest, logged by
a program (`sdk`), is code. The label is the category, else the number. If several people scored, each is read.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, known_text, mapping, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, each, read_records

WITHOUT = "Traces without a score, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the scores of a trace."""
    return {"id", "feedback_scores"} <= keys(seen) and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all scores. Errors: ReadError where no record is a trace with a list of scores."""
    records = read_records(path)
    votes = RecordVotes()
    n_traces = 0
    for row, record in each(records):
        n_traces += "feedback_scores" in record
        n_before = votes.n_outcomes
        for score in votes.objects(row, "feedback_scores", record.get("feedback_scores")):
            _add(votes, row, record, score)
        if votes.n_outcomes == n_before:
            votes.skip(WITHOUT)
    if not n_traces:
        raise ReadError.of(
            path,
            "holds no traces of Opik with scores.",
            "Export traces or spans as JSON lines: they have id and feedback_scores.",
        )
    note = "Read as scores of Opik: judges and code are systems, named judge:... and code:..."
    return votes.export("opik", records, [note])


def _add(votes: RecordVotes, row: int, record: Record, score: dict[str, Any]) -> None:
    question, item = text(score.get("name")), text(record.get("id"))
    for author, value in _by_author(score):
        label = text(value.get("category_name")) or cell_text(value.get("value"))
        if isinstance(value.get("value"), dict | list) or label is None or not label.strip():
            votes.reject(row, question, value.get("value"), "empty_answer", "The score has no value.")
            continue
        source = known_text(value.get("source") or score.get("source"))
        rater = author if source == "ui" else f"{'judge' if source == 'online_scoring' else 'code'}:{question}"
        votes.add(
            row, question, item, rater, label,
            rater_kind="human" if source == "ui" else "system",
            rated_at=text(value.get("last_updated_at")) or text(score.get("last_updated_at")),
        )  # fmt: skip


def _by_author(score: dict[str, Any]) -> Iterator[tuple[str | None, dict[str, Any]]]:
    authors = {name: mapping(value) for name, value in mapping(score.get("value_by_author")).items()}
    if authors:
        yield from ((text(name), value) for name, value in authors.items())
    else:
        yield text(score.get("created_by")) or text(score.get("last_updated_by")), score


OPIK = Format(
    name="opik",
    describe="Traces or spans of Opik with feedback scores; people, judges and code told apart.",
    extensions=(".json", ".jsonl", ".csv"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
