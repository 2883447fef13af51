"""Read and validate a file part by part, so that the text of a large file is never in memory as a whole."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tasks.formats import Export, ReadOptions
from tasks.formats.parsing.export import joined
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
) -> tuple[Export, ValidatedExport]:
    """Read and validate a file for the warehouse.

    Returns the export without its rows, and the result of `validate(read_export(path, options), labels=labels)`. If the
    file is read in several parts, the columns CODED are Categorical instead of String; columns of the same name share
    their categories in ratings and metadata. With `spool`, a folder, ratings and metadata of a file of more than
    MAX_IN_MEMORY parts are there instead of in memory, and the result is a SpooledExport.

    Raises the errors of tasks.ingest.read_export.read_export, and ReadError if a row counts for several items.
    """
    codes, kept = text_codes(), Spool(spool) if spool else None
    exports: list[Export] = []
    checked: list[ValidatedExport] = []
    for number, part in enumerate(read_parts(path, options)):
        refuse_ingest(part.rows, Path(path))
        exports.append(replace(part, rows=part.rows.clear()))
        checked.append(validate(part, labels=labels))
        if kept and number >= MAX_IN_MEMORY:
            for place in range(0 if number == MAX_IN_MEMORY else number, number + 1):
                exports[place], checked[place] = kept.take(exports[place], checked[place])
        elif number:  # Only a file of several parts is coded. The first part is coded together with the second.
            for place in range(0 if number == 1 else number, number + 1):
                exports[place] = replace(exports[place], metadata=coded(exports[place].metadata, codes))
                checked[place] = replace(checked[place], ratings=coded(checked[place].ratings, codes))
    export, result = joined(exports), together(checked)
    if kept is None or len(checked) <= MAX_IN_MEMORY:
        return export, result
    spooled = kept.export(result)
    return (export, spooled) if kept.is_ordered and spooled.parts.height else spooled.in_memory(export)
