"""Read separated text into columns of text, exactly: no row is silently padded, merged or dropped.

polars reads a well-formed file fast, but pads a short row. So its result counts only if the separators and line ends of
the file add up to what the rows need. They do not if a row is short. Else Python's csv module reads the file row by
row. Rows that are ragged, badly quoted or no UTF-8 become rejects.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import polars as pl

from schemas.rating_columns import MAX_VALUE_LENGTH
from tasks.counted_words import counted
from tasks.errors import ReadError
from tasks.formats.parsing.limits import limits, long_cell
from tasks.formats.parsing.reject_rows import Reject
from tasks.formats.parsing.tools.mturk_columns import n_to_fill_in

csv.field_size_limit(2**31 - 1)  # Python's own limit, 128 KB a cell, is below a long document

NOT_UTF8 = "The row is not UTF-8."
SMALL = 1 << 20
Columns = tuple[tuple[str, ...], pl.DataFrame, list[Reject], list[str]]


def csv_columns(data: bytes, delimiter: str, path: Path) -> Columns:
    """Return headers, the frame (c0, c1, ..., row_number), rejects and warnings of a separated file in UTF-8.

    row_number counts as a spreadsheet does: the header is row 1, a blank line is a row, a cell may span lines. Errors:
    ReadError if the header cannot be read.
    """
    headers = _headers(data, delimiter, path)
    frame = _fast(data, delimiter, headers)
    if frame is None:
        return (headers, *_exact(data, delimiter, headers))
    return headers, frame, [], []


def _headers(data: bytes, delimiter: str, path: Path) -> tuple[str, ...]:
    try:
        lines = io.StringIO(data[: 1 << 20].decode("utf-8", "surrogateescape"), newline="")
        headers = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
        "".join(headers).encode()
    except (csv.Error, UnicodeEncodeError) as e:
        cause = "it is not UTF-8" if isinstance(e, UnicodeEncodeError) else e
        raise ReadError(
            f"The header of {path.name} cannot be read: {cause}.",
            "Save the file as CSV in UTF-8 with one header row.",
            file=str(path),
            row=1,
        ) from e
    if not headers:
        raise ReadError.of(path, "begins with a blank line.", "The first line must be the header.", row=1)
    return tuple(headers)


def _fast(data: bytes, delimiter: str, headers: Sequence[str]) -> pl.DataFrame | None:
    """Read by polars. Return None unless the result is proved to be exact."""
    if b"\0" in data or not _whole_line_ends(data) or not _well_quoted(data, delimiter):
        return None
    if not _begins_well(data, delimiter, len(headers)):
        return None
    if data.endswith((b"\n\n", b"\n\r\n")) or not data.endswith(b"\n"):
        data = data.rstrip(b"\r\n") + b"\n"  # without it polars takes a last row with a blank cell too many
    schema = {f"c{i}": pl.String for i in range(len(headers))}
    try:
        frame = pl.read_csv(
            data,
            has_header=False,
            skip_rows=1,
            schema=schema,
            separator=delimiter,
            empty_string_is_null=False,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    if not _adds_up(data, delimiter, headers, frame) or _has_long_cell(data, frame):
        return None
    # In one piece: with row numbers in one piece and texts in many, each filter would copy all texts.
    return frame.rechunk().with_columns(row_number=pl.int_range(2, frame.height + 2, dtype=pl.Int64))


def _whole_line_ends(data: bytes) -> bool:
    """Check whether each carriage return belongs to a line end."""
    return b"\r" not in data or data.count(b"\r") == data.count(b"\r\n")


def _begins_well(data: bytes, delimiter: str, width: int) -> bool:
    """Check whether the row after the header has its width.

    For each extra cell there polars would use half a kilobyte.
    """
    try:
        rows = csv.reader(io.StringIO(data[: 1 << 20].decode("utf-8", "replace"), newline=""), delimiter=delimiter)
        next(rows, None)
        return len(next(rows, None) or range(width)) == width
    except csv.Error:
        return False


def _has_long_cell(data: bytes, frame: pl.DataFrame) -> bool:
    most = limits().max_cell_length
    if len(data) <= most:
        return False
    # a text has no more characters than bytes, which need not be counted
    long = [
        name
        for name, length in frame.select(pl.all().str.len_bytes().max()).row(0, named=True).items()
        if (length or 0) > most
    ]
    return any(length > most for length in frame.select(pl.col(long).str.len_chars().max()).row(0)) if long else False


def _well_quoted(data: bytes, delimiter: str) -> bool:
    """Check whether each quote has its place. polars also reads other files, but wrongly.

    The first quote opens a cell, the next one closes it, and so on. A quote that opens stands after a separator, a line
    end or (a doubled quote) the one that closed.
    """
    if b'"' not in data:
        return True
    import numpy as np  # a tenth of a second, which few files need

    quotes = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord('"'))
    if len(quotes) % 2:
        return False
    text = np.frombuffer(b"\n" + data + b"\n", dtype=np.uint8)  # so that text[i] precedes data[i], text[i + 2] follows
    opening, closing = quotes[::2], quotes[1::2]
    doubled = closing[:-1] + 1 == opening[1:]
    opens = np.isin(text[opening], [ord(delimiter), ord("\n")])
    closes = np.isin(text[closing + 2], [ord(delimiter), ord("\n"), ord("\r")])
    return bool(opens[:1].all() and (opens[1:] | doubled).all() and (closes[:-1] | doubled).all() and closes[-1:].all())


def _adds_up(data: bytes, delimiter: str, headers: Sequence[str], frame: pl.DataFrame) -> bool:
    """Check whether the separators and line ends outside of cells are as many as full rows have."""
    n_rows = frame.height + 1
    with ThreadPoolExecutor() as pool:  # a large file is gone through once for each
        separators, line_ends = pool.map(lambda mark: _count(data, mark), (delimiter, "\n"))
    separators -= _within(data, delimiter, headers, frame)
    line_ends -= _within(data, "\n", headers, frame)
    return separators == n_rows * (len(headers) - 1) and line_ends == n_rows


def _count(data: bytes, mark: str) -> int:
    """Count as bytes.count does, in half the time, and without Python's lock."""
    if len(data) < SMALL:
        return data.count(mark.encode())
    import numpy as np  # a tenth of a second, which a small file would feel

    text = np.frombuffer(data, dtype=np.uint8)
    return sum(int(np.count_nonzero(text[i : i + SMALL] == ord(mark))) for i in range(0, len(text), SMALL))


def _within(data: bytes, mark: str, headers: Sequence[str], frame: pl.DataFrame) -> int:
    if b'"' not in data:
        return 0
    counts = frame.select(pl.all().str.count_matches(mark, literal=True).sum())
    return sum(header.count(mark) for header in headers) + sum(int(n or 0) for n in counts.row(0))


def _exact(data: bytes, delimiter: str, headers: Sequence[str]) -> tuple[pl.DataFrame, list[Reject], list[str]]:
    """Read by Python's csv module, row by row."""
    width = len(headers)
    n_open = n_to_fill_in(headers)
    rows: list[list[str]] = []
    numbers: list[int] = []
    rejects: list[Reject] = []
    lines = _Lines(list(io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")))
    for number, row in _records(lines, delimiter):
        if isinstance(row, Reject):
            rejects.append(row)
        elif row and number > 1:
            if n_open and len(row) == width - n_open:
                row += [""] * n_open
            fault = _fault(number, row, width, delimiter)
            if fault:
                rejects.append(fault)
            else:
                rows.append(row)
                numbers.append(number)
    frame = pl.DataFrame(
        {f"c{i}": pl.Series([row[i] for row in rows], dtype=pl.String) for i in range(width)}
        | {"row_number": pl.Series(numbers, dtype=pl.Int64)}
    )
    return frame, rejects, _warnings(rejects)


class _Lines:
    """An iterator over lines that can be set back, and counts the lines it returned."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.position = 0
        self.n_read = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if self.position >= len(self.lines):
            raise StopIteration
        self.position += 1
        self.n_read += 1
        return self.lines[self.position - 1]


def _records(source: _Lines, delimiter: str) -> Iterator[tuple[int, list[str] | Reject]]:
    """Iterate over the records with their row numbers.

    A quote that does not close spoils only its own line: reading continues with the next one. That costs no more than a
    second pass, because the next opening quote would have closed the one before.
    """
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    for number in count(1):
        start = source.position
        try:
            row = next(reader, None)
        except csv.Error as e:
            shown = _shown(source.lines[start].rstrip("\r\n"))
            yield number, Reject(number, None, shown, "bad_quotes", f"The row cannot be taken apart: {e}.")
            source.position = start + 1
            continue
        if row is None:
            return
        yield number, row


def _fault(number: int, row: list[str], width: int, delimiter: str) -> Reject | None:
    if len(row) != width:
        detail = f"The row has {counted(len(row), 'cell')}, the header has {width}."
        return Reject(number, None, _shown(delimiter.join(row)), "ragged_row", detail)
    for cell in row:
        if len(cell) > limits().max_cell_length:
            return Reject(number, None, _shown(cell), "cell_too_long", long_cell(len(cell)))
        if not cell.isascii() and any("\udc80" <= c <= "\udcff" for c in cell):
            return Reject(number, None, _shown(delimiter.join(row)), "bad_encoding", NOT_UTF8)
        if "\0" in cell:
            return Reject(number, None, _shown(delimiter.join(row)), "bad_encoding", "The row holds a NUL character.")
    return None


def _shown(text: str) -> str:
    """Show the beginning of a rejected value. Bytes that are no UTF-8 become \\xff, a NUL becomes \\x00."""
    raw = text[: 2 * MAX_VALUE_LENGTH].encode("utf-8", "surrogateescape")
    return raw.decode("utf-8", "backslashreplace").replace("\0", "\\x00")


def _warnings(rejects: Sequence[Reject]) -> list[str]:
    n_bytes = sum(reject.detail == NOT_UTF8 for reject in rejects)  # a row with a NUL may be UTF-8
    if not n_bytes:
        return []
    rejected = f"{counted(n_bytes, 'row was', 'rows were')} rejected as not UTF-8"
    return [
        f"{rejected}: save the file as UTF-8 and ingest it again. Until then raters, items "
        "and labels with letters such as é or ü are missing from every figure."
    ]
