"""Judge which column of a dataset has which role, and turn its rows into validated ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tasks.errors import ReadError
from tasks.formats import Export
from tasks.formats.columns.column_roles import TIME_FORMAT, assign_roles
from tasks.formats.columns.item_choice import checked_item
from tasks.formats.columns.label_choice import checked_label
from tasks.formats.columns.mapping_proposal import missing_columns
from tasks.formats.long import CANONICAL_OF_ROLE, without_doubtful
from tasks.formats.parsing.export import canonical
from tasks.formats.parsing.file_look import SAMPLE
from tasks.formats.parsing.joined_labels import joined_labels_note
from tasks.formats.parsing.reject_rows import rejects_frame
from tasks.formats.parsing.set_cells import with_sets
from tasks.formats.parsing.text_table import TextTable, as_text, without_long
from tasks.formats.parsing.timestamps import with_times
from tasks.formats.parsing.unicode_form import Composer
from tasks.formats.weighted import N_ITEMS
from tasks.ingest.read_export import kind_of_rater
from tasks.ingest.validate import ValidatedExport, validate
from tasks.sources.dataset import READ_ROLES, DatasetSource

SLICE = "slice_"
JUDGED_ROWS = 20_000  # of the first file, by which the columns are judged


@dataclass(frozen=True)
class DatasetColumns:
    """The columns of a dataset by role, what stands between the labels of a set, and notes for the user.

    The columns by which items are sliced have roles that only count them: slice_0, slice_1 and so on.
    """

    headers: Mapping[str, str]
    label_separator: str | None
    notes: tuple[str, ...] = ()

    @property
    def slices(self) -> dict[str, str]:
        """Return the columns by which items are sliced, by role."""
        return {role: header for role, header in self.headers.items() if role.startswith(SLICE)}


def name_in_file(header: str, names: Sequence[str]) -> str | None:
    """Return the column of a file that is the header, whatever its case, or None.

    >>> name_in_file("item", ["Item", "label"]), name_in_file("item", ["text"])
    ('Item', None)
    """
    return header if header in names else next((name for name in names if name.lower() == header.lower()), None)


def judged_columns(rows: pl.DataFrame, source: DatasetSource, slices: Sequence[str] = ()) -> DatasetColumns:
    """Find the column of each role, from the settings, else from the headers and these first rows.

    `slices` are columns that the settings name. One that is not there, or tells something else, is left out.
    Raises ReadError if the item, the rater or the label has no column.
    """
    path = source.base
    numbers = pl.int_range(1, rows.height + 1, dtype=pl.Int64, eager=True).alias("row_number")
    frame = pl.DataFrame([*(as_text(rows[name]).alias(f"c{i}") for i, name in enumerate(rows.columns)), numbers])
    table = TextTable(frame, tuple(rows.columns))
    roles = assign_roles(table.headers, source.options.columns, path.name)
    if roles.missing:
        raise missing_columns(path, table.headers, frame.head(SAMPLE).drop("row_number"), roles, may_be_wide=False)
    if N_ITEMS in roles.index:
        raise ReadError(
            f"{path.name} has a column {table.headers[roles.index[N_ITEMS]]!r}: its rows are rating patterns, "
            "not ratings.",
            "Evaluate them with `kappaflow agree`, or rename the column.",
        )
    roles, notes = without_doubtful(table, roles)
    roles = checked_label(table, roles, path)
    notes = [*roles.warnings, *notes, *checked_item(table, roles, path)]
    notes += joined_labels_note(frame[f"c{roles.index['label']}"], roles.label_separator, sampled=True)
    others = {table.headers[i] for i in range(len(table.headers)) if i not in roles.index.values()}
    sliced = {f"{SLICE}{i}": key for i, key in enumerate(key for key in slices if key in others)}
    return DatasetColumns(
        {role: table.headers[roles.index[role]] for role in READ_ROLES if role in roles.index} | sliced,
        roles.label_separator,
        tuple(notes),
    )


def validated_rows(
    rows: pl.DataFrame, columns: DatasetColumns, source: DatasetSource, labels: Mapping[str, Sequence[str]]
) -> ValidatedExport:
    """Turn rows with a column for each role and `row_number` into text, and validate them as those of any file."""
    options, path = source.options, source.base
    names = {role: CANONICAL_OF_ROLE.get(role, role) for role in columns.headers if role not in columns.slices}
    texts = [as_text(rows[role]).alias(name) for role, name in names.items()]
    cells, too_long = without_long(pl.DataFrame([*texts, rows["row_number"]]))
    canonical_rows = canonical(cells)
    canonical_rows = with_sets(canonical_rows, columns.headers["label"], path, columns.label_separator)
    time_format = options.columns.get(TIME_FORMAT)
    canonical_rows, _ = with_times(canonical_rows, columns.headers.get("time"), time_format, options.timezone)
    export = Composer().export(Export("dataset", canonical_rows, rejects_frame(too_long)))
    question = pl.coalesce(pl.col("question"), pl.lit(source.question))
    prefixed = pl.lit(f"{options.prefix}/") + question if options.prefix else question
    filled = export.rows.with_columns(prefixed.alias("question"), kind_of_rater(options))
    return validate(replace(export, rows=filled), labels=labels)
