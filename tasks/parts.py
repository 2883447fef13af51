"""A file read and validated part by part, so that the text of a large one is never in memory as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.formats import Export, ReadOptions
from tasks.formats.base import joined
from tasks.formats.weighted import refuse_ingest
from tasks.read import read_parts
from tasks.validate import Validated, validate

CODED = ("question", "item", "rater", "rater_kind", "system_version", "label", "key")
"""The columns whose texts repeat: in a large file a number per row, and each text once, take far less memory."""


def read_validated(
    path: str | Path, options: ReadOptions | None = None, *, labels: Mapping[str, Sequence[str]] | None = None
) -> tuple[Export, Validated]:
    """A file for the warehouse: the export without its rows, whose texts nobody needs once they are validated, and
    what `validate(read_export(path, options), labels=labels)` says of them.

    Where the file came in several parts, the columns CODED are Categorical instead of String, those of one name with
    the same categories in ratings and metadata. Errors: as tasks.read.read_export; ReadError for rows that stand for
    several items.
    """
    codes = {name: pl.Categorical(pl.Categories.random()) for name in CODED}
    exports: list[Export] = []
    checked: list[Validated] = []
    for number, part in enumerate(read_parts(path, options)):
        refuse_ingest(part.rows, Path(path))
        exports.append(replace(part, rows=part.rows.clear()))
        checked.append(validate(part, labels=labels))
        if number:  # there are several, and the first has waited until that was known
            since = 0 if number == 1 else number
            exports[since:] = [replace(one, metadata=_coded(one.metadata, codes)) for one in exports[since:]]
            checked[since:] = [replace(one, ratings=_coded(one.ratings, codes)) for one in checked[since:]]
    return joined(exports), _joined(checked)


def _coded(frame: pl.DataFrame, codes: Mapping[str, pl.Categorical]) -> pl.DataFrame:
    return frame.with_columns(pl.col(name).cast(dtype) for name, dtype in codes.items() if name in frame.columns)


def _joined(parts: Sequence[Validated]) -> Validated:
    if len(parts) == 1:
        return parts[0]
    rejects = pl.concat([part.rejects for part in parts])
    return Validated(
        ratings=pl.concat([part.ratings for part in parts]),
        rejects=rejects.sort("row_number", nulls_last=True, maintain_order=True),
        n_rows=sum(part.n_rows for part in parts),
        n_skipped=sum(part.n_skipped for part in parts),
    )
