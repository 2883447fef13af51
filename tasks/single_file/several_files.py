"""Read several files as one table of ratings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.formats import Export, ReadOptions
from tasks.formats.parsing.cells import nfc
from tasks.formats.parsing.decompress import stem
from tasks.formats.parsing.export import together
from tasks.formats.parsing.joined_labels import LabelsOf
from tasks.ingest.read_export import no_labels, read_export


def read_files(paths: Sequence[Path], options: ReadOptions, labels_of: LabelsOf = no_labels) -> Export:
    """Read each file in its own format, and return their rows as one export.

    Ids are not told apart by file: the same item in two files is one item, and the same rater one rater. Rows that name
    no question belong to the question that the first such file stands for. Raises ReadError as `read_export`, and for
    ratings beside rating patterns.
    """
    exports = [read_export(path, replace(options, fallback_question=stem(path)), labels_of) for path in paths]
    if len(exports) == 1:
        return exports[0]
    own_names = [_question_of_file(path, export) for path, export in zip(paths, exports, strict=True)]
    unnamed = [name for name in own_names if name is not None]
    renamed = [
        export if name is None else _renamed(export, name, unnamed[0])
        for name, export in zip(own_names, exports, strict=True)
    ]
    joined = together(paths, renamed)
    return replace(joined, warnings=(*_notes(len(paths), unnamed), *joined.warnings))


def file_names(paths: Sequence[Path]) -> str:
    """Return the names of files for a message.

    >>> file_names([Path("a.csv")]), file_names([Path("a.csv"), Path("b.csv")])
    ('a.csv', 'a.csv and 1 more file')
    """
    others = len(paths) - 1
    return str(paths[0]) + (f" and {others:,} more file{'s' if others > 1 else ''}" if others else "")


def _question_of_file(path: Path, export: Export) -> str | None:
    """Return the question that rows without one have from the name of the file; None if each row names its own."""
    if export.names_question:
        return None
    # If the file's name is that of its rater, the format's name stands for the question (read_export).
    names = set(export.rows["question"].unique())
    return next((name for name in (nfc(stem(path)), export.format) if name in names), None)


def _renamed(export: Export, own: str, question: str) -> Export:
    """Return the export with another question."""
    name = pl.col("question").replace({own: question})
    return replace(
        export,
        rows=export.rows.with_columns(name),
        metadata=export.metadata.with_columns(name),
        ordered=frozenset(question if each == own else each for each in export.ordered),
    )


def _notes(n_files: int, unnamed: Sequence[str]) -> list[str]:
    notes = [
        f"Read as one table from {n_files:,} files: the same item id in two files is one item, and the same rater id "
        "is one rater."
    ]
    if len(unnamed) > 1:
        notes.append(f"Read as ratings of one question, {unnamed[0]!r}: {len(unnamed):,} files name none.")
    return notes
