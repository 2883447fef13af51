"""Look at the beginning of a file and find out its kind from the content, not the name."""

import csv
import io
import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import polars as pl

from tasks.errors import ReadError, UnavailableError, UnknownFormatError
from tasks.formats.columns.column_roles import ALL, listed
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.limits import LimitExceededError, check_columns, excess
from tasks.formats.parsing.parquet_checks import check_parquet
from tasks.formats.parsing.records.json_records import JsonRecords, has_half_escapes, mend
from tasks.formats.parsing.system_errors import check_access, leads_to_itself
from tasks.formats.parsing.text_encoding import decode_start, encoding_of, open_utf8
from tasks.formats.parsing.workbook import is_workbook, sheet

HEAD = 1 << 18  # bytes looked at
SNIFF_XML = 2_000  # characters in which CVAT's first element stands
SAMPLE = 500  # records looked at
NO_LOSS = "Raise the limit if the file is right."
DELIMITERS = (",", "\t", ";", "|")
CONTROLS = (*range(1, 9), *range(14, 26))  # bytes that text does not have, but for NUL: 8 % of random bytes

BINARY = {
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "a gzip file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"%PDF": "a PDF",
    b"SQLite format 3": "a SQLite database",
    b"ARROW1": "an Arrow IPC file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}


NO_FIELDS = "it has no record with fields"


@dataclass(frozen=True)
class FileLook:
    """What the beginning of a file shows.

    `kind` is text (CSV and the like), jsonl, json (one array or object), parquet, excel or xml (of CVAT). A possible
    table has `headers` and a `sample` of records as text. JSON has `shape`, the keys of its first record, each with
    'array', 'object' or 'scalar'. It also has `records_at`: 'item' for records in a list, 'tasks.item' for a list under
    `tasks`, '' for a file that is one record. Without a header (`has_header`) the columns are numbered from 1.
    """

    path: Path
    kind: str
    encoding: str = "utf-8"
    delimiter: str = ","
    headers: tuple[str, ...] = ()
    sample: tuple[tuple[str | None, ...], ...] = ()
    shape: dict[str, str] = field(default_factory=dict)
    records_at: str = ""
    has_header: bool = True

    @property
    def described(self) -> str:
        """Describe the file for a sentence."""
        if self.kind == "text":
            return f"a table with columns {listed(self.headers, ALL)}"
        if self.kind == "json":
            return f"JSON whose first record has {listed(tuple(self.shape), ALL)}" if self.shape else NO_FIELDS
        if not self.headers:
            return NO_FIELDS
        return f"{self.kind} with fields {listed(self.headers, ALL)}"


def look_at_file(path: Path, *, header: bool = True) -> FileLook:
    """Look at a file. Without `header` the first row of text or of a sheet is data.

    Raises ReadError if the file is not text, JSON or Parquet. The error says what it seems to be.
    """
    check_file(path)
    with path.open("rb") as file:
        head = file.read(HEAD)
    if head.startswith(b"PAR1"):
        return _peek_parquet(path)
    if is_workbook(path, head):
        headers, frame, _ = sheet(path, header=header)
        sample = tuple(frame.drop("row_number").head(SAMPLE).rows())
        return FileLook(path, "excel", headers=headers, sample=sample, has_header=header)
    encoding = encoding_of(head)
    _refuse_binary(path, head, encoding)
    text = decode_start(head, encoding)
    start = text.lstrip()[:1]
    if not start:
        raise ReadError.of(path, "holds only white space.", "Export it again.")
    if start == "<" and "<annotations>" in text[:SNIFF_XML]:
        return FileLook(path, "xml", encoding)  # of CVAT
    if start == "<":
        raise UnknownFormatError(
            f"{path.name} is XML or a web page.",
            "Export CSV or JSON. If you got a web page in place of an export, it is often a login page.",
            file=str(path),
        )
    if start == "{" and _is_jsonl(text, len(head) < HEAD):
        return _peek_jsonl(path, encoding, text)
    if start in "[{":
        return _peek_json(path, encoding)
    look = _peek_text(path, encoding, text, len(head) < HEAD)
    if header:
        return look
    sample = (tuple(look.headers), *look.sample) if look.headers else ()
    return replace(look, headers=numbers(len(look.headers)), sample=sample, has_header=False)


def numbers(width: int) -> tuple[str, ...]:
    """Return the names of the columns of a table without a header.

    >>> numbers(3)
    ('1', '2', '3')
    """
    return tuple(str(i + 1) for i in range(width))


def sample_frame(seen: FileLook) -> pl.DataFrame:
    """Return the sample as columns c0, c1, ..., without rows that are not as wide as the header."""
    schema = {f"c{i}": pl.String for i in range(len(seen.headers))}
    return pl.DataFrame([row for row in seen.sample if len(row) == len(schema)], schema=schema, orient="row")


def _refuse_binary(path: Path, head: bytes, encoding: str) -> None:
    for magic, what in BINARY.items():
        if head.startswith(magic):
            raise UnknownFormatError(
                f"{path.name} is {what}, not text.",
                "Unpack it, or save the sheet as CSV (UTF-8), JSON or Parquet.",
                file=str(path),
            )
    controls = sum(head[:4000].count(byte) for byte in CONTROLS)
    if controls > len(head[:4000]) / 20 and not encoding.startswith("utf-16"):
        raise UnknownFormatError(
            f"{path.name} is binary, not text.", "Save it as CSV (UTF-8), JSON or Parquet.", file=str(path)
        )


def _is_jsonl(text: str, whole: bool) -> bool:
    """Check for a record per line. A lone complete record counts, too, unless it is an answer of Label Studio's API."""
    lines = [line for line in text.split("\n") if line.strip()]
    record = _record(lines[0])
    if len(lines) > 1:
        return record is not None or lines[1].startswith("{")
    return whole and record is not None and not {"tasks", "annotations"} & record.keys()


def _record(line: str) -> dict[str, object] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = mend(value) if has_half_escapes(line) else value
    return whole if isinstance(whole, dict) and not excess(whole, line) else None


def _peek_jsonl(path: Path, encoding: str, text: str) -> FileLook:
    records = map(_record, text.split("\n")[:SAMPLE])
    return _with_records(FileLook(path, "jsonl", encoding), [record for record in records if record is not None])


def _peek_json(path: Path, encoding: str) -> FileLook:
    """Return the first record of the array, of the list under `tasks`, or the object that the file is."""
    with open_utf8(path, encoding) as file:
        records = JsonRecords(file)
        try:
            first = next(iter(records), None)
            look = FileLook(path, "json", encoding, shape=_shape(first), records_at=records.at)
            if records.at != "item" or not isinstance(first, dict):
                return look
        except (ValueError, RecursionError) as e:
            raise json_error(path, e) from e
    if "object" in look.shape.values():
        return replace(look, headers=tuple(look.shape))
    return _with_records(look, _first_records(look))


def with_sample(look: FileLook) -> FileLook:
    """Return the look with its first records, also of JSON with objects in its records, which no table format takes."""
    return look if look.sample or look.kind != "json" else _with_records(look, _first_records(look))


def _shape(record: object) -> dict[str, str]:
    if not isinstance(record, dict):
        return {}
    kinds = ((key, type(value)) for key, value in record.items())
    return {key: {"dict": "object", "list": "array"}.get(kind.__name__, "scalar") for key, kind in kinds}


def _first_records(look: FileLook) -> list[dict[str, object]]:
    """Return the first records that are in order. The reader reports what breaks off later."""
    records: list[dict[str, object]] = []
    with open_utf8(look.path, look.encoding) as file, suppress(ValueError, RecursionError):
        for record in islice(JsonRecords(file), SAMPLE):
            if isinstance(record, dict):
                records.append(record)
    return records


def json_error(path: Path, error: Exception) -> ReadError:
    """Return the ReadError for a file that breaks off or is not JSON."""
    if isinstance(error, LimitExceededError):
        return ReadError(f"{path.name}: {error}", f"See [limits] in kappaflow.toml. {NO_LOSS}", file=str(path))
    cause = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    return ReadError.of(path, f"is not valid JSON: {cause}.", "The file may be cut off: export it again.")


def _peek_parquet(path: Path) -> FileLook:
    try:
        check_parquet(path)
        frame = pl.read_parquet(path, n_rows=SAMPLE)
        rows = frame.rows()
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as e:
        raise ReadError.of(path, "is a damaged Parquet file.", "Write it again.") from e
    sample = tuple(tuple(cell_text(cell) for cell in row) for row in rows)
    return FileLook(path, "parquet", headers=tuple(frame.columns), sample=sample)


def _with_records(base: FileLook, records: list[dict[str, object]]) -> FileLook:
    headers = tuple(dict.fromkeys(key for record in records for key in record))
    check_columns(base.path, len(headers))
    sample = tuple(tuple(cell_text(record.get(key)) for key in headers) for record in records)
    return replace(base, headers=headers, sample=sample)


def _peek_text(path: Path, encoding: str, text: str, whole: bool) -> FileLook:
    tables = {delimiter: _sample(text, delimiter, whole) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda d: _rank(tables[d]))
    table = tables[best]
    check_columns(path, len(table[0]) if table else 0, row=1)
    return FileLook(path, "text", encoding, best, tuple(table[0]) if table else (), tuple(map(tuple, table[1:])))


def _sample(text: str, delimiter: str, whole: bool) -> list[list[str]]:
    """Return the first records. The last one may be cut and is left out."""
    records: list[list[str]] = []
    try:
        for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if record:
                records.append(record)
            if len(records) > SAMPLE:
                break
    except csv.Error:
        pass
    return records if whole or len(records) < 2 or len(records) > SAMPLE else records[:-1]


def _rank(table: list[list[str]]) -> tuple[bool, float, int]:
    """Rank how well a delimiter fits: more than one column, rows as wide as the header, many columns."""
    if not table:
        return False, 0.0, 0
    width = len(table[0])
    return width > 1, sum(len(row) == width for row in table) / len(table), width


def check_file(path: Path) -> None:
    """Raise ReadError unless `path` is a regular file with something in it."""
    check_access(path)
    if not path.exists():
        if leads_to_itself(path):
            raise UnavailableError(
                f"{path} is a symbolic link that leads back to itself.", "Point it to a file.", file=str(path)
            )
        raise UnavailableError(f"There is no file {path}.", "Check the path.", file=str(path))
    if path.is_dir():
        raise ReadError(
            f"{path} is a folder, not a file.",
            "Name the files in it, or a folder of Parquet files; `kappaflow ingest` takes folders.",
            file=str(path),
        )
    if not path.is_file():
        raise ReadError(
            f"{path} is a device or a pipe, not a file.", "Save the export as a file first.", file=str(path)
        )
    if path.stat().st_size == 0:
        raise ReadError.of(path, "is empty.", "Export it again.")
