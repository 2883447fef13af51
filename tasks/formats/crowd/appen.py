"""Read full reports of Appen (CrowdFlower), CSV or JSON: one judgment per worker and unit.

Tainted judgments are rejects. A worker's answer to a test question is a vote like others. The expected answer
(`NAME_gold`) belongs to the rater `gold`, of kind gold. Boxes that were ticked together are a set.

The CSV does not say which columns are answers. The reader takes columns with a column `NAME_gold`, and columns that
differ between the workers of a unit and are not long texts. The output names them; `label = "a|b"` overrules.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import find_header, listed
from tasks.formats.parsing.cells import label_set, tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import holds_objects, keys, known_text, mapping, mentions, parsed, text
from tasks.formats.parsing.tools.record_votes import FileRecords, Record, RecordVotes, read_records

GOLD, SUFFIX = "gold", "_gold"
US_TIME = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}) (\d{1,2}):(\d{2}):(\d{2})$")
MAX_LABEL_LENGTH = 100
SEVERAL_GOLD = "Test questions that accept several answers, not read as gold: {n}."
TAINTED = "Appen marks the judgment as tainted: the worker failed too many test questions."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the columns of a judgment, or for units with their judgments. Raters that the user maps are a table."""
    names = keys(seen)
    if options.maps("rater", "raters"):
        return False
    judgments = {"data", "results"} <= names and mentions(seen, "judgments", "worker_id")
    return {"_unit_id", "_worker_id", "_tainted"} <= names or judgments


def read(path: Path, options: ReadOptions) -> Export:
    """Read all judgments; `label` may name the columns of answers.

    Errors: ReadError where the file is no full report, or nothing shows which columns are answers.
    """
    records = read_records(path)
    rows = list(records.rows)
    votes = RecordVotes()
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    label_columns = [name for name in options.columns.get("label", "").split("|") if name.strip()]
    if {"_unit_id", "_worker_id"} <= set(headers):
        return _read_table(path, records, rows, headers, votes, label_columns)
    n_judgments = 0
    golds: set[tuple[str, str]] = set()
    for row, unit in rows:
        judgments = votes.objects(row, "judgments", mapping(unit.get("results")).get("judgments"))
        n_judgments += len(judgments)
        for judgment in judgments:
            _add_judgment(votes, row, unit, judgment, label_columns, golds)
    if not n_judgments:
        raise ReadError.of(
            path,
            "holds no judgments of Appen.",
            "Download the full report: CSV with _unit_id and _worker_id, or JSON with results.judgments.",
        )
    return votes.export("appen", records)


def us_time(value: object) -> str | None:
    """Convert `3/24/2016 17:57:02` (month first) to ISO 8601. Other text stays unchanged.

    >>> us_time("3/24/2016 17:57:02"), us_time("2016-03-24T17:57:02Z")
    ('2016-03-24T17:57:02', '2016-03-24T17:57:02Z')
    """
    written = text(value)
    match = US_TIME.match(written) if written else None
    if not match:
        return written
    month, day, year, hour, minute, second = map(int, match.groups())
    return f"{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"


def _read_table(
    path: Path,
    records: FileRecords,
    rows: Sequence[tuple[int, Record]],
    headers: Sequence[str],
    votes: RecordVotes,
    label_columns: Sequence[str],
) -> Export:
    questions = [headers[find_header(headers, name, path.name, "label")] for name in label_columns]
    questions = questions or _questions(rows, headers)
    others = [name for name in headers if not name.startswith("_") and name not in questions and not _is_gold(name)]
    if not questions:
        raise ReadError.of(
            path,
            f"is a full report of Appen. Nothing shows which columns are answers: {listed(others, 20)}.",
            "Name them: --format appen --columns 'label=A|B'.",
        )
    golds: set[tuple[str, str]] = set()
    for row, record in rows:
        item = text(record.get("_unit_id"))
        _add_gold(votes, row, item, {name: record.get(f"{name}{SUFFIX}") for name in questions}, golds)
        if known_text(record.get("_tainted")) == "true":
            votes.reject(row, "_tainted", record.get("_tainted"), "rejected_answer", TAINTED)
            continue
        answers = {name: record.get(name) for name in questions}
        _add_answers(votes, row, item, record, answers, prefix="_")
        for question in questions:
            if not votes.knows(question, item):
                votes.describe(question, item, {name: record.get(name) for name in others})
    choice = f"Read as answers: columns {listed(questions, 20)}. As data of the unit: {listed(others, 20)}."
    return votes.export("appen", records, [f"{choice} --format appen --columns 'label=A|B' overrules."])


def _is_gold(name: str) -> bool:
    return name.endswith((SUFFIX, "_gold_reason"))


def _questions(rows: Sequence[tuple[int, Record]], headers: Sequence[str]) -> list[str]:
    """Return the columns with a gold column, and those that differ within a unit and are short."""
    free = [name for name in headers if name and not name.startswith("_") and not _is_gold(name)]
    differing = []
    for name in free:
        values: defaultdict[str | None, set[str]] = defaultdict(set)
        longest = 0
        for _, record in rows:
            if (value := text(record.get(name))) is not None:
                values[text(record.get("_unit_id"))].add(value)
                longest = max(longest, *(len(line) for line in value.splitlines()))
        if longest <= MAX_LABEL_LENGTH and any(len(column_values) > 1 for column_values in values.values()):
            differing.append(name)
    return [name for name in free if f"{name}{SUFFIX}" in headers or name in differing]


def _add_judgment(
    votes: RecordVotes,
    row: int,
    unit: Record,
    judgment: dict[str, Any],
    label_columns: Sequence[str],
    golds: set[tuple[str, str]],
) -> None:
    item = text(judgment.get("unit_id")) or text(unit.get("id"))
    about, data = mapping(unit.get("data")), mapping(judgment.get("data"))
    answers = {name: value for name, value in data.items() if not label_columns or name in label_columns}
    _add_gold(votes, row, item, {name: about.get(f"{name}{SUFFIX}") for name in answers}, golds)
    if judgment.get("tainted") is True or judgment.get("rejected") is True:
        votes.reject(row, "tainted", judgment.get("worker_id"), "rejected_answer", TAINTED)
        return
    _add_answers(votes, row, item, judgment, answers, prefix="")
    for question in answers:
        if not votes.knows(question, item):
            votes.describe(question, item, {name: value for name, value in about.items() if not _is_gold(name)})


def _add_answers(
    votes: RecordVotes, row: int, item: str | None, record: Record, answers: Record, *, prefix: str
) -> None:
    n_before = votes.n_outcomes
    for question, value in answers.items():
        if holds_objects(value):
            votes.reject(row, question, value, "unsupported_control", "An object is not a label of the item.")
        elif (label := _label(value)) is not None:
            votes.add(
                row, question, item, text(record.get(f"{prefix}worker_id")), label,
                rated_at=us_time(record.get(f"{prefix}created_at")), source_ref=text(record.get(f"{prefix}id")),
            )  # fmt: skip
    if votes.n_outcomes == n_before:
        votes.reject(row, None, None, "empty_answer", "The judgment holds no answer.")


def _label(value: object) -> str | None:
    """Return an answer; several lines in a cell, and lists, are the ticked boxes."""
    value = parsed(value)
    if isinstance(value, list):
        return label_set(value)
    lines = (tidy_label(value) or "").splitlines()
    return label_set(lines)


def _add_gold(votes: RecordVotes, row: int, item: str | None, golds: Record, seen: set[tuple[str, str]]) -> None:
    """Add what the test questions of a unit expect, once per unit."""
    for question, value in golds.items():
        value = parsed(value)
        accepted = value if isinstance(value, list) else (tidy_label(value) or "").splitlines()
        accepted = [answer for answer in accepted if tidy_label(answer) is not None]
        if item is None or not accepted or (question, item) in seen:
            continue
        seen.add((question, item))
        if len(accepted) > 1 or isinstance(accepted[0], dict | list):
            votes.note(SEVERAL_GOLD)
        else:
            votes.add(row, question, item, GOLD, tidy_label(accepted[0]), rater_kind="gold")


APPEN = Format(
    name="appen",
    describe="Full reports of Appen (CrowdFlower): tainted judgments are rejects, test questions are gold.",
    extensions=(".csv", ".json", ".jsonl"),
    sniff=sniff,
    reader=read,
    roles=frozenset({"label"}),
)
