"""Read and validate a file part by part, so that the text of a large file is never in memory as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.formats import Export, ReadOptions
from tasks.formats.parsing.export import joined
from tasks.formats.weighted import refuse_ingest
from tasks.ingest.read_export import read_parts
from tasks.ingest.validate import ValidatedExport, validate

CODED = ("question", "item", "rater", "rater_kind", "system_version", "label", "key")
"""The columns whose texts repeat. In a large file they are Categorical, which takes far less memory."""


def read_validated(
    path: str | Path, options: ReadOptions | None = None, *, labels: Mapping[str, Sequence[str]] | None = None
) -> tuple[Export, ValidatedExport]:
    """Read and validate a file for the warehouse.

    Returns the export without its rows, and the result of `validate(read_export(path, options), labels=labels)`. If the
    file is read in several parts, the columns CODED are Categorical instead of String; columns of the same name share
    their categories in ratings and metadata. Raises the errors of tasks.ingest.read_export.read_export, and ReadError
    if a row counts for several items.
    """
    codes = {name: pl.Categorical(pl.Categories.random()) for name in CODED}
    exports: list[Export] = []
    checked: list[ValidatedExport] = []
    for number, part in enumerate(read_parts(path, options)):
        refuse_ingest(part.rows, Path(path))
        exports.append(replace(part, rows=part.rows.clear()))
        checked.append(validate(part, labels=labels))
        if number:  # only a file of several parts is coded; the first part is coded together with the second
            start = 0 if number == 1 else number
            exports[start:] = [replace(chunk, metadata=_coded(chunk.metadata, codes)) for chunk in exports[start:]]
            checked[start:] = [replace(chunk, ratings=_coded(chunk.ratings, codes)) for chunk in checked[start:]]
    return joined(exports), _joined(checked)


def _coded(frame: pl.DataFrame, codes: Mapping[str, pl.Categorical]) -> pl.DataFrame:
    return frame.with_columns(pl.col(name).cast(dtype) for name, dtype in codes.items() if name in frame.columns)


def _joined(chunks: Sequence[ValidatedExport]) -> ValidatedExport:
    if len(chunks) == 1:
        return chunks[0]
    rejects = pl.concat([part.rejects for part in chunks])
    return ValidatedExport(
        ratings=pl.concat([part.ratings for part in chunks]),
        rejects=rejects.sort("row_number", nulls_last=True, maintain_order=True),
        n_rows=sum(part.n_rows for part in chunks),
        n_skipped=sum(part.n_skipped for part in chunks),
    )
