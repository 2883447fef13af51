"""Read the answers of Google Forms: respondents are rows, items are columns.

Columns `QUESTION [ITEM]` (a grid) are items of their question. Other columns are items of one question if their headers
differ by numbers only, or if they share at least half of their labels. If several groups qualify the file is refused;
`label = "a|b"` names the columns that are items. The rater is the e-mail address, else the respondent's row.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import find_header, listed
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import text
from tasks.formats.parsing.record_votes import Record, RecordVotes, read_records

TIMESTAMP = "Timestamp"
RATERS = ("Email Address", "Username", "Email address")
TIME = re.compile(
    r"(\d{4})/(\d{1,2})/(\d{1,2}) (\d{1,2}):(\d{2}):(\d{2}) ([AP]M) (?:GMT|UTC)(?:([+-])(\d{1,2})(?::(\d{2}))?)?$"
)
GRID = re.compile(r"(.+?)\s*\[(.+)\]$", re.DOTALL)
MAX_LABELS, MAX_LABEL_LENGTH = 50, 100
BLANK = "Responses without an answer, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for Google's first column with its spelling of times. Raters that the user maps are a table."""
    if seen.headers[:1] != (TIMESTAMP,) or {"rater", "raters", "item"} & options.columns.keys() or not seen.sample:
        return False
    return all(row and TIME.match((row[0] or "").strip()) for row in seen.sample[:20])


def read(path: Path, options: ReadOptions) -> Export:
    """Read all answers. Errors: ReadError where it is not certain which columns are items."""
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    rater = next((name for name in RATERS if name in headers), None)
    free = [name for name in headers if name and name not in (TIMESTAMP, *RATERS, "Score")]
    named = [name for name in options.columns.get("label", "").split("|") if name.strip()]
    items = [headers[find_header(headers, name, path.name, "label")] for name in named]
    items = items or _items(path, free, {name: _labels(rows, name) for name in free})
    votes = RecordVotes()
    for row, record in rows:
        _add(votes, row, record, items, text(record.get(rater)) if rater else f"respondent {row}")
    others = [name for name in free if name not in items]
    notes = [f"Read as items: columns {listed(items, 20)}; passed over: {listed(others, 20)}."]
    if rater is None:
        notes.append("The form kept no e-mail addresses, so that each response is a rater of its own.")
    return votes.export("google_forms", records, notes)


def iso_time(value: object) -> str | None:
    """Convert `2024/05/01 1:00:00 PM GMT+2` to ISO 8601 with its offset. Other text stays unchanged.

    >>> iso_time("2024/05/01 1:00:00 PM GMT+2"), iso_time("soon")
    ('2024-05-01T13:00:00+02:00', 'soon')
    """
    written = text(value)
    match = TIME.match(written) if written else None
    if not match:
        return written
    year, month, day, hour, minute, second, half, sign, hours, minutes = match.groups()
    clock = int(hour) % 12 + (12 if half == "PM" else 0)
    offset = f"{sign or '+'}{int(hours or 0):02}:{minutes or '00'}"
    return f"{year}-{int(month):02}-{int(day):02}T{clock:02}:{minute}:{second}{offset}"


def _labels(rows: Sequence[tuple[int, Record]], name: str) -> frozenset[str]:
    """Return the labels of a column, none if they are too many or too long to be labels."""
    found = {label for _, record in rows if (label := tidy_label(record.get(name))) is not None}
    few = len(found) <= MAX_LABELS and all(len(label) <= MAX_LABEL_LENGTH for label in found)
    return frozenset(found) if few else frozenset()


def _items(path: Path, free: Sequence[str], labels: Mapping[str, frozenset[str]]) -> list[str]:
    """Return the columns that are items: those of grids, else one group of columns that belong together."""
    grids = [name for name in free if GRID.match(name)]
    groups = [grids] if grids else [group for group in _groups(free, labels) if len(group) > 1]
    used = frozenset[str]().union(*(labels[name] for name in (groups[0] if len(groups) == 1 else ())))
    unclear = [name for name in free if len(groups) == 1 and name not in groups[0] and labels[name] & used]
    if len(groups) == 1 and not unclear:
        return groups[0]
    if unclear:
        what = f"columns {listed(groups[0], 10)} seem to be items, and {listed(unclear, 10)} share labels with them"
    elif groups:
        what = f"several groups of columns could be items: {'; '.join(listed(group, 5) for group in groups[:5])}"
    else:
        what = f"no two of columns {listed(free, 10)} belong together"
    raise ReadError(
        f"{path.name} holds answers of a Google Form, and {what}.",
        "Name the columns that are items of one question: --format google_forms --columns 'label=A|B|C'.",
        file=str(path),
    )


def _groups(free: Sequence[str], labels: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Group the columns whose headers differ by numbers only, or that share at least half of their labels."""
    groups: list[list[str]] = []
    for name in free:
        linked = [group for group in groups if any(_alike(name, other, labels) for other in group)]
        groups = [group for group in groups if group not in linked] + [[*(o for g in linked for o in g), name]]
    return [sorted(group, key=free.index) for group in groups]


def _alike(one: str, other: str, labels: Mapping[str, frozenset[str]]) -> bool:
    if not labels[one] or not labels[other]:
        return False
    bare, same = re.sub(r"\d+", "#", one), re.sub(r"\d+", "#", other)
    both = len(labels[one] & labels[other])
    return (bare == same and "#" in bare) or (both > 0 and 2 * both >= len(labels[one] | labels[other]))


def _add(votes: RecordVotes, row: int, record: Record, items: Sequence[str], rater: str | None) -> None:
    n_before = len(votes.rows)
    for name in items:
        grid = GRID.match(name)
        label = tidy_label(record.get(name))
        if label is not None:
            question, item = (grid[1], grid[2]) if grid else (None, name)
            votes.add(row, question, item, rater, label, rated_at=iso_time(record.get(TIMESTAMP)))
    if len(votes.rows) == n_before:
        votes.skip(BLANK)


GOOGLE_FORMS = Format(
    name="google_forms",
    describe="Answers of Google Forms: respondents are rows, items are columns, grids are questions with items.",
    extensions=(".csv", ".tsv", ".xlsx"),
    sniff=sniff,
    reader=read,
    roles=frozenset({"label"}),
)
