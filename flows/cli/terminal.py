"""Functions that print for all commands: one JSON value, aligned tables, notes. Colour marks what needs attention."""

import io
import json
import logging
import math
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, time

import polars as pl
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from tasks.spreadsheet_text import without_formulas

console = Console(highlight=False)
Row = Mapping[str, object]
UNDEFINED = "—"
READER_CHOICES = ("Read as ", "Columns taken: ")  # beginnings of notes on how a reader read a file
GAP = 2  # characters between two columns
MAX_UNWRAPPED = 30  # characters of a cell that stay on one line even on a narrow terminal
# Characters that control a terminal or reverse its text: control characters except tab and line ends, and overrides of
# the writing direction. Also surrogates (halves of characters), which no terminal can print.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")
CONTROL_FOR_POLARS = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u{202a}-\u{202e}\u{2066}-\u{2069}]"  # a first, fast check
UNSAFE_JSON = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")  # json escapes the ones below a space


def print_json(value: object) -> None:
    """Print one JSON value on stdout. Infinity and NaN, which JSON does not have, become null."""
    ascii_only = not sys.stdout.encoding.lower().startswith("utf")
    print(_json_text(_finite(value), indent=2, ascii_only=ascii_only))


def print_table(
    rows: Sequence[Row],
    *,
    title: str | None = None,
    headers: Mapping[str, str] | None = None,
    warn: str | None = None,
) -> None:
    """Print rows as an aligned table, without the columns that are empty in all rows.

    `headers` selects and names the columns. The text of the column `warn` is a warning. Rows without a figure are dim.
    A table that is wider than the terminal is printed in parts, one below the other. Each begins with the same columns.
    """
    columns = headers or {name: name for name in (rows[0] if rows else ())}
    shown = {name: header for name, header in columns.items() if any(row.get(name) is not None for row in rows)}
    if not shown:
        return
    widths = {
        name: min(MAX_UNWRAPPED, max(len(header), *(len(cell(row.get(name))) for row in rows)))
        for name, header in shown.items()
    }
    numbers = {name for name in shown if any(isinstance(row.get(name), int | float) for row in rows)}
    for number, names in enumerate(_parts(widths, numbers)):
        _print_part(
            rows,
            {name: (shown[name], widths[name]) for name in names},
            numbers,
            title=title if number == 0 else None,
            warn=warn,
        )


def _parts(widths: Mapping[str, int], numbers: Collection[str]) -> list[list[str]]:
    """Split the columns of a table into parts that fit the terminal.

    Each part begins with the first columns that are text and take half of the width at most. Into a pipe a table is
    printed whole, unless the environment variable COLUMNS says how wide it may be.
    """
    names, limit = list(widths), console.width
    is_limited = console.is_terminal or "COLUMNS" in os.environ
    if not is_limited or sum(widths.values()) + GAP * len(names) <= limit:
        return [names]
    keys = names[:1]
    for name in names[1:]:
        if name in numbers or sum(widths[key] + GAP for key in (*keys, name)) > limit / 2:
            break
        keys.append(name)
    width_of_keys = sum(widths[key] + GAP for key in keys)
    parts, width = [list(keys)], width_of_keys
    for name in names[len(keys) :]:
        if width + widths[name] + GAP > limit and parts[-1] != keys:
            parts.append(list(keys))
            width = width_of_keys
        parts[-1].append(name)
        width += widths[name] + GAP
    return parts


def _print_part(
    rows: Sequence[Row],
    columns: Mapping[str, tuple[str, int]],
    numbers: Collection[str],
    *,
    title: str | None,
    warn: str | None,
) -> None:
    """Print the columns, each with its header and width."""
    table = Table(
        title=None if title is None else Text(clean(title)),
        title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 1),
    )  # fmt: skip
    for name, (header, width) in columns.items():
        justify: JustifyMethod = "right" if name in numbers else "left"
        # Text may fold into less, if it stands alone beside the first columns of a narrow terminal.
        least = width if name in numbers or not _is_narrow(columns) else min(width, 8)
        table.add_column(Text(clean(header)), justify=justify, header_style="dim", overflow="fold", min_width=least)
    for row in rows:
        style = "dim" if row.get("estimate", 0) is None or row.get("accuracy", 0) is None else ""
        cells = (Text(cell(row.get(name)), style="yellow" if name == warn else "") for name in columns)
        table.add_row(*cells, style=style)
    # A figure is never cut: a table that is wider than the terminal even so is printed in full.
    min_width = 0 if _is_narrow(columns) else sum(width + GAP for _, width in columns.values())
    console.print()
    console.print(table, width=max(console.width, min_width), crop=False)


def _is_narrow(columns: Mapping[str, tuple[str, int]]) -> bool:
    """Return whether the columns cannot stand side by side on a terminal this wide."""
    is_limited = console.is_terminal or "COLUMNS" in os.environ
    return is_limited and sum(width + GAP for _, width in columns.values()) > console.width


def note(text: str, style: str = "yellow") -> None:
    """Print a sentence under a table, wrapped at the width of the terminal."""
    console.print(Text("· " + clean(text), style=style))


def line(text: str) -> None:
    """Print text that people copy, such as a path: never wrapped, with control characters replaced."""
    console.print(Text(CONTROL.sub("�", text)), soft_wrap=True)


def print_notes(text: str, prefix: str = "") -> None:
    """Print a sentence of a reader about a file: dim if it says how the file was read, else as a warning."""
    note(f"{prefix}{text}", style="dim" if text.startswith(READER_CHOICES) else "yellow")


def heading(text: str) -> None:
    """Print an empty line and a bold heading."""
    console.print()
    console.print(Text(clean(text), style="bold"))


def cell(value: object) -> str:
    """Return a value for people: 3 decimals and no -0, commas between thousands, a dash for an undefined value.

    >>> cell(1234), cell(-0.0001), cell(None)
    ('1,234', '0.000', '—')
    """
    if value is None:
        return UNDEFINED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:z.3f}"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M")
    return clean(str(value))


def p_value(value: float | None) -> str | None:
    """Return a p value as '0.012', or '<0.001' for smaller ones. Return None for an undefined one.

    >>> p_value(0.01234), p_value(0.00001)
    ('0.012', '<0.001')
    """
    if value is None:
        return None
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def interval(low: float | None, high: float | None) -> str:
    """Return an interval as '[0.123, 0.456]', or a dash for an undefined one.

    >>> interval(0.12345, 1.0), interval(-0.0001, 0.5)
    ('[0.123, 1.000]', '[0.000, 0.500]')
    """
    return UNDEFINED if low is None or high is None else f"[{low:z.3f}, {high:z.3f}]"


def clean(text: str) -> str:
    """Replace control characters, so that no label can move the cursor or recolour the screen.

    >>> clean("a\\x1b[31mb\\u202e")
    'a�[31mb�'
    """
    return "".join(char if char.isprintable() or char == "\n" else "�" for char in text)


def clean_log() -> None:
    """Replace control characters in the project's log, which contains file names and labels."""
    log = logging.getLogger("kappaflow")
    if _clean_record not in log.filters:
        log.addFilter(_clean_record)


def _clean_record(record: logging.LogRecord) -> bool:
    record.msg, record.args = clean(record.getMessage()), None
    return True


def _plain(value: object) -> object:
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    return str(value)


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return value


def _nested_text(value: object) -> str:
    return _json_text(_finite(value.to_list() if isinstance(value, pl.Series) else value))


def _json_text(value: object, indent: int | None = None, *, ascii_only: bool = False) -> str:
    """Return JSON with letters as they are and control characters escaped, so that no character is lost."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=False, default=_plain)
    return UNSAFE_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def print_csv(frame: pl.DataFrame) -> None:
    """Print CSV that a spreadsheet never runs: a text that looks like a formula gets an apostrophe in front.

    A text that is a number stays as it is: -1 is a label. CSV has no escapes, so control characters become �.
    """
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    flat = frame.with_columns(pl.col(name).map_elements(_nested_text, pl.String) for name in nested)
    names = pl.DataFrame({"name": frame.columns}, schema={"name": pl.String})
    header = pl.DataFrame([_safe(names["name"]).to_list()], schema=[str(i) for i in range(frame.width)], orient="row")
    rows = flat.select(_safe(column) for column in flat)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # CSV is data: UTF-8 on every terminal
    sys.stdout.write(header.write_csv(include_header=False) + rows.write_csv(include_header=False))


def _safe(column: pl.Series) -> pl.Series:
    """Return a text column without control characters and formulas. Other columns stay as they are."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return column
    text = without_formulas(column.cast(pl.String))
    if text.str.contains(CONTROL_FOR_POLARS).any():
        text = text.map_elements(lambda value: CONTROL.sub("\ufffd", value), pl.String)
    return text
