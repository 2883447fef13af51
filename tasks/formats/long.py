"""Read long tables: one row per rating. CSV, TSV, JSON lines, a JSON array of records, Parquet."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.columns.answer_columns import (
    answer_places,
    answer_rows,
    known_sheet,
    without_several,
    without_skipped,
)
from tasks.formats.columns.column_roles import (
    LABELS,
    TIME_FORMAT,
    ColumnChoice,
    ColumnRoles,
    assign_roles,
    in_order,
)
from tasks.formats.columns.header_rows import check_header
from tasks.formats.columns.item_choice import checked_item, merged_cells
from tasks.formats.columns.item_columns import item_metadata, metadata_keys
from tasks.formats.columns.joined_columns import look_with_item, table_with_item
from tasks.formats.columns.label_choice import checked_label
from tasks.formats.columns.mapping_proposal import missing_columns
from tasks.formats.columns.rater_in_name import look_with_rater, table_with_rater
from tasks.formats.columns.status_marks import marked_rows
from tasks.formats.parsing.cells import tidy
from tasks.formats.parsing.export import KINDS_AS_WRITTEN, Export, Format, ReadOptions, canonical
from tasks.formats.parsing.file_look import SAMPLE, FileLook
from tasks.formats.parsing.reject_rows import rejects_frame
from tasks.formats.parsing.set_cells import empty_list_note, with_sets
from tasks.formats.parsing.text_table import TextTable, read_table
from tasks.formats.parsing.timestamps import offer_format, parse_times, with_times
from tasks.formats.weighted import N_ITEMS, whole_numbers

CANONICAL_OF_ROLE = {"time": "rated_at", "duration": "duration_s"}
NO_TIMES = "neither ISO 8601 nor Unix seconds, or not between 1971 and 2200"
MAX_JUDGED = 1_000  # values of an optional column by which it is judged
OWN_QUESTION_ITEMS = 20  # below that many items a question per item may well be meant


def sniff(seen: FileLook, options: ReadOptions) -> bool:
    """Check for columns with the roles item, rater and label. `raters=` in the mapping means a wide table."""
    if not seen.headers or "raters" in options.columns:
        return False
    columns = known_sheet(seen.headers, options.columns)
    seen = look_with_rater(look_with_item(seen, columns), columns)
    places = answer_places(seen.headers, columns, seen.path.name)
    return not assign_roles(seen.headers, without_several(columns, seen.headers, places), seen.path.name).missing


def read(path: Path, options: ReadOptions) -> Export:
    """Read a long table. Errors: ReadError where item, rater or label has no column, or by their values another one
    than the headers say; where n_items has no number, or a label cannot be read."""
    table = read_table(path, header=options.header)
    if options.header:
        check_header(table.headers, table.frame, path)
    columns = known_sheet(table.headers, options.columns)
    table = table_with_rater(table_with_item(table, columns, path), columns, path)
    table, n_skipped = without_skipped(table, columns, path)
    places = answer_places(table.headers, columns, path.name)
    roles = assign_roles(table.headers, without_several(columns, table.headers, places), path.name)
    if roles.missing:
        raise missing_columns(path, table.headers, table.frame.head(SAMPLE), roles)
    roles, doubts = without_doubtful(table, roles)
    roles = checked_label(table, roles, path)
    doubts += checked_item(table, roles, path)
    if places:
        table, rows, metadata, notes = _side_by_side(table, roles, places, path, as_set=bool(columns.get(LABELS)))
    else:
        rows = _rows(table, roles, path)
        metadata, notes = item_metadata(_others(table, roles), table.frame, rows)
    doubts += merged_cells(rows["item"], table.headers[roles.index["item"]])
    time = table.headers[roles.index["time"]] if "time" in roles.index else None
    rows, time_notes = with_times(rows, time, columns.get(TIME_FORMAT), options.timezone)
    others = [(f"c{i}", header) for i, header in enumerate(table.headers) if i not in {*roles.index.values(), *places}]
    doubts += marked_rows(table.frame, table.headers, [int(c[1:]) for c, _ in others], roles.index["label"])
    doubts += empty_list_note(table, places or [roles.index["label"]])
    empty = () if table.frame.height or table.rejects else ("The file has a header but no rows.",)
    headers_of: dict[str, tuple[str, ...]] = {
        role: (table.headers[i],) for role, i in in_order(roles.index) if role != N_ITEMS
    }
    if places:
        headers_of[LABELS if columns.get(LABELS) else "label"] = tuple(table.headers[i] for i in places)
    return Export(
        format="long",
        rows=rows,
        rejects=rejects_frame(table.rejects),
        n_skipped=n_skipped,
        metadata=metadata,
        warnings=(*table.warnings, *roles.warnings, *doubts, *time_notes, *notes, *empty),
        columns=ColumnChoice(
            headers_of,
            tuple(header or f"column_{int(c[1:]) + 1}" for c, header in others),
            metadata_keys(metadata),
        ),
    )


def _rows(table: TextTable, roles: ColumnRoles, path: Path) -> pl.DataFrame:
    """Return one row per row of the table."""
    names = _names(roles)
    rows = canonical(table.frame.select(*names, "row_number").rename(names))
    rows = with_sets(rows, table.headers[roles.index["label"]], path, roles.label_separator)
    if N_ITEMS in roles.index:
        rows = rows.with_columns(whole_numbers(table, roles.index[N_ITEMS], path))
    return rows


def _side_by_side(
    table: TextTable, roles: ColumnRoles, places: Sequence[int], path: Path, *, as_set: bool
) -> tuple[TextTable, pl.DataFrame, pl.DataFrame, list[str]]:
    """Return the table with its rejects, one row per answer in the columns at these places, metadata and notes."""
    if N_ITEMS in roles.index:
        raise ReadError.of(
            path,
            f"has a column {table.headers[roles.index[N_ITEMS]]!r}, so that its rows are rating patterns, "
            "and several columns of labels.",
            "Write one row per rating of a pattern: item, rater, label, n_items.",
        )
    if "question" not in roles.mapped:  # the columns say what the question is
        roles = replace(roles, index={role: i for role, i in roles.index.items() if role != "question"})
    rows, rejects = answer_rows(table, roles, places, _names(roles), path, as_set=as_set)
    items = canonical(table.frame.select(pl.col(f"c{roles.index['item']}").alias("item"), "row_number"))
    others = [(column, header) for column, header in _others(table, roles) if int(column[1:]) not in places]
    metadata, notes = item_metadata(others, table.frame, items)
    if not as_set:
        names = [table.headers[i] for i in places]
        metadata = pl.concat([metadata.with_columns(question=pl.lit(name, pl.String)) for name in names])
    return replace(table, rejects=(*table.rejects, *rejects)), rows, metadata, notes


def _names(roles: ColumnRoles) -> dict[str, str]:
    return {f"c{i}": CANONICAL_OF_ROLE.get(role, role) for role, i in roles.index.items()}


def _others(table: TextTable, roles: ColumnRoles) -> list[tuple[str, str]]:
    """Return the columns without a role, and their headers."""
    places = [i for i in range(len(table.headers)) if i not in roles.index.values()]
    return [(f"c{i}", table.headers[i] or f"column_{i + 1}") for i in places]


def without_doubtful(table: TextTable, roles: ColumnRoles) -> tuple[ColumnRoles, list[str]]:
    """Drop optional roles that were found by name only and whose values do not fit.

    Their columns stay plain columns.
    """
    index, warnings = dict(roles.index), []
    for role, fits in DOUBTS.items():
        if role in index and role not in roles.mapped:
            i = index[role]
            doubt = fits(_column(table.frame, i) if role == "question" else _first_values(table, i), table, index)
            if doubt:
                header = table.headers[index.pop(role)]
                offer = f" {offer_format(_first_values(table, i), header)}" if role == "time" else ""
                insist = f"--columns {role}={header} insists."
                warnings.append(f"Column {header!r} is not read as {role}: {doubt}; {insist}{offer}")
    return replace(roles, index=index), warnings


def _first_values(table: TextTable, i: int) -> pl.Series:
    """Return the first values of a column that are not blank, at most MAX_JUDGED. The beginning usually has as many."""
    values = pl.Series(dtype=pl.String)
    for rows in (table.frame.head(10 * MAX_JUDGED), table.frame):
        values = _column(rows, i).drop_nulls().head(MAX_JUDGED)
        if len(values) == MAX_JUDGED:
            break
    return values


def _column(rows: pl.DataFrame, i: int) -> pl.Series:
    return rows.select(tidy(pl.col(f"c{i}"))).to_series()


def _question_doubt(column: pl.Series, table: TextTable, index: dict[str, int]) -> str | None:
    """Note a question column with a distinct text for every item: that is the item's text, as in question answering."""
    items = table.frame[f"c{index['item']}"]
    n_questions, n_items = column.drop_nulls().n_unique(), items.n_unique()
    n_pairs = pl.DataFrame({"question": column, "item": items}).n_unique()
    asks = 2 * int(column.str.ends_with("?").sum()) > len(column)
    enough = n_items >= (2 if asks else OWN_QUESTION_ITEMS)
    if enough and n_pairs == n_items and 2 * n_questions > n_items:
        return f"{n_questions:,} questions for {n_items:,} items, so it seems to be the items' text"
    return None


def _time_doubt(column: pl.Series, table: TextTable, index: dict[str, int]) -> str | None:
    return _misfits(column, lambda part: parse_times(part).is_not_null(), NO_TIMES)


def _number_doubt(column: pl.Series, table: TextTable, index: dict[str, int]) -> str | None:
    return _misfits(column, lambda part: part.cast(pl.Float64, strict=False).is_not_null(), "no numbers")


def _kind_doubt(column: pl.Series, table: TextTable, index: dict[str, int]) -> str | None:
    return _misfits(
        column, lambda part: part.str.to_lowercase().is_in([*KINDS_AS_WRITTEN]), "none of human, system, gold"
    )


def _misfits(column: pl.Series, fits: Callable[[pl.Series], pl.Series], what: str) -> str | None:
    misfits = column.filter(~fits(column))
    if 2 * len(misfits) <= len(column):
        return None
    return f"most of its values are {what} (the first is {misfits[0][:40]!r})"


DOUBTS: dict[str, Callable[[pl.Series, TextTable, dict[str, int]], str | None]] = {
    "question": _question_doubt,
    "time": _time_doubt,
    "score": _number_doubt,
    "duration": _number_doubt,
    "rater_kind": _kind_doubt,
}

LONG = Format(
    name="long",
    describe="Tables with one row per rating (item, rater, label, ...): CSV, TSV, JSON lines, Parquet.",
    extensions=(".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".xlsx", ".xls"),
    sniff=sniff,
    reader=read,
    general=True,
)
