"""Read the objects of a JSON file one after the other: those of JSON lines, or of a JSON array."""

import json
from collections.abc import Iterator
from typing import BinaryIO, cast

from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.file_look import FileLook, json_error
from tasks.formats.parsing.limits import excess
from tasks.formats.parsing.records.json_records import JsonRecords, has_half_escapes, mend
from tasks.formats.parsing.reject_rows import Reject
from tasks.formats.parsing.text_encoding import open_utf8

JsonObject = dict[str, object]
SHOWN = 400  # bytes of a line that is rejected


class JsonObjects:
    """The objects of a file with their numbers: of the line or of the element, from 1.

    Each loop over them reads the file again. After a loop to the end, `rejects` are the lines or elements that are no
    objects, and `warnings` say how many objects held half characters, which became U+FFFD. Iterating raises ReadError
    where an array is not JSON or breaks off.
    """

    def __init__(self, seen: FileLook) -> None:
        self.rejects: tuple[Reject, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self._seen = seen

    def __iter__(self) -> Iterator[tuple[int, JsonObject]]:
        one_pass = _Pass(self._seen)
        yield from one_pass.objects()
        self.rejects, self.warnings = tuple(one_pass.rejects), mended_warning(one_pass.n_mended)


class _Pass:
    """One loop over the file, with its own counts: another loop may begin before this one ends."""

    def __init__(self, seen: FileLook) -> None:
        self.rejects: list[Reject] = []
        self.n_mended = 0
        self._seen = seen

    def objects(self) -> Iterator[tuple[int, JsonObject]]:
        with open_utf8(self._seen.path, self._seen.encoding) as file:
            yield from self._of_lines(file) if self._seen.kind == "jsonl" else self._of_array(file)

    def _of_lines(self, file: BinaryIO) -> Iterator[tuple[int, JsonObject]]:
        """Iterate over lines. Blank ones do not count. They end with a line feed only: other line separators may stand
        within a text."""
        for n, line in enumerate(file, start=1):
            line = line.removesuffix(b"\n")
            if not line or line.isspace():
                continue
            record = _parse_line(n, line)
            if isinstance(record, Reject):
                self.rejects.append(record)
                continue
            if b"\\u" in line and has_half_escapes(line.decode()):  # hardly any line
                whole = cast("JsonObject", mend(record))
                self.n_mended += whole != record
                record = whole
            yield n, record

    def _of_array(self, file: BinaryIO) -> Iterator[tuple[int, JsonObject]]:
        records = JsonRecords(file)
        try:
            for n, record in enumerate(records, start=1):
                if isinstance(record, dict):
                    yield n, record
                else:
                    detail = "The element is not a JSON object."
                    self.rejects.append(Reject(n, None, cell_text(record), "bad_json", detail))
        except (ValueError, RecursionError) as e:
            raise json_error(self._seen.path, e) from e
        self.n_mended = records.n_mended


def mended_warning(n_mended: int) -> tuple[str, ...]:
    """Return the warning about records with half characters."""
    return (f"Records with half characters (texts cut within one), shown as \ufffd: {n_mended:,}.",) if n_mended else ()


def _parse_line(n: int, line: bytes) -> JsonObject | Reject:
    try:
        text = line.decode()
    except UnicodeDecodeError as e:
        shown = line[:SHOWN].decode("utf-8", "backslashreplace")
        return Reject(n, None, shown, "bad_encoding", f"Byte {e.start + 1} of the line is not UTF-8.")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as e:
        return Reject(n, None, _beginning(line), "bad_json", f"The line is not JSON: {e}.")
    if over := excess(value, text):
        return Reject(n, None, _beginning(line), *over)
    if not isinstance(value, dict):
        return Reject(n, None, _beginning(line), "bad_json", "The line is JSON, but no object.")
    return value


def _beginning(line: bytes) -> str:
    return line[:SHOWN].decode("utf-8", "replace")
