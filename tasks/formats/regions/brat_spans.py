"""Read brat's .ann files: one document of one rater. The folder is the rater, the file's name the document.

The text beside it (.txt), if there is one, says how long the document is. Lines that begin with T are spans; relations,
events, attributes and notes are not read. A span in several pieces counts from its first character to its last.
"""

import re
from pathlib import Path

from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.limits import limits
from tasks.formats.parsing.text_encoding import decode_start, encoding_of, utf8_bytes
from tasks.formats.regions.span_export import SpanExport, Spans

QUESTION = "spans"
ENDING = ".ann"
LINE = re.compile(r"[TREAMN#*]\d*\t")
SPAN = re.compile(r"(?P<id>T\d+)\t(?P<label>\S+) (?P<places>\d+ \d+(?:;\d+ \d+)*)(?:\t|$)")
OTHER = "Lines of relations, events, attributes and notes, which are not read: {n}."
PIECES = "Spans in several pieces, read from the first character to the last: {n}."


def sniff_path(path: Path) -> bool:
    """Check for the ending .ann and lines that begin as brat's. An empty file is a document without a span."""
    if path.suffix.lower() != ENDING:
        return False
    with path.open("rb") as file:
        head = file.read(4096)
    text = decode_start(head, encoding_of(head))
    return not text.strip() or bool(LINE.match(text))


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check the file itself (`sniff_path`)."""
    return sniff_path(seen.path)


def _text(path: Path) -> str | None:
    """Return the text of a document, if it is beside its spans. Its line breaks count as they are."""
    if not path.is_file() or path.stat().st_size > limits().max_file_size:
        return None
    return utf8_bytes(path).decode("utf-8", "replace")


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read one document of one rater."""
    data = utf8_bytes(path)
    rater, item = path.resolve().parent.name, path.stem
    spans = Spans()
    spans.start(1, QUESTION, item, rater)
    spans.text(item, _text(path.with_suffix(".txt")))
    for row, line in enumerate(data.decode("utf-8", "replace").removeprefix("\ufeff").splitlines(), start=1):
        match = SPAN.match(line)
        if match:
            places = [int(place) for piece in match["places"].split(";") for place in piece.split()]
            spans.notes[PIECES] += len(places) > 2
            spans.add(row, (QUESTION, item, rater), min(places), max(places), tidy_label(match["label"]))
        elif line.startswith("T"):
            spans.reject(row, "span", line[:200], "bad_record", "The line does not have the form of a span.")
        elif line.strip():
            spans.notes[OTHER] += 1
    spans.notes = +spans.notes
    return spans.export("brat", warnings=[f"The rater is {rater!r}, the folder; the item is the file's name."])
