"""Read and rebuild rating patterns: which sets of ratings the items of a question have, and how many items have each.

The pattern of an item is the set of its ratings in force (rater, kind, label). `store_batch` updates the counts in its
transaction, and touches only the items of the batch. Evaluations read the counts in place of the ratings. A
`pattern_id` lasts as long as an item has the pattern, and is never used for another one.
"""

from collections.abc import Sequence

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors
from warehouse.maintenance.integrity import run_check

REBUILD_STEPS = (
    "patterns/forget",
    "storing/11_item_patterns",
    "patterns/restore_content",
    "storing/12_pattern_counts",
    "storing/13_daily_counts",
    "storing/14_rating_counts_and_unused_patterns",
    "patterns/complete",
)
"""A rebuild shares four steps with storing a batch."""

CHECKS = (
    "patterns_differ_from_ratings",
    "pattern_counts_differ_from_items",
    "batch_patterns_differ_from_ratings",
    "version_counts_differ_from_ratings",
    "daily_counts_differ_from_ratings",
    "patterns_without_items",
)
"""The integrity checks whose findings a rebuild repairs."""

COUNTS = (
    "pattern_counts_differ_from_items",
    "batch_patterns_differ_from_ratings",
    "version_counts_differ_from_ratings",
    "daily_counts_differ_from_ratings",
)
"""The checks about counts: by day, by batch, by system version and by rater."""


def question_patterns(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read all patterns of a question: one row per pattern and rating in it, in no particular order.

    Columns: pattern_id, rater, rater_kind (as declared, else as read), label, n_items (items that have the pattern).
    Empty if the question is unknown."""
    return _read(con, "questions/patterns", question)


def pattern_days(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read one row per day and pattern: day (UTC date of the items' latest human rating, null if they have none),
    pattern_id, n_items. The sums over days are those of `question_patterns`."""
    return _read(con, "patterns/by_day", question)


def system_days(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read one row per day and pattern: day (of the items' latest rating by a system, in the project's time zone),
    pattern_id, n_items. Reads the ratings. For questions without human ratings, which have no `pattern_days`."""
    return _read(con, "patterns/by_system_day", question)


def pattern_batches(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read one row per batch and pattern: batch_id, first_at and last_at (times in UTC of the batch's human ratings),
    pattern_id, n_items (items with a human rating in force from the batch)."""
    return _read(con, "patterns/by_batch", question)


def last_items(con: duckdb.DuckDBPyConnection, question: str, n: int) -> pl.DataFrame:
    """Count the patterns of the `n` items that people rated last: pattern_id, n_items. Of items rated at the same time
    the one stored later comes first. Counts all items if there are fewer than `n`."""
    return _read(con, "patterns/last_items", question, n=n)


def versions_in_force(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read one row per rater and version of its ratings in force: rater, system_version, n_ratings."""
    return _read(con, "patterns/by_version", question)


def slice_patterns(con: duckdb.DuckDBPyConnection, question: str, key: str) -> pl.DataFrame:
    """Read one row per pattern and value of a key of the items' metadata: value, pattern_id, n_items. Items without the
    key are left out."""
    return _read(con, "patterns/by_slice", question, key=key)


def slices_state(con: duckdb.DuckDBPyConnection, question: str, keys: Sequence[str]) -> str:
    """Return a text that changes when the metadata of rated items change for these keys, so the slices do too."""
    with duckdb_errors(f"read the metadata of {question}"):
        return str(sql.value(con, "patterns/slices_state", question=question, keys=list(keys)))


def miscounted(con: duckdb.DuckDBPyConnection) -> list[str]:
    """List the questions whose counts by day, batch or version differ from their items and ratings, sorted."""
    broken = [run_check(con, name).select(pl.col("question_id").cast(pl.Int64)) for name in COUNTS]
    with duckdb_errors("find the questions with wrong counts"):
        return [str(name) for (name,) in sql.rows(con, "questions/names", ids=pl.concat(broken).to_series().to_list())]


def rebuild(con: duckdb.DuckDBPyConnection, question: str | None = None) -> None:
    """Rebuild the patterns of one question, or of all (None), from the ratings in one transaction. Patterns keep their
    ids."""
    with duckdb_errors("rebuild the patterns"), sql.transaction(con):
        renew(con, None if question is None else [question])


def renew(con: duckdb.DuckDBPyConnection, questions: Sequence[str] | None) -> None:
    """Rebuild the patterns of these questions, or of all (None), within the current transaction."""
    for step in REBUILD_STEPS:
        sql.run(con, step, questions=None if questions is None else list(questions), now=None, batch_no=None)


def _read(con: duckdb.DuckDBPyConnection, name: str, question: str, **values: object) -> pl.DataFrame:
    return sql.read(con, name, f"read the patterns of {question}", question=question, **values)
