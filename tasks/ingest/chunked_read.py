"""Read and validate a file part by part, so that the text of a large file is never in memory as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl

from tasks.counted_words import counted
from tasks.formats import Export, ReadOptions
from tasks.formats.parsing.export import joined
from tasks.formats.parsing.timestamps import parse_times, times_without_zone
from tasks.formats.weighted import refuse_ingest
from tasks.ingest.read_export import read_parts
from tasks.ingest.spooled_export import Spool, coded, text_codes, together
from tasks.ingest.validate import ValidatedExport, validate

MAX_IN_MEMORY = 8  # parts: what takes less memory than it takes to store them


def read_validated(
    path: str | Path,
    options: ReadOptions | None = None,
    *,
    labels: Mapping[str, Sequence[str]] | None = None,
    spool: Path | None = None,
    timezone: str = "UTC",
) -> tuple[Export, ValidatedExport]:
    """Read and validate a file for the warehouse.

    Returns the export without its rows and rejects, and the result of `validate(read_export(path, options),
    labels=labels)`. If the file is read in several parts, the columns CODED are Categorical instead of String; columns
    of the same name share their categories in ratings and metadata. With `spool`, a folder, ratings and metadata of a
    file of more than MAX_IN_MEMORY parts are there instead of in memory, and the result is a SpooledExport. A warning
    says how many times have no zone, if the days of `timezone`, that of the project, are not those of UTC.

    Raises the errors of tasks.ingest.read_export.read_export, and ReadError if a row counts for several items.
    """
    codes, kept = text_codes(), Spool(spool) if spool else None
    exports: list[Export] = []
    without_zone: list[pl.Series] = []
    checked: list[ValidatedExport] = []
    for number, part in enumerate(read_parts(path, options, (labels or {}).get)):
        refuse_ingest(part.rows, Path(path))
        without_zone.append(times_without_zone(part.rows["rated_at"], timezone))
        exports.append(replace(part, rows=part.rows.clear(), rejects=part.rejects.clear()))
        checked.append(validate(part, labels=labels))
        if kept and number >= MAX_IN_MEMORY:
            for place in range(0 if number == MAX_IN_MEMORY else number, number + 1):
                exports[place], checked[place] = kept.take(exports[place], checked[place])
        elif number:  # Only a file of several parts is coded. The first part is coded together with the second.
            for place in range(0 if number == 1 else number, number + 1):
                exports[place] = replace(exports[place], metadata=coded(exports[place].metadata, codes))
                checked[place] = replace(checked[place], ratings=coded(checked[place].ratings, codes))
    export, result = joined(exports), together(checked)
    export = replace(export, warnings=(*export.warnings, *_zone_notes(pl.concat(without_zone), timezone)))
    if kept is None or len(checked) <= MAX_IN_MEMORY:
        return export, result
    spooled = kept.export(result)
    return (export, spooled) if kept.is_ordered and spooled.parts.height else spooled.in_memory(export)


def _zone_notes(times: pl.Series, timezone: str) -> tuple[str, ...]:
    """Say how many times have no zone, and where the first of them falls in the time zone of the project."""
    if times.is_empty():
        return ()
    first = parse_times(times.head(1)).item()
    there = "" if first is None else f"{first.astimezone(ZoneInfo(timezone)):%Y-%m-%d %H:%M}"
    example = f" {times[0].strip()} is {there} there." if there else ""
    return (
        f"{counted(len(times), 'row has a time', 'rows have times')} without a time zone, read as UTC. The days of the "
        f"project are those of {timezone}.{example} If these are local times, some ratings count on another day: write "
        f'timezone = "{timezone}" into the settings of the source. If they are UTC, write timezone = "UTC".',
    )
