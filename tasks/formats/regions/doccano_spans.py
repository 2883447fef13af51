"""Read the spans in doccano's JSON lines: `label` (older: `labels`) as [start, end, label], or `entities`.

The file's name is the rater. Exports of older versions have no Comments, and may call the text `data`.

An item without a span is one that the user has not labelled: doccano writes both alike.
"""

import re
from pathlib import Path
from typing import Any

from tasks.formats.doccano import refuse_everybody
from tasks.formats.parsing.cells import tidy_label
from tasks.formats.parsing.export import ReadOptions
from tasks.formats.parsing.file_look import HEAD, FileLook
from tasks.formats.parsing.json_fields import dicts_in, keys, mentions, text
from tasks.formats.parsing.tools.record_votes import Record, read_records
from tasks.formats.regions.span_export import SpanExport, Spans

QUESTION = "spans"
LISTS, TEXTS = ("label", "labels"), ("text", "data")
MARK = re.compile(r'"labels?"\s*:\s*\[\s*\[\s*\d+\s*,\s*\d+\s*,\s*"')
UNLABELLED = "Items without a span, which doccano writes as it writes items not yet labelled, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for doccano's records with lists of places."""
    lists = seen.shape.get("label") == "array" or "label" in seen.headers
    spans = {"id", "text"} <= keys(seen) and lists and "Comments" in keys(seen)
    spans = spans or _older(seen) or mentions(seen, "start_offset")
    return not options.maps_table and seen.kind in ("json", "jsonl") and spans


def _older(seen: FileLook) -> bool:
    """Check for records of an id and a text, and for the first list of [start, end, label]."""
    if "id" not in keys(seen) or keys(seen).isdisjoint(TEXTS):
        return False
    with seen.path.open("rb") as file:
        return MARK.search(file.read(HEAD).decode(seen.encoding, "replace")) is not None


def read(path: Path, options: ReadOptions) -> SpanExport:
    """Read the file of one user. Errors: UnknownFormatError for the file where nobody is named."""
    refuse_everybody(path)
    records = read_records(path)
    spans = Spans()
    for row, record in records.rows:
        marked = _marked(record)
        spans.has_labels |= not marked and bool(_list(record))
        item = text(record.get(options.columns.get("item", "id")))
        if not marked:
            spans.skip(UNLABELLED)
        elif spans.start(row, QUESTION, item, path.stem):
            spans.text(item, next((record[name] for name in TEXTS if name in record), None))
            for start, end, label in marked:
                spans.add(row, (QUESTION, str(item), path.stem), start, end, tidy_label(label))
    return spans.export(
        "doccano", records.rejects, [*records.warnings, f"The rater is {path.stem!r}, the file's name."]
    )


def _list(record: Record) -> object:
    return next((record[name] for name in LISTS if name in record), None)


def _marked(record: Record) -> list[tuple[Any, ...]]:
    entities, labels = record.get("entities"), _list(record)
    if isinstance(entities, list):
        spans = dicts_in(entities)
        return [(entry.get("start_offset"), entry.get("end_offset"), entry.get("label")) for entry in spans]
    if not isinstance(labels, list):
        return []
    return [tuple(entry) for entry in labels if isinstance(entry, list) and len(entry) == 3]
