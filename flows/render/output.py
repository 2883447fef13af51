"""What every command prints with: one JSON value, aligned tables, notes. Colour says what needs attention."""

import json
import math
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
HOW_READ = "Read as "  # so begins what a reader says of its choice
NARROW = 30  # characters of a cell that stay on one line, whatever the width of the terminal


def print_json(value: object) -> None:
    """One JSON value on stdout; what JSON has no number for (a query may divide by zero) is null."""
    print(json.dumps(_finite(value), indent=2, ensure_ascii=False, allow_nan=False, default=_plain))


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
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 1))
    needed = 0
    for name, header in shown.items():
        number = any(isinstance(row.get(name), int | float) for row in rows)
        width = max(len(header), *(len(cell(row.get(name))) for row in rows))
        needed += min(width, NARROW) + 2
        table.add_column(
            header,
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


def said(text: str, of: str = "") -> None:
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
    return json.dumps(value.to_list() if isinstance(value, pl.Series) else value, ensure_ascii=False, default=_plain)


def print_csv(frame: pl.DataFrame) -> None:
    """CSV that a spreadsheet shows and never runs: a text that begins like a formula gets an apostrophe before it."""
    text = pl.col(pl.String)
    names = {name: f"'{name}" if name.startswith(tuple("=+-@")) else name for name in frame.columns}
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    flat = frame.with_columns(pl.col(name).map_elements(_nested_text, pl.String) for name in nested)
    formula = text.str.contains(r"^[=+\-@\t\r]")
    safe = flat.with_columns(pl.when(formula).then(pl.lit("'") + text).otherwise(text).name.keep())
    sys.stdout.write(safe.rename(names).write_csv())
