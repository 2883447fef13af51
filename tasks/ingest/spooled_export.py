"""Keep the validated rows of a large file on disk, beside the warehouse, until the whole file is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from tasks.formats import Export
from tasks.formats.parsing.export import first_said
from tasks.ingest.validate import ValidatedExport
from warehouse.row_parts import Change, RowParts

CODED = ("question", "item", "rater", "rater_kind", "system_version", "label", "key")
"""The columns whose texts repeat. In a large file they are Categorical, which takes far less memory."""


@dataclass(frozen=True)
class SpooledExport(ValidatedExport):
    """The ratings and rejects of a large file. The ratings are in `parts`, and `ratings` is empty.

    The metadata of the export are in `metadata`. `questions` and `raters` are those of the ratings.
    """

    parts: RowParts
    metadata: RowParts
    questions: frozenset[str]
    raters: frozenset[str]

    def changed(self, change: Change, raters: frozenset[str]) -> "SpooledExport":
        """Return the export with a change of each part of the ratings, which then have these raters."""
        return replace(self, parts=self.parts.changed(change), raters=raters)

    def in_memory(self, export: Export) -> tuple[Export, ValidatedExport]:
        """Read everything back, for what needs all rows at once. `export` has the notes on the file."""
        codes = text_codes()
        ratings = pl.concat([coded(part, codes) for part in self.parts])
        metadata = first_said([coded(part, codes) for part in self.metadata])
        checked = ValidatedExport(ratings, self.rejects, self.n_rows, self.n_skipped)
        return replace(export, metadata=metadata), checked


class Spool:
    """Take the validated parts of one file, and keep what is large of them in files."""

    def __init__(self, folder: Path) -> None:
        self.parts, self.metadata = RowParts(folder / "ratings"), RowParts(folder / "metadata")
        self.questions: set[str] = set()
        self.raters: set[str] = set()
        self.is_ordered = True
        self._last_row = 0

    def take(self, export: Export, checked: ValidatedExport) -> tuple[Export, ValidatedExport]:
        """Write ratings and metadata to the disk, and return the part without them."""
        ratings, metadata = _as_text(checked.ratings), _as_text(export.metadata)
        self.questions.update(ratings["question"].unique())
        self.raters.update(ratings["rater"].unique())
        rows = ratings["row_number"]
        self.is_ordered &= rows.is_sorted() and (rows.is_empty() or rows[0] >= self._last_row)
        self._last_row = rows[-1] if len(rows) else self._last_row
        self.parts.append(ratings)
        self.metadata.append(metadata)
        return replace(export, metadata=metadata.clear()), replace(checked, ratings=ratings.clear())

    def export(self, checked: ValidatedExport) -> SpooledExport:
        """Return the whole file. `checked` has the rejects and counts of all parts."""
        return SpooledExport(
            checked.ratings, checked.rejects, checked.n_rows, checked.n_skipped,
            self.parts, self.metadata, frozenset(self.questions), frozenset(self.raters),
        )  # fmt: skip


def text_codes() -> Mapping[str, pl.Categorical]:
    """Return a type for each column of CODED, whose numbers are those of one file."""
    return {name: pl.Categorical(pl.Categories.random()) for name in CODED}


def coded(frame: pl.DataFrame, codes: Mapping[str, pl.Categorical]) -> pl.DataFrame:
    """Number the texts of the columns CODED."""
    return frame.with_columns(pl.col(name).cast(dtype) for name, dtype in codes.items() if name in frame.columns)


def _as_text(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.cast({pl.Categorical: pl.String})


def together(parts: Sequence[ValidatedExport]) -> ValidatedExport:
    """Join the validated parts of one file."""
    if len(parts) == 1:
        return parts[0]
    rejects = pl.concat([part.rejects for part in parts])
    return ValidatedExport(
        ratings=pl.concat([part.ratings for part in parts]),
        rejects=rejects.sort("row_number", nulls_last=True, maintain_order=True),
        n_rows=sum(part.n_rows for part in parts),
        n_skipped=sum(part.n_skipped for part in parts),
    )
