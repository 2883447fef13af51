"""Read the records of a tool's file one by one, and collect the votes in them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from schemas.rating_columns import METADATA
from tasks.errors import ReadError
from tasks.formats.columns.item_columns import cut_long
from tasks.formats.parsing.cells import cell_text
from tasks.formats.parsing.export import CANONICAL, Export, canonical
from tasks.formats.parsing.file_look import FileLook, look_at_file
from tasks.formats.parsing.json_fields import objects, parsed
from tasks.formats.parsing.records.json_objects import JsonObjects
from tasks.formats.parsing.reject_rows import ReaderNotes, Reject, rejects_frame
from tasks.formats.parsing.text_table import TextTable, text_table

Record = Mapping[str, Any]
Row = tuple[int, Record]
MAX_HELD = 1 << 25  # bytes of a JSON file: the records of a larger one would take several times that in memory
FURTHER = tuple(name for name in CANONICAL if name not in ("question", "item", "rater", "label", "row_number"))


@dataclass(frozen=True)
class FileRecords:
    """The records of a file with their row numbers, as in tasks.formats.parsing.text_table.

    `rows` can be gone through several times. Those of a large JSON file are then read again, and only one is in memory
    at a time. Rejects and warnings are complete after one pass.
    """

    kind: str
    rows: Iterable[Row]
    source: JsonObjects | TextTable | None = None

    @property
    def rejects(self) -> tuple[Reject, ...]:
        """Return the rows of the file that are no records."""
        return self.source.rejects if self.source else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what is to be said of the file."""
        return self.source.warnings if self.source else ()


@dataclass(frozen=True)
class _Repeatable:
    """Rows for several loops: `make` returns the iterator of each loop."""

    make: Callable[[], Iterator[Row]]

    def __iter__(self) -> Iterator[Row]:
        return self.make()


@dataclass
class RecordVotes(ReaderNotes):
    """The votes so far. Each row of the file must end in `rows`, in `rejects` or in `n_skipped`."""

    rows: list[tuple[object, ...]] = field(default_factory=list)
    ordered: set[str] = field(default_factory=set)
    _about: dict[tuple[str | None, str], list[tuple[str, str]]] = field(default_factory=dict)

    def add(
        self,
        row: int,
        question: str | None,
        item: str | None,
        rater: str | None,
        label: str | None,
        **more: object,
    ) -> None:
        """Add one vote. `more` are other columns of CANONICAL."""
        kind, version, *others = (cell_text(more.get(name)) for name in FURTHER)
        self.rows.append((question, item, rater, kind, version, label, *others, row))

    @property
    def n_outcomes(self) -> int:
        """Return the number of votes and rejects so far: a row that adds none has no answer."""
        return len(self.rows) + len(self.rejects)

    def objects(self, row: int, column: str, value: object) -> list[dict[str, Any]]:
        """Return the objects in a list (also from JSON text). Other elements become rejects."""
        for entry in value if isinstance(value := parsed(value), list) else []:
            if not isinstance(entry, dict):
                self.reject(row, column, entry, "bad_record", "An object should stand here.")
        return objects(value)

    def note(self, sentence: str) -> None:
        """Count a sentence for the warnings, with {n} for the number."""
        self.notes[sentence] += 1

    def knows(self, question: str | None, item: str | None) -> bool:
        """Check whether an item has its description, because making one costs more."""
        return (question, item) in self._about

    def describe(self, question: str | None, item: str | None, values: Mapping[str, object]) -> None:
        """Describe an item. Its first description counts, without lists and objects."""
        if item is not None and not self.knows(question, item):
            texts = {k: cell_text(v) for k, v in values.items() if not isinstance(v, list | dict)}
            self._about[question, item] = [(k, text) for k, text in texts.items() if text and text.strip()]

    def export(self, format_: str, records: FileRecords, warnings: Iterable[str] = ()) -> Export:
        """Return the Export of a reader."""
        columns = zip(*self.rows, strict=True) if self.rows else [()] * len(CANONICAL)
        rows = pl.DataFrame(
            {name: pl.Series(values, dtype=CANONICAL[name]) for name, values in zip(CANONICAL, columns, strict=True)}
        )
        about = [(q, item, k, v) for (q, item), pairs in self._about.items() for k, v in pairs]
        metadata, cut = cut_long(pl.DataFrame(about, schema=METADATA, orient="row"))
        return Export(
            format=format_,
            rows=canonical(rows),
            rejects=rejects_frame([*records.rejects, *self.rejects]),
            n_skipped=self.n_skipped,
            metadata=metadata,
            warnings=(*warnings, *self.sentences, *records.warnings, *cut),
            ordered=frozenset(self.ordered),
        )


def read_records(path: Path, seen: FileLook | None = None) -> FileRecords:
    """Read the records of any file of records. Values stay as they are in the file (text in CSV).

    Errors: ReadError if the file has no record, or two columns of one name.
    """
    seen = seen or look_at_file(path)
    if seen.kind == "parquet":
        frame = _parquet_frame(path)
        return FileRecords("parquet", _Repeatable(lambda: enumerate(frame.iter_rows(named=True), start=1)))
    if seen.kind in ("text", "excel"):
        return _text_records(seen)
    in_file = JsonObjects(seen)
    rows = in_file if path.stat().st_size > MAX_HELD else list(in_file)
    if next(iter(rows), None) is None:
        raise ReadError.of(path, "holds no JSON object where its records should be.", "Export it again.")
    return FileRecords(seen.kind, rows, in_file)


def _parquet_frame(path: Path) -> pl.DataFrame:
    """Return the records. A float of 32 bits becomes the number that its text says: .1, not 0.10000000149011612."""
    return pl.read_parquet(path).with_columns(pl.col(pl.Float32).cast(pl.String).cast(pl.Float64))


def _text_records(seen: FileLook) -> FileRecords:
    table = text_table(seen)
    twice = [header for header, n in Counter(table.headers).items() if n > 1]
    if twice:
        raise ReadError.of(
            seen.path,
            f"has two columns named {twice[0]!r}.",
            "Rename one: a field of the items' data has the name of a column of the export.",
            row=1,
            column=twice[0],
        )
    cells = table.frame.select("row_number", pl.exclude("row_number"))
    rows = _Repeatable(
        lambda: ((number, dict(zip(table.headers, row, strict=True))) for number, *row in cells.iter_rows())
    )
    return FileRecords("text", rows, table)


def each(records: FileRecords) -> Iterable[Row]:
    """Return the records, as often as wanted. A record of columns (lists of equal length) is split into rows."""
    return _Repeatable(lambda: _split(records.rows))


def _split(rows: Iterable[Row]) -> Iterator[Row]:
    for row, record in rows:
        if isinstance(record.get("id"), list):
            n = len(record["id"])
            columns = {k: v for k, v in record.items() if isinstance(v, list) and len(v) == n}
            yield from ((i + 1, {k: v[i] for k, v in columns.items()}) for i in range(n))
        else:
            yield row, record
