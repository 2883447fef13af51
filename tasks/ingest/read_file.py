"""Read what a file holds: ratings, votes on pairs of models, or marks, rankings and texts."""

from dataclasses import replace
from pathlib import Path

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

Further = IncomingVotes | IncomingRegions
"""What a file holds in place of ratings, or beside them."""


def read_file(file: ExportFile, rules: IngestRules, spool: Path) -> tuple[Export, ValidatedExport, Further | None]:
    """Read a file: its ratings, or its votes on pairs of models, or its spans, boxes, rankings and texts.

    The rows of a large file go into the folder `spool`. Raises ReadError.
    """
    export, checked, further = _read_as_it_is(file, rules, None if _needs_all_rows(rules) else spool)
    if isinstance(further, IncomingVotes):
        return export, checked, further
    with_tool_answers = with_answers(file.path, file.options, rules.answers, export, checked, further)
    return (export, checked, further) if with_tool_answers is None else (export, *with_tool_answers)


def _read_as_it_is(
    file: ExportFile, rules: IngestRules, spool: Path | None
) -> tuple[Export, ValidatedExport, Further | None]:
    """Read a file whatever the settings say of its questions."""
    votes = None
    if are_declared(file.options):
        votes = read_votes(file.path, file.options)
    else:
        regions = None
        try:
            export, checked = read_validated(
                file.path, file.options, labels=rules.labels, spool=spool, timezone=rules.timezone
            )
            if isinstance(checked, SpooledExport):
                if not may_have_regions(export, checked):
                    return export, checked, None
                export, checked = checked.in_memory(export)
        except UnavailableError:
            raise
        except ReadError:
            if in_place_of_ratings(file.path, file.options):
                votes = read_votes(file.path, file.options)
            elif (regions := regions_in_place_of_ratings(file.path, file.options)) is None:
                raise
        else:
            if checked.ratings.is_empty() and in_place_of_ratings(file.path, file.options):
                votes = read_votes(file.path, file.options)
            elif checked.ratings.is_empty():
                regions = regions_in_place_of_ratings(file.path, file.options, checked)
            elif beside := regions_beside_ratings(file.path, file.options, export, checked):
                checked, regions = beside
                notes = dict.fromkeys((*export.warnings, *regions.export.warnings))  # both readers name the rater
                return replace(export, warnings=tuple(notes)), checked, regions
        if regions is not None:
            return regions.export, regions.checked, regions
    if votes is None:
        return export, checked, None
    if file.full_export:
        raise ReadError(FULL_EXPORT, FULL_EXPORT_HINT, file=file.file_name)
    return votes.export, votes.checked, votes


def _needs_all_rows(rules: IngestRules) -> bool:
    """Check whether the settings ask for something that is done with all ratings of a file at once."""
    return bool(rules.answers) or any(rule.rule == "repeats" for rule in rules.duplicates.values())
