"""Print a table in a format, or write it to a file."""

import sys
from pathlib import Path

import polars as pl

from flows.cli import terminal
from tasks.errors import InputError
from tasks.export.table_files import FORMATS, table_bytes, write_table

BINARY = ("parquet", "xlsx")


def chosen_format(name: str | None, out: Path | None) -> str | None:
    """Return the format that the user names, else the one of the file's ending. None prints a table for people.

    Raises InputError if the format is unknown, if the file's ending is not a format, or if bytes would go to a
    terminal.
    """
    if name is None and out is not None:
        name = out.suffix.lower().removeprefix(".") or "none"
        if name not in FORMATS:
            raise InputError(f"The ending of {out} is not a format.", f"Add --format with one of {', '.join(FORMATS)}.")
    if name is not None and name not in FORMATS:
        raise InputError(f"--format {name!r} is unknown.", f"Use one of {', '.join(FORMATS)}.")
    if name in BINARY and out is None and sys.stdout.isatty():
        raise InputError(f"A terminal cannot show {name}.", "Add --out FILE, or send the output elsewhere.")
    return name


def print_or_write(frame: pl.DataFrame, file_format: str, out: Path | None) -> None:
    """Print the table on stdout, or write it to a file and say so."""
    if out is None:
        terminal.print_bytes(table_bytes(frame, file_format))
        return
    write_table(frame, out, file_format)
    terminal.line(f"wrote {out}")
