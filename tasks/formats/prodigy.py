"""Prodigy's JSON lines (`prodigy db-out`): one example and its answer a line.

The item is `_input_hash`, since `_task_hash` differs from question to question. In a choice the label is the set of
accepted options; three things there are no label, and kept apart: ignored (skipped), rejected (a reject), accepted with
no option chosen (a reject). In a binary task the example's label is the question, and `accept` or `reject` the vote.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.base import Export, Format, ReadOptions
from tasks.formats.cells import cell_text, label_set
from tasks.formats.fields import keys, known_text, mapped_by_user, mapping, text
from tasks.formats.peek import Peek
from tasks.formats.votes import Record, Votes, each, read_records

MARKS = {"_input_hash", "_task_hash", "answer"}
PARTS = ("spans", "relations", "arcs", "heads")
"""What a record holds where parts of the item were labelled."""
SESSION_TIME = re.compile(r"\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")
NO_NAME = "Sessions that are named by a time, not by a person, so that each counts as a rater: {n} rows."
REVIEWED = "Rows by a reviewer who saw the others' answers: {n}."


def sniff(seen: Peek, options: ReadOptions) -> bool:
    """The hashes and the answer; a user who maps rater or label reads it as a table."""
    return keys(seen) >= MARKS and not mapped_by_user(options)


def read(path: Path, options: ReadOptions) -> Export:
    """Read all examples. Errors: ReadError where no record has Prodigy's hashes."""
    records = read_records(path)
    rows = list(each(records))
    if not any({"_input_hash", "answer"} <= record.keys() for _, record in rows):
        raise ReadError(
            f"{path.name} is no export of Prodigy: no record has _input_hash and answer.",
            "Export it with `prodigy db-out DATASET > DATASET.jsonl`.",
            file=str(path),
        )
    prefix = _dataset_prefix([_session(record) for _, record in rows], path.stem)
    votes = Votes()
    for row, record in rows:
        _add(votes, row, record, prefix)
    cut = [f"The dataset's name {prefix[:-1]!r} was cut from the names of the raters."] if prefix else []
    return votes.export("prodigy", records, cut)


def _session(record: Record) -> str | None:
    return text(record.get("_annotator_id")) or text(record.get("_session_id"))


def _dataset_prefix(sessions: Sequence[str | None], stem: str) -> str:
    """`DATASET-` as names of sessions begin with it: the file's name if that fits, else what they have in common."""
    names = {name for name in sessions if name and not SESSION_TIME.search(name)}
    if names and all(name.startswith(f"{stem}-") and len(name) > len(stem) + 1 for name in names):
        return f"{stem}-"
    if len(names) < 2:
        return ""
    first, last = min(names), max(names)  # what these two have in common at their beginning, all have
    n_common = next((i for i, pair in enumerate(zip(first, last, strict=False)) if len(set(pair)) > 1), len(first))
    common = first[: first[:n_common].rfind("-") + 1]
    return common if all(len(name) > len(common) for name in names) else ""


def _add(votes: Votes, row: int, record: Record, prefix: str) -> None:
    answer = known_text(record.get("answer"))
    if answer == "ignore":
        votes.skip()
    elif answer not in ("accept", "reject"):
        votes.reject(row, "answer", record.get("answer"), "bad_record", "The answer is none of accept, reject, ignore.")
    elif isinstance(record.get("accept"), list):
        _add_choice(votes, row, record, prefix, answer)
    elif any(isinstance(record.get(part), list) and record[part] for part in PARTS):
        view = cell_text(record.get("_view_id"))
        votes.reject(row, None, view, "unsupported_control", "Parts of the item were labelled, not the item.")
    else:
        # The word says whether the label fits; without a label, whether the example does.
        _add_vote(votes, row, record, prefix, text(record.get("label")), answer)


def _add_choice(votes: Votes, row: int, record: Record, prefix: str, answer: str) -> None:
    label = label_set(record["accept"])
    if answer == "reject":
        votes.reject(row, "answer", record["accept"], "rejected_answer", "The annotator rejected the example.")
    elif label is None:
        votes.reject(row, "accept", None, "empty_answer", "Accepted with no option chosen.")
    else:
        _add_vote(votes, row, record, prefix, None, label)


def _add_vote(votes: Votes, row: int, record: Record, prefix: str, question: str | None, label: str) -> None:
    rater = _session(record)
    if rater and SESSION_TIME.search(rater):
        votes.note(NO_NAME)
    if record.get("versions"):
        votes.note(REVIEWED)
    item = text(record.get("_input_hash"))
    votes.add(
        row, question, item, rater.removeprefix(prefix) if rater else None, label,
        rated_at=record.get("_timestamp"),
        source_ref=f"task:{text(record.get('_task_hash'))}",
    )  # fmt: skip
    if not votes.knows(question, item):
        shown = {k: record.get(k) for k in ("text", "html", "image")}
        votes.describe(question, item, shown | mapping(record.get("meta")))


PRODIGY = Format(
    name="prodigy",
    describe="Prodigy's JSON lines (db-out): choice, single and multiple, and binary accept or reject.",
    extensions=(".jsonl", ".json"),
    sniff=sniff,
    reader=read,
)
