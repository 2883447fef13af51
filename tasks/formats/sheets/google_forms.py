"""Read the answers of Google Forms, also from their sheet: respondents are rows, items are columns.

Columns `QUESTION [ITEM]` (a grid) are items of their question. Other columns are items of one question if their headers
differ by numbers only, or if they share at least half of their labels. If several groups qualify the file is refused;
`label = "a|b"` names the columns that are items. The rater is the e-mail address, else the respondent's row.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.columns.column_roles import USUAL_NAMES, listed, mapped_labels, plain
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

TIMESTAMP = "Timestamp"
RATERS = ("Email Address", "Username", "Email address")
TIME = re.compile(
    r"(\d{4})/(\d{1,2})/(\d{1,2}) (\d{1,2}):(\d{2}):(\d{2}) ([AP]M) (?:GMT|UTC)(?:([+-])(\d{1,2})(?::(\d{2}))?)?$"
)
SHEET_TIME = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4}) (\d{1,2}):(\d{2}):(\d{2})$")
UNCLEAR = "It is not clear which number of the times is the month (5/1/2026), so the times are left out."
GRID = re.compile(r"(.+?)\s*\[(.+)\]$", re.DOTALL)
MAX_LABELS, MAX_LABEL_LENGTH = 50, 100
BLANK = "Responses without an answer, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for Google's first column with its spelling of times. Raters that the user maps are a table."""
    if seen.headers[:1] != (TIMESTAMP,) or options.maps("rater", "raters", "item") or not seen.sample:
        return False
    times = [(row[0] or "").strip() if row else "" for row in seen.sample[:20]]
    if all(map(TIME.match, times)):
        return True
    names = {plain(header) for header in seen.headers if header not in RATERS}
    ratings = names & {*USUAL_NAMES["item"], *USUAL_NAMES["rater"]}
    forms = {*RATERS} & {*seen.headers} or any(map(GRID.match, seen.headers))
    return all(map(SHEET_TIME.match, times)) and bool(forms) and not ratings


def read(path: Path, options: ReadOptions) -> Export:
    """Read all answers. Errors: ReadError where it is not certain which columns are items."""
    records = read_records(path)
    rows = list(records.rows)
    headers = list(dict.fromkeys(key for _, record in rows for key in record))
    rater = next((name for name in RATERS if name in headers), None)
    free = [name for name in headers if name and name not in (TIMESTAMP, *RATERS, "Score")]
    items = mapped_labels(headers, options.columns, path.name)
    items = items or _items(path, free, {name: _labels(rows, name) for name in free})
    votes = RecordVotes()
    month_first = _month_first([text(record.get(TIMESTAMP)) or "" for _, record in rows])
    for row, record in rows:
        by = text(record.get(rater)) if rater else f"respondent {row}"
        _add(votes, row, record, items, by, iso_time(record.get(TIMESTAMP), month_first=month_first))
    others = [name for name in free if name not in items]
    notes = [f"Read as items: columns {listed(items, 20)}; not used: {listed(others, 20)}."]
    if month_first is None and any(SHEET_TIME.match(text(record.get(TIMESTAMP)) or "") for _, record in rows):
        notes.append(UNCLEAR)
    if rater is None:
        notes.append("The form kept no e-mail addresses, so each response counts as a different rater.")
    return votes.export("google_forms", records, notes)


def _month_first(times: Sequence[str]) -> bool | None:
    """Tell whether a sheet writes the month before the day, None if nothing tells."""
    matches = [match for time in times if (match := SHEET_TIME.match(time))]
    second, first = any(int(match[2]) > 12 for match in matches), any(int(match[1]) > 12 for match in matches)
    return second if second != first else None


def iso_time(value: object, *, month_first: bool | None = None) -> str | None:
    """Convert `2024/05/01 1:00:00 PM GMT+2` to ISO 8601 with its offset. Other text stays unchanged.

    A sheet's `5/1/2024 13:00:00` is null if nothing tells the month from the day.

    >>> iso_time("2024/05/01 1:00:00 PM GMT+2"), iso_time("soon")
    ('2024-05-01T13:00:00+02:00', 'soon')
    >>> iso_time("5/1/2024 13:00:00", month_first=True), iso_time("5/1/2024 13:00:00")
    ('2024-05-01T13:00:00', None)
    """
    written = text(value)
    if sheet := SHEET_TIME.match(written or ""):
        first, second, *rest = (f"{int(number):02}" for number in sheet.groups())
        date = f"{rest[0]}-{first}-{second}" if month_first else f"{rest[0]}-{second}-{first}"
        return None if month_first is None else f"{date}T{':'.join(rest[1:])}"
    match = TIME.match(written) if written else None
    if not match:
        return written
    year, month, day, hour, minute, second, half, sign, hours, minutes = match.groups()
    clock = int(hour) % 12 + (12 if half == "PM" else 0)
    offset = f"{sign or '+'}{int(hours or 0):02}:{minutes or '00'}"
    return f"{year}-{int(month):02}-{int(day):02}T{clock:02}:{minute}:{second}{offset}"


def _labels(rows: Sequence[tuple[int, Record]], name: str) -> frozenset[str]:
    """Return the labels of a column, none if they are too many or too long to be labels."""
    labels = {label for _, record in rows if (label := tidy_label(record.get(name))) is not None}
    label_like = len(labels) <= MAX_LABELS and all(len(label) <= MAX_LABEL_LENGTH for label in labels)
    return frozenset(labels) if label_like else frozenset()


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
    raise ReadError.of(
        path,
        f"holds answers of a Google Form, and {what}.",
        "Name the columns that are items of one question: --format google_forms --columns 'label=A|B|C'.",
    )


def _groups(free: Sequence[str], labels: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Group the columns whose headers differ by numbers only, or that share at least half of their labels."""
    groups: list[list[str]] = []
    for name in free:
        linked = [group for group in groups if any(_alike(name, other, labels) for other in group)]
        groups = [group for group in groups if group not in linked] + [[*(o for g in linked for o in g), name]]
    return [sorted(group, key=free.index) for group in groups]


def _alike(first: str, second: str, labels: Mapping[str, frozenset[str]]) -> bool:
    if not labels[first] or not labels[second]:
        return False
    pattern, same = re.sub(r"\d+", "#", first), re.sub(r"\d+", "#", second)
    n_common = len(labels[first] & labels[second])
    return (pattern == same and "#" in pattern) or (
        n_common > 0 and 2 * n_common >= len(labels[first] | labels[second])
    )


def _add(
    votes: RecordVotes, row: int, record: Record, items: Sequence[str], rater: str | None, rated_at: str | None
) -> None:
    n_before = len(votes.rows)
    for name in items:
        grid = GRID.match(name)
        label = tidy_label(record.get(name))
        if label is not None:
            question, item = (grid[1], grid[2]) if grid else (None, name)
            votes.add(row, question, item, rater, label, rated_at=rated_at)
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
