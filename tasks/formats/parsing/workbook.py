"""Read Excel workbooks: the first sheet with data that is not hidden, as text. A formula has the value saved with it.

A cell far outside the data makes the sheet reader reserve memory for all cells before it, which may end the process. So
the parts of a workbook are checked first.
"""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from tasks.errors import ReadError, UnknownFormatError
from tasks.formats.parsing.limits import check_columns, limits, raise_it, size
from tasks.formats.parsing.system_errors import DAMAGED, system_error

OLD = b"\xd0\xcf\x11\xe0"  # .xls, and other old documents
ZIP = b"PK\x03\x04"
CELL = 64  # bytes that a cell, also a blank one, takes while it is read
CHUNK = 1 << 20
OVERLAP = 64
PLACE = re.compile(rb"""\br\s*=\s*["']([A-Za-z]{0,3})(\d{1,7})["']""")


def is_workbook(path: Path, head: bytes) -> bool:
    """Check whether the file is an Excel workbook: .xlsx, .xlsm by its parts, .xls by its first bytes."""
    if head.startswith(OLD):
        return True
    if not head.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except DAMAGED as e:
        if system_error(e) is not None:
            raise  # what it is shows another time
        return False


def sheet(path: Path, *, header: bool = True) -> tuple[tuple[str, ...], pl.DataFrame, tuple[str, ...]]:
    """Return headers, the frame (c0, c1, ..., row_number) and warnings of the first sheet with data that is not hidden.

    The first row that is not blank is the header; without `header` it is data, and the columns are numbered from 1.
    row_number is the sheet's. Blank rows are left out. Of merged cells the first has the value.
    Errors: ReadError if the workbook is damaged, encrypted, too large or empty.
    """
    _check(path)
    cells, name, names = _first_with_data(path)
    filled = cells.filter(pl.any_horizontal(pl.exclude("row_number").is_not_null()))
    first, rows = filled.drop("row_number").row(0), filled[1:] if header else filled
    width = max(i for i, column in enumerate(filled.columns[:-1]) if filled[column].null_count() < filled.height) + 1
    check_columns(path, width, row=1)
    others = [other for other in names if other != name]
    warnings = (f"Of the workbook, sheet {name!r} was read; not read: {_listed(others)}.",) if others else ()
    names_of_columns = (text or "" if header else str(i + 1) for i, text in enumerate(first[:width]))
    return tuple(names_of_columns), rows.select(*filled.columns[:width], "row_number"), warnings


def other_sheets(path: Path) -> str:
    """Return a sentence that says which sheet of a workbook is read, and which are not; '' where it has one, and where
    the path is no file, as that of a dataset.
    """
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        if not is_workbook(path, file.read(4)):
            return ""
    _, name, names = _first_with_data(path)
    others = [other for other in names if other != name]
    if not others:
        return ""
    return (
        f"Only sheet {name!r} was read, the first with data; not read: {_listed(others)}. If the ratings are there, "
        "put them into the first sheet, or save each sheet as a separate file."
    )


def _check(path: Path) -> None:
    """Raise ReadError where what comes out of the parts, or the sheets they describe, would not fit into memory."""
    with path.open("rb") as file:
        if file.read(4) != ZIP:
            return  # a sheet of .xls has 65,536 rows and 256 columns at most
    most = limits().max_unpacked_size
    n_bytes, n_rows, n_columns = 0, 1, 1
    try:
        for chunk in _chunks(path):
            n_bytes += len(chunk) - OVERLAP
            for letters, row in PLACE.findall(chunk):
                n_rows, n_columns = max(n_rows, int(row)), max(n_columns, _number(letters))
            if n_bytes > most or n_rows * n_columns * CELL > most:
                break
    except DAMAGED as e:
        raise _damaged(path, e) from e
    if n_bytes > most:
        raise ReadError.of(path, f"unpacks to more than {size(most)}.", raise_it("max_unpacked_size"))
    if n_rows * n_columns * CELL > most:
        raise ReadError.of(
            path,
            f"has a sheet of {n_rows:,} rows and {n_columns:,} columns, more than {size(most)}.",
            f"Delete the rows and columns after the last filled cell, or save the sheet as CSV (UTF-8). "
            f"{raise_it('max_unpacked_size')}",
        )


def _chunks(path: Path) -> Iterator[bytes]:
    """Iterate over the content of the parts. Each piece begins with the end of the one before it."""
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            with archive.open(info) as part:
                end = b" " * OVERLAP
                while data := part.read(CHUNK):
                    yield end + data
                    end = (end + data)[-OVERLAP:]


def _number(letters: bytes) -> int:
    """Return the number of a column: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _first_with_data(path: Path) -> tuple[pl.DataFrame, str, list[str]]:
    """Return the cells and the name of the first sheet with data that is not hidden, and the names of all.

    If only hidden sheets have data, the first of them is read.
    """
    import fastexcel  # half a tenth of a second, which few files need

    hidden = None
    try:
        book = fastexcel.read_excel(str(path))
        for name in book.sheet_names:
            loaded = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
            if loaded.visible != "visible" and hidden is not None:
                continue
            sheet = loaded.to_polars()
            cells = sheet.rename({column: f"c{i}" for i, column in enumerate(sheet.columns)})
            cells = cells.select(pl.col(pl.String).str.strip_chars().replace("", None))
            if any(cells[column].null_count() < cells.height for column in cells.columns):
                numbered = cells.with_columns(row_number=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
                if loaded.visible == "visible":
                    return numbered, name, book.sheet_names
                hidden = numbered, name, book.sheet_names
    except BaseException as e:
        # A panic of the library is no Exception, and has a class of its own in each.
        if isinstance(e, Exception) or type(e).__name__ == "PanicException":
            raise _damaged(path, e) from e
        raise
    if hidden is not None:
        return hidden
    raise ReadError.of(path, "is an Excel workbook with nothing in its sheets.", "Export it again.")


def _damaged(path: Path, error: BaseException) -> ReadError:
    cause = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return UnknownFormatError(
        f"{path.name} cannot be read as an Excel workbook: {cause[:200]}.",
        "If it has a password, remove it; else save the sheet as CSV (UTF-8).",
        file=str(path),
    )


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name[:40]) for name in names[:10]) + (" and others" if len(names) > 10 else "")
