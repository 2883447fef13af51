"""Functions that print for all commands: one JSON value, aligned tables, notes. Colour marks what needs attention."""

import io
import logging
import os
import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from flows.cli.command_hints import with_project
from tasks.export.json_text import json_text
from tasks.export.table_files import CONTROL, table_bytes

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod


class _LazyConsole:
    """The console of stdout. Rich is imported when something is printed: `--json` does not wait for it."""

    def __getattr__(self, name: str) -> Any:
        if "_console" not in self.__dict__:
            from rich.console import Console

            self._console = Console(highlight=False)
        return getattr(self._console, name)


console = cast("Console", _LazyConsole())
Row = Mapping[str, object]
UNDEFINED = "—"
READER_CHOICES = ("Read as ", "Columns used: ")  # beginnings of notes on how a reader read a file
GAP = 2  # characters between two columns
MAX_NAMED = 3  # questions in a note
MIN_FOLDED = 8  # characters of a text column on a terminal that is too narrow for it
MAX_UNWRAPPED = 30  # characters of a cell that stay on one line even on a narrow terminal
MANY_ROWS, MAX_PADDED = 500, 100  # rows of a long table; characters to which its cells are padded
# Headers that differ from the name of their column.
HEADERS = {
    "n_items": "items",
    "n_ratings": "ratings",
    "n_raters": "raters",
    "n_gold": "gold",
    "p_value": "p",
    "outer": "outer interval",
    "opened_at": "opened (UTC)",
    "n_open_alerts": "alerts",
    "reason": "why not",
}


def print_json(value: object) -> None:
    """Print one JSON value on stdout. Infinity and NaN, which JSON does not have, become null."""
    ascii_only = not sys.stdout.encoding.lower().startswith("utf")
    print(json_text(value, indent=2, ascii_only=ascii_only))


def headers_of(names: str, **others: str) -> dict[str, str]:
    """Return the header of each of these columns: that of `others`, else that of HEADERS, else its own name.

    >>> headers_of("system rater_kind estimate n_items", estimate="share of items")
    {'system': 'system', 'rater_kind': 'rater kind', 'estimate': 'share of items', 'n_items': 'items'}
    """
    return {name: others.get(name, HEADERS.get(name, name.replace("_", " "))) for name in names.split()}


def print_table(
    rows: Sequence[Row],
    *,
    title: str | None = None,
    headers: Mapping[str, str] | None = None,
    warn: str | None = None,
) -> None:
    """Print rows as an aligned table, without the columns that are empty or undefined in all rows.

    `headers` selects and names the columns. The text of the column `warn` is a warning. Rows without a figure are dim.
    A table that is wider than the terminal is printed in parts, one below the other. Each begins with the same columns.
    """
    columns = headers or {name: name for name in (rows[0] if rows else ())}
    empty = (None, UNDEFINED)
    shown = {name: header for name, header in columns.items() if any(row.get(name) not in empty for row in rows)}
    if not shown:
        return
    widths = {
        name: min(MAX_UNWRAPPED, max(len(header), *(len(cell(row.get(name))) for row in rows)))
        for name, header in shown.items()
    }
    numbers = {name for name in shown if any(isinstance(row.get(name), int | float) for row in rows)}
    for number, names in enumerate(_column_groups(widths, numbers)):
        title_here = title if number == 0 else None
        if len(rows) > MANY_ROWS:
            _print_long_part(rows, {name: shown[name] for name in names}, numbers, title_here)
        else:
            columns_here = {name: (shown[name], widths[name]) for name in names}
            _print_part(rows, columns_here, numbers, title=title_here, warn=warn)


def _column_groups(widths: Mapping[str, int], numbers: Collection[str]) -> list[list[str]]:
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
    groups, width = [list(keys)], width_of_keys
    for name in names[len(keys) :]:
        if width + widths[name] + GAP > limit and groups[-1] != keys:
            groups.append(list(keys))
            width = width_of_keys
        groups[-1].append(name)
        width += widths[name] + GAP
    return groups


def _print_part(
    rows: Sequence[Row],
    columns: Mapping[str, tuple[str, int]],
    numbers: Collection[str],
    *,
    title: str | None,
    warn: str | None,
) -> None:
    """Print the columns, each with its header and width."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=None if title is None else Text(clean(title)),
        title_justify="left", title_style="bold", box=None, pad_edge=False, padding=(0, 1),
    )  # fmt: skip
    fitted = _fitted_widths(columns, numbers) if _is_narrow(columns) else {}
    for name, (header, width) in columns.items():
        justify: JustifyMethod = "right" if name in numbers else "left"
        table.add_column(
            Text(clean(header)), justify=justify, header_style="dim", overflow="fold", width=fitted.get(name),
            min_width=None if fitted else width,
        )  # fmt: skip
    for row in rows:
        style = "dim" if row.get("estimate", 0) is None or row.get("accuracy", 0) is None else ""
        cells = (Text(cell(row.get(name)), style="yellow" if name == warn else "") for name in columns)
        table.add_row(*cells, style=style)
    # A figure is never cut: a table that is wider than the terminal even so is printed in full.
    min_width = 0 if _is_narrow(columns) else sum(width + GAP for _, width in columns.values())
    console.print()
    console.print(table, width=max(console.width, min_width), crop=False)


def _print_long_part(
    rows: Sequence[Row], columns: Mapping[str, str], numbers: Collection[str], title: str | None
) -> None:
    """Print what `_print_part` prints, without colours, and without folding long texts: Rich takes 2 ms a row."""
    from rich.cells import cell_len

    texts = {name: [clean(header), *(cell(row.get(name)) for row in rows)] for name, header in columns.items()}
    padded = []
    for name, values in texts.items():
        lengths = [cell_len(text) for text in values]
        width = min(max(lengths), MAX_PADDED)
        spaces = [" " * (width - length) for length in lengths]
        padded.append(
            [blank + text if name in numbers else text + blank for text, blank in zip(values, spaces, strict=True)]
        )
    lines = [(" " * GAP).join(line).rstrip() for line in zip(*padded, strict=True)]
    console.print()
    console.out("\n".join(([] if title is None else [clean(title)]) + lines), highlight=False)


def _fitted_widths(columns: Mapping[str, tuple[str, int]], numbers: Collection[str]) -> dict[str, int]:
    """Return the widths of columns that cannot stand side by side, so that they fit the terminal.

    Text folds into less, the widest column first. The words of its header stay whole where there is room for them.
    """
    widths = {name: width for name, (_, width) in columns.items()}
    for keeps_words in (True, False):
        words = {name: max(map(len, header.split()), default=0) for name, (header, _) in columns.items()}
        least = {name: max(words[name] if keeps_words else 0, MIN_FOLDED) for name in columns if name not in numbers}
        while sum(widths.values()) + GAP * (len(widths) - 1) > console.width:
            foldable = [name for name, width in least.items() if widths[name] > width]
            if not foldable:
                break
            widths[max(foldable, key=lambda name: widths[name])] -= 1
    return widths


def _is_narrow(columns: Mapping[str, tuple[str, int]]) -> bool:
    """Return whether the columns cannot stand side by side on a terminal this wide."""
    is_limited = console.is_terminal or "COLUMNS" in os.environ
    return is_limited and sum(width + GAP for _, width in columns.values()) > console.width


def note(text: str, style: str = "yellow") -> None:
    """Print a sentence under a table, wrapped at the width of the terminal."""
    from rich.text import Text

    console.print(Text("· " + one_line(with_project(text)), style=style))


def line(text: str) -> None:
    """Print text that people copy, such as a path: never wrapped, with control characters replaced."""
    from rich.text import Text

    console.print(Text(CONTROL.sub("�", with_project(text))), soft_wrap=True)


def print_notes(text: str, prefix: str = "") -> None:
    """Print a sentence of a reader about a file: dim if it says how the file was read, else as a warning."""
    note(f"{prefix}{text}", style="dim" if text.startswith(READER_CHOICES) else "yellow")


def heading(text: str) -> None:
    """Print an empty line and a bold heading."""
    from rich.text import Text

    console.print()
    console.print(Text(one_line(text), style="bold"))


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


def probability(value: float | None) -> float | str | None:
    """Return a probability as it is, for a table, but an extreme one as '<0.001' or '>0.999': nothing is certain.

    >>> probability(0.9991), probability(0.00001), probability(0.98)
    ('>0.999', '<0.001', 0.98)
    """
    if value is None or 0.001 <= value <= 0.999:
        return value
    return "<0.001" if value < 0.001 else ">0.999"


def note_no_width(rows: Sequence[Mapping[str, Any]]) -> None:
    """Note the questions whose interval of agreement has no width: [1, 1] from two items is no certainty."""
    names = list(dict.fromkeys(row["question"] for row in rows if row["low"] is not None and row["low"] == row["high"]))
    if names:
        more = f" and {len(names) - MAX_NAMED:,} more" if len(names) > MAX_NAMED else ""
        note(
            f"{', '.join(names[:MAX_NAMED])}{more}: agreement is the same on all items, so the interval has no width."
            " That does not make it certain: states and alerts rest on what so few items prove."
        )


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


def one_line(text: str) -> str:
    """Replace line breaks, too, in what is one line: a file name may have them.

    >>> one_line("1/2 a\\nb.csv")
    '1/2 a�b.csv'
    """
    return clean(text).replace("\n", "�")


def clean_log() -> None:
    """Replace control characters in the project's log, which contains file names and labels."""
    log = logging.getLogger("kappaflow")
    if _clean_record not in log.filters:
        log.addFilter(_clean_record)


def _clean_record(record: logging.LogRecord) -> bool:
    record.msg, record.args = one_line(record.getMessage()), None
    return True


def print_bytes(content: bytes) -> None:
    """Print a file on stdout as it is: it is data, in UTF-8 on every terminal."""
    sys.stdout.flush()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.buffer.write(content)
    else:
        sys.stdout.write(content.decode())


def print_csv(frame: pl.DataFrame) -> None:
    """Print CSV that a spreadsheet never runs: a text that looks like a formula gets an apostrophe in front.

    A text that is a number stays as it is: -1 is a label. CSV has no escapes, so control characters become �.
    """
    print_bytes(table_bytes(frame, "csv"))
