"""What every command prints with: one JSON value, aligned tables, notes. Colour says what needs attention."""

import io
import json
import logging
import math
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time

import polars as pl
from rich.console import Console
from rich.table import Table
from rich.text import Text

console = Console(highlight=False)
Row = Mapping[str, object]
UNDEFINED = "—"
HOW_READ = ("Read as ", "Columns taken: ")  # so begins what a reader says of its choice
NARROW = 30  # characters of a cell that stay on one line, whatever the width of the terminal
# What steers a terminal or turns the order of its letters: control characters but for tab and line ends, overrides of
# the direction of writing; and halves of characters, which no terminal takes.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")
CONTROL_ANYWHERE = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u{202a}-\u{202e}\u{2066}-\u{2069}]"  # a first look, for polars
UNSAFE_JSON = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")  # json escapes those below a space
# A spreadsheet takes a text that begins so for a formula. Without a letter, a quote or a bar it can name no cell, no
# function and no program: numbers and signs alone (-1, +1e5, -2+3, -) are data and stay as they are.
FORMULA = r"^[=+\-@\t\r]"
NUMBERS = r"^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)+$|^[+-]+$"


def print_json(value: object) -> None:
    """One JSON value on stdout; what JSON has no number for (a query may divide by zero) is null."""
    ascii_only = not sys.stdout.encoding.lower().startswith("utf")
    print(_json_text(_finite(value), indent=2, ascii_only=ascii_only))


def print_table(
    rows: Sequence[Row],
    *,
    title: str | None = None,
    headers: Mapping[str, str] | None = None,
    warn: str | None = None,
) -> None:
    """Rows as an aligned table; a column that is empty throughout is left out.

    `headers` picks and names the columns, `warn` is a column whose text is a warning. Rows without a figure are dim.
    """
    named = headers or {name: name for name in (rows[0] if rows else ())}
    shown = {name: header for name, header in named.items() if any(row.get(name) is not None for row in rows)}
    if not shown:
        return
    above = None if title is None else Text(clean(title))
    table = Table(title=above, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 1))
    needed = 0
    for name, header in shown.items():
        number = any(isinstance(row.get(name), int | float) for row in rows)
        width = max(len(header), *(len(cell(row.get(name))) for row in rows))
        needed += min(width, NARROW) + 2
        table.add_column(
            Text(clean(header)),
            justify="right" if number else "left",
            header_style="dim",
            overflow="fold",
            min_width=min(width, NARROW),
        )
    for row in rows:
        style = "dim" if row.get("estimate", 0) is None or row.get("accuracy", 0) is None else ""
        cells = (Text(cell(row.get(name)), style="yellow" if name == warn else "") for name in shown)
        table.add_row(*cells, style=style)
    # A figure is never cut to fit: a table that needs more room than the terminal has is printed in full.
    console.print()
    console.print(table, width=max(console.width, needed), crop=False)


def note(text: str, style: str = "yellow") -> None:
    """A sentence under a table, wrapped as the terminal is wide."""
    console.print(Text("· " + clean(text), style=style))


def line(text: str) -> None:
    """A line of text to copy, such as a path: as it is, however wide the terminal, but for what would steer it."""
    console.print(Text(CONTROL.sub("�", text)), soft_wrap=True)


def print_notes(text: str, of: str = "") -> None:
    """A sentence of a reader about a file: how it was read is a note, all else a warning."""
    note(f"{of}{text}", style="dim" if text.startswith(HOW_READ) else "yellow")


def heading(text: str) -> None:
    console.print()
    console.print(Text(clean(text), style="bold"))


def cell(value: object) -> str:
    """A value as a person reads it: 3 decimals and no -0, thousands with commas, a dash where undefined.

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
    """'0.012', and '<0.001' for what three decimals do not show.

    >>> p_value(0.01234), p_value(0.00001)
    ('0.012', '<0.001')
    """
    if value is None:
        return None
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def interval(low: float | None, high: float | None) -> str:
    """'[0.123, 0.456]', or a dash.

    >>> interval(0.12345, 1.0), interval(-0.0001, 0.5)
    ('[0.123, 1.000]', '[0.000, 0.500]')
    """
    return UNDEFINED if low is None or high is None else f"[{low:z.3f}, {high:z.3f}]"


def clean(text: str) -> str:
    """Hostile text on a terminal: no escape sequence of a label may move the cursor or recolour the screen.

    >>> clean("a\\x1b[31mb\\u202e")
    'a�[31mb�'
    """
    return "".join(char if char.isprintable() or char == "\n" else "�" for char in text)


def clean_log() -> None:
    """Let the project's log say nothing that steers a terminal: file names and labels stand in it."""
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
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return value


def _nested_text(value: object) -> str:
    return _json_text(_finite(value.to_list() if isinstance(value, pl.Series) else value))


def _json_text(value: object, indent: int | None = None, *, ascii_only: bool = False) -> str:
    """JSON in which letters are themselves, and characters that could steer a terminal are escaped: none is lost."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=False, default=_plain)
    return UNSAFE_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_csv(frame: pl.DataFrame) -> None:
    """CSV that a spreadsheet shows and never runs: what it would take for a formula gets an apostrophe before it.

    A text that is a number stays as it is: -1 is a label. CSV cannot escape: what would steer a terminal becomes �.
    """
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    flat = frame.with_columns(pl.col(name).map_elements(_nested_text, pl.String) for name in nested)
    names = pl.DataFrame({"name": frame.columns}, schema={"name": pl.String})
    header = pl.DataFrame([_safe(names["name"]).to_list()], schema=[str(i) for i in range(frame.width)], orient="row")
    rows = flat.select(_safe(column) for column in flat)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # as a file of data: whatever the terminal can show
    sys.stdout.write(header.write_csv(include_header=False) + rows.write_csv(include_header=False))


def _safe(column: pl.Series) -> pl.Series:
    """A column of text without control characters and formulas; any other as it is."""
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return column
    text = column.cast(pl.String)
    formula = text.str.contains(FORMULA) & ~text.str.contains(NUMBERS)
    if text.str.contains(CONTROL_ANYWHERE).any():
        text = text.map_elements(lambda value: CONTROL.sub("\ufffd", value), pl.String)
    return pl.select(pl.when(formula).then(pl.lit("'") + text).otherwise(text)).to_series().alias(column.name)
