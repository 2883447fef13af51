"""Long tables: one row per rating. CSV, TSV, JSON lines, a JSON array of records, Parquet."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.base import KINDS_AS_WRITTEN, Export, Format, ReadOptions, canonical
from tasks.formats.cells import tidy
from tasks.formats.items import item_metadata
from tasks.formats.peek import Peek
from tasks.formats.rejects import rejects_frame
from tasks.formats.roles import HINT, Roles, assign_roles, listed
from tasks.formats.table import Table, read_table
from tasks.formats.times import parse_times
from tasks.formats.weighted import N_ITEMS, whole_numbers

CANONICAL_OF_ROLE = {"time": "rated_at", "duration": "duration_s"}
JUDGED = 1_000  # values of an optional column by which it is judged
OWN_QUESTION_ITEMS = 20  # below that many items a question per item may well be meant


def sniff(seen: Peek, options: ReadOptions) -> bool:
    """A table in which columns play item, rater and label. `raters=` in the mapping asks for a wide table."""
    if not seen.headers or "raters" in options.columns:
        return False
    return not assign_roles(seen.headers, options.columns, seen.path.name).missing


def read(path: Path, options: ReadOptions) -> Export:
    """Read a long table. Errors: ReadError where item, rater or label has no column, or n_items has no number."""
    table = read_table(path)
    roles = assign_roles(table.headers, options.columns, path.name)
    if roles.missing:
        raise ReadError(missing_sentence(path.name, table.headers, roles), HINT, file=str(path))
    roles, doubts = _without_doubtful(table, roles)
    names = {f"c{i}": CANONICAL_OF_ROLE.get(role, role) for role, i in roles.index.items()}
    rows = canonical(table.frame.select(*names, "row_number").rename(names))
    if N_ITEMS in roles.index:
        rows = rows.with_columns(whole_numbers(table, roles.index[N_ITEMS], path))
    others = [
        (f"c{i}", header or f"column_{i + 1}")
        for i, header in enumerate(table.headers)
        if i not in roles.index.values()
    ]
    metadata, notes = item_metadata(others, table.frame, rows)
    empty = () if table.frame.height or table.rejects else ("The file has a header and no rows.",)
    return Export(
        format="long",
        rows=rows,
        rejects=rejects_frame(table.rejects),
        metadata=metadata,
        warnings=(*table.warnings, *roles.warnings, *doubts, *notes, *empty),
    )


def missing_sentence(file: str, headers: Sequence[str], roles: Roles) -> str:
    """Which columns there are, and which role none of them plays."""
    missing = " or the ".join(roles.missing)
    nobody = " It names nobody who rated." if "rater" in roles.missing else ""
    return f"{file} has columns {listed(headers)}; none of them is known as the {missing}.{nobody}"


def _without_doubtful(table: Table, roles: Roles) -> tuple[Roles, list[str]]:
    """Optional columns found by name only are believed if their values fit; else they stay plain columns."""
    index, warnings = dict(roles.index), []
    for role, fits in DOUBTS.items():
        if role in index and role not in roles.mapped:
            i = index[role]
            doubt = fits(_column(table.frame, i) if role == "question" else _first_values(table, i), table, index)
            if doubt:
                header = table.headers[index.pop(role)]
                warnings.append(f"Column {header!r} is not read as {role}: {doubt}; --columns {role}={header} insists.")
    return replace(roles, index=index), warnings


def _first_values(table: Table, i: int) -> pl.Series:
    """The first values of a column that are not blank, JUDGED at most: its beginning has as many, as a rule."""
    found = pl.Series(dtype=pl.String)
    for rows in (table.frame.head(10 * JUDGED), table.frame):
        found = _column(rows, i).drop_nulls().head(JUDGED)
        if len(found) == JUDGED:
            break
    return found


def _column(rows: pl.DataFrame, i: int) -> pl.Series:
    return rows.select(tidy(pl.col(f"c{i}"))).to_series()


def _question_doubt(column: pl.Series, table: Table, index: dict[str, int]) -> str | None:
    """A text of its own for every item is the item's text (as in question answering), not the question rated."""
    items = table.frame[f"c{index['item']}"]
    n_questions, n_items = column.drop_nulls().n_unique(), items.n_unique()
    n_pairs = pl.DataFrame({"question": column, "item": items}).n_unique()
    if n_items >= OWN_QUESTION_ITEMS and n_pairs == n_items and 2 * n_questions > n_items:
        return f"{n_questions:,} questions for {n_items:,} items, so it seems to be the items' text"
    return None


def _time_doubt(column: pl.Series, table: Table, index: dict[str, int]) -> str | None:
    return _misfits(column, lambda part: parse_times(part).is_not_null(), "neither ISO 8601 nor Unix seconds")


def _number_doubt(column: pl.Series, table: Table, index: dict[str, int]) -> str | None:
    return _misfits(column, lambda part: part.cast(pl.Float64, strict=False).is_not_null(), "no numbers")


def _kind_doubt(column: pl.Series, table: Table, index: dict[str, int]) -> str | None:
    return _misfits(
        column, lambda part: part.str.to_lowercase().is_in([*KINDS_AS_WRITTEN]), "none of human, system, gold"
    )


def _misfits(column: pl.Series, fits: Callable[[pl.Series], pl.Series], what: str) -> str | None:
    misfits = column.filter(~fits(column))
    if 2 * len(misfits) <= len(column):
        return None
    return f"most of its values are {what} (the first is {misfits[0][:40]!r})"


DOUBTS: dict[str, Callable[[pl.Series, Table, dict[str, int]], str | None]] = {
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
