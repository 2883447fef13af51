"""Read what a file holds: ratings, votes on pairs of models, or marks, rankings and texts."""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import polars as pl

from tasks.errors import ReadError, UnavailableError
from tasks.formats import Export
from tasks.ingest.chunked_read import read_validated
from tasks.ingest.incoming_answers import with_answers
from tasks.ingest.incoming_regions import (
    IncomingRegions,
    may_have_regions,
    regions_beside_ratings,
    regions_in_place_of_ratings,
)
from tasks.ingest.incoming_votes import (
    FULL_EXPORT,
    FULL_EXPORT_HINT,
    IncomingVotes,
    are_declared,
    in_place_of_ratings,
    read_votes,
)
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.spooled_export import SpooledExport
from tasks.ingest.validate import ValidatedExport
from tasks.sources.folder import ExportFile
from warehouse.row_parts import RowParts

Further = IncomingVotes | IncomingRegions
"""What a file holds in place of ratings, or beside them."""


class FileContent(NamedTuple):
    """What a file holds. `export` is without its rows, `checked` has the ratings.

    Where `further` is in place of ratings, it has the rows of `checked`.
    """

    export: Export
    checked: ValidatedExport
    further: Further | None = None

    @property
    def has_ratings(self) -> bool:
        """Check whether the file has ratings of whole items."""
        return self.further is None or (isinstance(self.further, IncomingRegions) and self.further.beside_ratings)

    @property
    def ratings(self) -> pl.DataFrame | RowParts:
        """Return the ratings of whole items."""
        if isinstance(self.checked, SpooledExport):
            return self.checked.parts
        return self.checked.ratings if self.has_ratings else self.checked.ratings.clear()

    @property
    def metadata(self) -> pl.DataFrame | RowParts:
        """Return what the file says of its items."""
        return self.checked.metadata if isinstance(self.checked, SpooledExport) else self.export.metadata

    @property
    def votes(self) -> pl.DataFrame | None:
        """Return the votes on pairs of models."""
        return self.further.votes(self.further.checked) if isinstance(self.further, IncomingVotes) else None

    @property
    def region_work(self) -> pl.DataFrame | None:
        """Return what raters marked, ranked or wrote."""
        return self.further.work_of(self.further.checked) if isinstance(self.further, IncomingRegions) else None

    @property
    def rated_questions(self) -> Collection[str]:
        """Return the questions of the rows in `checked`."""
        if isinstance(self.checked, SpooledExport):
            return self.checked.questions
        return self.checked.ratings["question"].unique().cast(pl.String).to_list()

    @property
    def questions(self) -> list[str]:
        """Return all questions of the file, sorted."""
        names = {*self.rated_questions}
        if self.further is not None:
            names.update(self.further.checked.ratings["question"].unique())
        return sorted(names)

    def renamed(self, rename: Callable[[ValidatedExport], ValidatedExport]) -> "FileContent":
        """Return the content with a change of the raters' names."""
        further: Further | None = self.further
        if further is not None:
            further = replace(further, checked=rename(further.checked))
        return FileContent(self.export, rename(self.checked), further)


def read_file(file: ExportFile, rules: IngestRules, spool: Path) -> FileContent:
    """Read a file: its ratings, or its votes on pairs of models, or its spans, boxes, rankings and texts.

    The rows of a large file go into the folder `spool`. Raises ReadError.
    """
    content = _read_as_it_is(file, rules, None if _needs_all_rows(rules) else spool)
    export, checked, further = content
    if isinstance(further, IncomingVotes):
        return content
    with_tool_answers = with_answers(file.path, file.options, rules.answers, export, checked, further)
    return content if with_tool_answers is None else FileContent(export, *with_tool_answers)


def _read_as_it_is(file: ExportFile, rules: IngestRules, spool: Path | None) -> FileContent:
    """Read a file whatever the settings say of its questions."""
    if are_declared(file.options):
        return _votes(file)
    try:
        export, checked = read_validated(
            file.path, file.options, labels=rules.labels, spool=spool, timezone=rules.timezone
        )
    except UnavailableError:
        raise
    except ReadError:
        if (content := _in_place_of_ratings(file)) is None:
            raise
        return content
    if isinstance(checked, SpooledExport):
        if not may_have_regions(export, checked):
            return FileContent(export, checked)
        export, checked = checked.in_memory(export)
    if checked.ratings.is_empty():
        return _in_place_of_ratings(file, checked) or FileContent(export, checked)
    if (beside := regions_beside_ratings(file.path, file.options, export, checked)) is None:
        return FileContent(export, checked)
    checked, regions = beside
    notes = dict.fromkeys((*export.warnings, *regions.export.warnings))  # both readers name the rater
    return FileContent(replace(export, warnings=tuple(notes)), checked, regions)


def _in_place_of_ratings(file: ExportFile, checked: ValidatedExport | None = None) -> FileContent | None:
    """Read the votes, or the spans and boxes, of a file without ratings. None if it holds neither."""
    if in_place_of_ratings(file.path, file.options):
        return _votes(file)
    regions = regions_in_place_of_ratings(file.path, file.options, checked)
    return None if regions is None else FileContent(regions.export, regions.checked, regions)


def _votes(file: ExportFile) -> FileContent:
    votes = read_votes(file.path, file.options)
    if file.full_export:
        raise ReadError(FULL_EXPORT, FULL_EXPORT_HINT, file=file.file_name)
    return FileContent(votes.export, votes.checked, votes)


def _needs_all_rows(rules: IngestRules) -> bool:
    """Check whether the settings ask for something that is done with all ratings of a file at once."""
    return bool(rules.answers) or any(rule.rule == "repeats" for rule in rules.duplicates.values())
