"""Names that older versions of kappaflow stored otherwise than today's readers write them, so that one has two names.

New ratings come under today's names and do not meet those under the old ones. The history keeps its names: nothing here
changes them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import polars as pl

from warehouse import sql

TO_DO = (
    "Set full_export = true for their source, put a new and whole export in it, and run `kappaflow run`: the ratings "
    "under the old names are then marked as deleted, and stay in history. docs/how-to/look-after-the-warehouse.md says "
    "more."
)
QUERIES = {
    "maintenance/names_not_composed": (
        "names not in NFC",
        "A name that is not in Unicode's composed form (NFC), in which new ratings are read: both count, as two.",
    ),
    "maintenance/names_of_prodigy": (
        "raters of Prodigy with two names",
        "Two raters that may be one person: the data set's name was cut from one name only. Both count.",
    ),
}


@dataclass(frozen=True)
class OldName:
    """One kind of such names: `rows` are never empty."""

    check: str
    detail: str
    rows: pl.DataFrame


def old_names(con: duckdb.DuckDBPyConnection) -> Iterator[OldName]:
    """Find the kinds of old names that ratings in force have. Most warehouses have none."""
    for query, (check, detail) in QUERIES.items():
        rows = sql.frame(con, query)
        if not rows.is_empty():
            yield OldName(check, detail, rows)
