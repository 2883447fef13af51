"""Read the feedback of W&B Weave's calls: annotations of people, and scores of scorers.

An annotation (`wandb.annotation.NAME`) is a person's answer to the question NAME; a scorer (`wandb.runnable.NAME`) is
a system. Reactions and notes answer no question and are skipped.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import is_nested, keys, mapping, mentions, parsed, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, each, read_records

ANNOTATION, RUNNABLE = "wandb.annotation.", "wandb.runnable."
OTHERS = "Reactions and notes, counted as skipped: {n}."
WITHOUT = "Calls without feedback, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for calls with feedback, or for feedback alone."""
    if options.maps_table:
        return False
    names = keys(seen)
    return {"feedback_type", "weave_ref"} <= names or (
        {"op_name", "summary"} <= names and mentions(seen, "feedback", "feedback_type")
    )


def read(path: Path, options: ReadOptions) -> Export:
    """Read all feedback. Errors: ReadError where no record is a call, or feedback."""
    records = read_records(path)
    votes = RecordVotes()
    rows = list(each(records))
    if not any({"summary", "feedback_type"} & record.keys() for _, record in rows):
        raise ReadError.of(
            path,
            "holds no calls of Weave with feedback.",
            "Export calls with their feedback as JSON lines, or the feedback alone.",
        )
    for row, item, feedback in _feedback(rows, votes):
        _add(votes, row, item, feedback)
    note = "Read as feedback of Weave: scorers are systems, named code:..."
    return votes.export("weave", records, [note])


def _feedback(
    rows: Iterable[tuple[int, Record]], votes: RecordVotes
) -> Iterator[tuple[int, str | None, dict[str, Any]]]:
    for row, record in rows:
        if "feedback_type" in record:
            yield row, _call(text(record.get("weave_ref"))), dict(record)
            continue
        listed = mapping(mapping(record.get("summary")).get("weave")).get("feedback")
        of_call = votes.objects(row, "feedback", listed)
        if not of_call:
            votes.skip(WITHOUT)
        for entry in of_call:
            yield row, text(record.get("id")) or _call(text(entry.get("weave_ref"))), entry


def _call(reference: str | None) -> str | None:
    """Return the id of a call from its address.

    >>> _call("weave:///team/project/call/c1")
    'c1'
    """
    return (reference.rpartition("/")[2] or None) if reference else None


def _add(votes: RecordVotes, row: int, item: str | None, feedback: dict[str, Any]) -> None:
    kind, payload = text(feedback.get("feedback_type")) or "", mapping(feedback.get("payload"))
    person = kind.startswith(ANNOTATION)
    if not person and not kind.startswith(RUNNABLE):
        votes.skip(OTHERS)
        return
    question = kind.removeprefix(ANNOTATION).removeprefix(RUNNABLE) or None
    value = parsed(payload.get("value" if person else "output"))
    if is_nested(value):
        votes.reject(row, question, value, "unsupported_control", "An object is not a label of the item.")
        return
    if (label := cell_text(value)) is None or not label.strip():
        votes.reject(row, question, None, "empty_answer", "There is no value.")
        return
    creator = text(feedback.get("creator")) or text(feedback.get("wb_user_id"))
    votes.add(
        row, question, item, creator if person else f"code:{question}", label,
        rater_kind="human" if person else "system",
        rated_at=text(feedback.get("created_at")),
        source_ref=text(feedback.get("id")),
    )  # fmt: skip


WEAVE = Format(
    name="weave",
    describe="Calls of W&B Weave with feedback: annotations of people, scores of scorers as systems.",
    extensions=(".json", ".jsonl"),
    sniff=sniff,
    reader=read,
    roles=frozenset(),
)
