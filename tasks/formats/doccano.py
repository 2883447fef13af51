"""Read doccano's export: one file per user, or all of them in a zip.

The name of the file is the rater, because the rows name nobody. An item without a label is one that the user has not
labelled yet. It is skipped and is not an empty answer. The CSV joins labels by `#` without escaping. A cell with a `#`
is ambiguous, so it refuses the file.
"""

from pathlib import Path

from tasks.errors import ReadError, UnknownFormatError
from tasks.formats.columns.column_roles import USUAL_NAMES, find_header, listed, plain
from tasks.formats.parsing.cells import label_set
from tasks.formats.parsing.export import Export, Format, ReadOptions
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.json_fields import keys, parsed, text
from tasks.formats.parsing.tools.record_votes import Record, RecordVotes, read_records

EVERYBODY = "all"  # the name of the file where annotations are shared
JOINT = "#"
UNLABELLED = "Items that the user has not labelled, counted as skipped: {n}."


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for doccano's columns without one that names a rater. A file whose columns the user maps is a table."""
    names_nobody = not any(plain(header) in USUAL_NAMES["rater"] for header in keys(seen))
    return {"id", "label", "Comments"} <= keys(seen) and names_nobody and not options.maps_table


def read(path: Path, options: ReadOptions) -> Export:
    """Read the file of one user. Errors: ReadError where its name is nobody's, or its labels cannot be told apart."""
    refuse_everybody(path)
    records = read_records(path)
    headers = list(dict.fromkeys(key for _, record in records.rows for key in record))
    has_rows = any(True for _ in records.rows)
    if has_rows and not {"id", "label"} <= set(headers):
        raise ReadError.of(
            path,
            f"is not an export of doccano: it has {listed(headers)}.",
            "Its files have the columns id, label and Comments.",
        )
    item_column = "id"
    if "item" in options.columns:
        item_column = headers[find_header(headers, options.columns["item"], path.name, "item")]
    votes = RecordVotes()
    for row, record in records.rows:
        if records.kind == "text":
            _refuse_joined(path, row, record)
        _add(votes, row, record, path.stem, text(record.get(item_column)))
    return votes.export("doccano", records, [f"The rater is {path.stem!r}, the file's name."])


def refuse_everybody(path: Path) -> None:
    """Refuse the file of shared annotations, which does not say whose they are. Errors: UnknownFormatError."""
    if path.stem == EVERYBODY:
        raise UnknownFormatError(
            f"{path.name}: This looks like an export of doccano: its rows do not say who labelled.",
            "Switch 'share annotations' off in the project: then the export has one file per user, named after them.",
            file=str(path),
        )


def _refuse_joined(path: Path, row: int, record: Record) -> None:
    label = record.get("label")
    if isinstance(label, str) and JOINT in label:
        raise ReadError(
            f"Row {row} of {path.name} has the label {label[:60]!r}: doccano's CSV joins several labels by '#', so "
            "that it may be one label or more.",
            "Export JSONL instead, which keeps them apart.",
            file=str(path),
            row=row,
            column="label",
        )


def _add(votes: RecordVotes, row: int, record: Record, rater: str, item: str | None) -> None:
    chosen = parsed(record.get("label"))
    labels = chosen if isinstance(chosen, list) else [chosen]
    if any(isinstance(entry, dict | list) for entry in labels):
        votes.reject(row, "label", chosen, "per_region", "The label belongs to a part of the text.")
    elif (label := label_set(labels)) is None:
        votes.skip(UNLABELLED)
    else:
        votes.add(row, None, item, rater, label, source_ref=f"example:{text(record.get('id'))}")
        votes.describe(None, item, {k: v for k, v in record.items() if k not in ("id", "label", "Comments")})


DOCCANO = Format(
    name="doccano",
    describe="doccano's JSONL, JSON or CSV, one file per user or a zip of them: the file's name is the rater.",
    extensions=(".jsonl", ".json", ".csv", ".zip"),
    sniff=sniff,
    reader=read,
    roles=frozenset({"item"}),
    rater_in_name=True,
)
