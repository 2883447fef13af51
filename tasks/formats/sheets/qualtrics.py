"""Read surveys of Qualtrics (CSV with three header rows): respondents are rows, items and questions are columns.

Columns of a loop have a name such as `1_Q2`: item 1 of the loop, question Q2. Texts, times and orders beside them are
no answers. The rater is the `ResponseId`. Previews, tests, spam and unfinished responses are skipped. A survey without
a loop does not say which columns are items: it is refused, and `label = "Q1|Q2"` names the columns that are items of
one question.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import listed, mapped_labels
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import known_text, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

IMPORT = re.compile(r'\s*\{\s*"ImportId"')
LOOP = re.compile(r"(\d+)_([A-Za-z].*)$")
RATER = "ResponseId"
NO_VOTES = frozenset(
    ("survey preview", "survey preview spam", "survey test", "spam", "imported spam", "preview", "test")
)
NO_VOTE_CODES = frozenset(("1", "2", "8", "9", "12", "17"))  # of Status, where the export has numbers
NO_ANSWER = re.compile(r"_(TEXT|DO|First Click|Last Click|Page Submit|Click Count|DO_\d+|\d+_TEXT)$")
UNFINISHED = "Responses that are previews, tests, spam or unfinished, counted as skipped: {n}."
BLANK = "Responses without an answer, counted as skipped: {n}."
Columns = Mapping[str, tuple[str | None, str]]
"""Question and item of each column."""


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for the third header row, whose cells are JSON. Raters that the user maps are a table."""
    if RATER not in seen.headers or len(seen.sample) < 2 or options.maps("rater", "raters", "item"):
        return False
    return all(IMPORT.match(cell or "") for cell in seen.sample[1][:1])


def read(path: Path, options: ReadOptions) -> Export:
    """Read all answers. Errors: ReadError where the file is no such survey, or has no loop and no column is named."""
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    if RATER not in headers or len(rows) < 2 or not any(IMPORT.match(text(v) or "") for v in rows[1][1].values()):
        raise ReadError.of(
            path,
            "is not an export of Qualtrics with its three header rows.",
            "Export the responses as CSV and keep all three header rows.",
        )
    columns = _columns(path, headers, mapped_labels(headers, options.columns, path.name))
    texts = rows[0][1]
    votes = RecordVotes()
    for row, record in rows[2:]:
        _add(votes, row, record, columns, texts)
    others = [name for name in headers if name not in columns]
    choice = f"Read as answers: columns {listed([*columns], 20)}; not used: {listed(others, 20)}."
    return votes.export("qualtrics", records, [choice])


def _columns(path: Path, headers: Sequence[str], label_columns: Sequence[str]) -> Columns:
    free = label_columns or [name for name in headers if not NO_ANSWER.search(name)]
    loops = {name: match for name in free if (match := LOOP.match(name))}
    if label_columns and len(loops) < len(label_columns):
        return {name: (None, name) for name in label_columns}
    if not loops:
        raise ReadError.of(
            path,
            f"is a survey of Qualtrics without a loop: its columns {listed(headers, 40)} may be questions "
            "about one item, or items of one question.",
            "Name the columns that are items of one question: --format qualtrics --columns 'label=Q1|Q2'.",
        )
    return {name: (match[2], match[1]) for name, match in loops.items()}


def _add(votes: RecordVotes, row: int, record: Record, columns: Columns, texts: Record) -> None:
    finished = known_text(record.get("Finished")) in ("true", "1", "")
    status, channel = known_text(record.get("Status")), known_text(record.get("DistributionChannel"))
    if not finished or status in NO_VOTE_CODES or NO_VOTES & {status, channel}:
        votes.skip(UNFINISHED)
        return
    n_before = len(votes.rows)
    for name, (question, item) in columns.items():
        if (label := tidy_label(record.get(name))) is None:
            continue
        votes.add(
            row, question, item, text(record.get(RATER)), label,
            rated_at=text(record.get("RecordedDate")) or text(record.get("EndDate")),
        )  # fmt: skip
        if not votes.knows(question, item):
            votes.describe(question, item, {"text": texts.get(name)})
    if len(votes.rows) == n_before:
        votes.skip(BLANK)


QUALTRICS = Format(
    name="qualtrics",
    describe="Surveys of Qualtrics with three header rows: loops are items; unfinished responses are skipped.",
    extensions=(".csv", ".tsv", ".xlsx"),
    sniff=sniff,
    reader=read,
    roles=frozenset({"label"}),
)
