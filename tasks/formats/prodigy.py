"""Read Prodigy's JSON lines (`prodigy db-out`): one example with its answer per line.

The item is `_input_hash`, because `_task_hash` differs from question to question. In a choice the label is the set of
accepted options. An ignored example is skipped. A rejected one, and one accepted with no option chosen, are rejects. In
a binary task the example's label is the question, and `accept` or `reject` is the vote.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed
from tasks.formats.parsing.cells import cell_text, label_set
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, known_text, mapping, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, each, read_records

MARKS = {"_input_hash", "_task_hash", "answer"}
REGION_FIELDS = ("spans", "relations", "arcs", "heads")
"""What a record holds where parts of the item were labelled."""
SESSION_TIME = re.compile(r"\d{4}-\d{2}-\d{2}_\d{2}-\d{2}-\d{2}$")
NO_NAME = "Rows of sessions that are named by a time, not by a person: {n}. Each such session counts as a rater."
NOBODY = (
    "Rows that do not say who answered: {n}. Prodigy writes it if each annotator opens it with ?session=NAME. "
    'If one person answered all, write "_annotator_id": "NAME" into the rows.'
)
REVIEWED = "Rows by a reviewer who saw the others' answers: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the hashes and the answer. A file whose rater or label the user maps is a table."""
    return keys(seen) >= MARKS and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read all examples. Errors: ReadError where no record has Prodigy's hashes."""
    records = read_records(path)
    rows = each(records)
    if not any({"_input_hash", "answer"} <= record.keys() for _, record in rows):
        raise ReadError.of(
            path,
            "is not an export of Prodigy: no record has _input_hash and answer.",
            "Export it with `prodigy db-out DATASET > DATASET.jsonl`.",
        )
    votes, sessions = RecordVotes(), set[str]()
    for row, record in rows:
        if session := session_of(record):
            sessions.add(session)
        _add(votes, row, record, path.stem)
    refuse_namesakes(path, sessions)
    return votes.export("prodigy", records, name_notes(sessions, path.stem))


def session_of(record: Record) -> str | None:
    """Return the annotator of a record, else its session; None if it names neither."""
    return text(record.get("_annotator_id")) or text(record.get("_session_id"))


def rater_of(session: str | None, stem: str) -> str | None:
    """Return the name of a session without that of the dataset.

    The dataset is the file's name if the session begins with it, else all up to the last hyphen.

    >>> [rater_of(session, "my-set") for session in ("my-set-rose-ann", "news-2026-ann", "ann", "2026-01-05_12-33-11")]
    ['rose-ann', 'ann', 'ann', '2026-01-05_12-33-11']
    """
    if session is None or SESSION_TIME.search(session):
        return session
    name = session.removeprefix(f"{stem}-") if session.startswith(f"{stem}-") else session.rpartition("-")[2]
    return name or session


def refuse_namesakes(path: Path, sessions: Iterable[str]) -> None:
    """Refuse a file in which two people may get one name by the cut, such as set-rose-ann and set-lee-ann."""
    session_of: dict[tuple[str, str | None], str] = {}
    for session in sorted(sessions):
        other = session_of.setdefault((session.partition("-")[0], rater_of(session, path.stem)), session)
        if other != session:
            raise ReadError.of(
                path,
                f"has sessions {other!r} and {session!r}, which would both be the rater "
                f"{rater_of(session, path.stem)!r}.",
                "If all sessions are of one dataset, name the file DATASET.jsonl. If not, write one file per dataset.",
            )


def name_notes(sessions: Iterable[str], stem: str) -> list[str]:
    """Return sentences on the dataset names that were cut off, and on doubtful cases."""
    raters = {session: rater_of(session, stem) or session for session in sorted(sessions)}
    cut = {session.removesuffix(f"-{rater}"): session for session, rater in raters.items() if rater != session}
    texts = [f"The dataset's name was cut from the names of the raters: {listed(sorted(cut))}."] if cut else []
    doubtful = [session for name, session in cut.items() if "-" in name and name != stem]
    if doubtful:
        texts.append(
            f"A dataset's name ends at the last hyphen: {doubtful[0]!r} is the rater {raters[doubtful[0]]!r}. "
            "If that is wrong, name the file after the dataset: DATASET.jsonl."
        )
    return texts


def _add(votes: RecordVotes, row: int, record: Record, stem: str) -> None:
    answer = known_text(record.get("answer"))
    if answer == "ignore":
        votes.skip()
    elif answer not in ("accept", "reject"):
        votes.reject(row, "answer", record.get("answer"), "bad_record", "The answer is not accept, reject or ignore.")
    elif isinstance(record.get("accept"), list):
        _add_choice(votes, row, record, stem, answer)
    elif _labels_parts(record):
        view = cell_text(record.get("_view_id"))
        votes.reject(row, None, view, "unsupported_control", "Parts of the item were labelled, not the item.")
    else:
        # The word says whether the label fits; without a label, whether the example does.
        _add_vote(votes, row, record, stem, text(record.get("label")), answer)


def _labels_parts(record: Record) -> bool:
    """Check whether parts of the item were labelled. An empty list without a label: none was found."""
    lists = [record[part] for part in REGION_FIELDS if isinstance(record.get(part), list)]
    return any(lists) or (bool(lists) and text(record.get("label")) is None)


def _add_choice(votes: RecordVotes, row: int, record: Record, stem: str, answer: str) -> None:
    label = label_set(record["accept"])
    if answer == "reject":
        votes.reject(row, "answer", record["accept"], "rejected_answer", "The annotator rejected the example.")
    elif label is None:
        votes.reject(row, "accept", None, "empty_answer", "Accepted with no option chosen.")
    else:
        _add_vote(votes, row, record, stem, None, label)


def _add_vote(votes: RecordVotes, row: int, record: Record, stem: str, question: str | None, label: str) -> None:
    rater = session_of(record)
    if rater is None:
        votes.note(NOBODY)
    elif SESSION_TIME.search(rater):
        votes.note(NO_NAME)
    if record.get("versions"):
        votes.note(REVIEWED)
    item = text(record.get("_input_hash"))
    votes.add(
        row, question, item, rater_of(rater, stem), label,
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
    roles=frozenset(),
)
