"""Rating patterns: which sets of ratings the items of a question show, and how many items show each.

A pattern of an item is the set of its ratings in force (rater, kind, label). `store_batch` keeps these counts in its
own transaction, at the cost of the items that it touches; evaluations read them in place of the ratings. A
`pattern_id` is good for as long as some item shows the pattern, and is never given to another.
"""

from collections.abc import Sequence

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors
from warehouse.integrity import run_check

_FOLLOW = ("store_patterns", "store_patterns_counts", "store_patterns_rest")
UPKEEP = ("store_patterns_touched", *_FOLLOW, "store_patterns_windows")
"""The queries that bring the patterns up to date within the transaction that changed ratings at $now."""

CHECKS = (
    "patterns_differ_from_ratings",
    "pattern_counts_differ_from_items",
    "batch_patterns_differ_from_ratings",
    "version_counts_differ_from_ratings",
    "patterns_without_items",
)
"""The integrity checks that a rebuild brings back to order."""

COUNTS = (
    "pattern_counts_differ_from_items",
    "batch_patterns_differ_from_ratings",
    "version_counts_differ_from_ratings",
)
"""Those of them about the counts of a question's days, batches and versions."""


def question_patterns(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """All patterns of a question, one row per pattern and rating in it: pattern_id, rater, rater_kind (as declared,
    else as read), label, n_items (how many items show the pattern); in no particular order. Empty where the question is
    unknown."""
    return _read(con, "question_patterns", question)


def pattern_days(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """One row per day and pattern: day (date in UTC of the items' latest human rating, null where they have none),
    pattern_id, n_items. Summed over the days it is what `question_patterns` has."""
    return _read(con, "pattern_days", question)


def pattern_batches(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """One row per batch and pattern: batch_id, first_at and last_at (times in UTC of the human ratings that the batch
    brought), pattern_id, n_items (items of which the batch brought a human rating that is in force)."""
    return _read(con, "pattern_batches", question)


def last_items(con: duckdb.DuckDBPyConnection, question: str, n: int) -> pl.DataFrame:
    """Of the `n` items whose latest human rating is the latest: pattern_id, n_items. Of items rated at the same time
    the one stored later comes first. All items where there are fewer."""
    return _read(con, "pattern_last_items", question, n=n)


def versions_in_force(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """One row per rater and version that its ratings in force name: rater, system_version, n_ratings."""
    return _read(con, "pattern_versions", question)


def slice_patterns(con: duckdb.DuckDBPyConnection, question: str, key: str) -> pl.DataFrame:
    """One row per value of a key of the items' metadata, and pattern: value, pattern_id, n_items. Items without the key
    are in none."""
    return _read(con, "pattern_slices", question, key=key)


def slices_state(con: duckdb.DuckDBPyConnection, question: str, keys: Sequence[str]) -> str:
    """A text that changes when what `slice_patterns` gives for these keys does, unless the ratings changed too."""
    with duckdb_errors(f"read the metadata of {question}"):
        return str(sql.value(con, "pattern_slices_state", question=question, keys=list(keys)))


def miscounted(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The questions whose counts by day, by batch or by version are not those of their items and ratings, by name."""
    broken = [run_check(con, name).select(pl.col("question_id").cast(pl.Int64)) for name in COUNTS]
    with duckdb_errors("name the questions that are miscounted"):
        return [str(name) for (name,) in sql.rows(con, "question_names", ids=pl.concat(broken).to_series().to_list())]


def rebuild(con: duckdb.DuckDBPyConnection, question: str | None = None) -> None:
    """Make the patterns of a question, or of all (None), anew from the ratings, in one transaction. A pattern that is
    known keeps its id."""
    with duckdb_errors("make the patterns anew"), sql.transaction(con):
        renew(con, None if question is None else [question])


def renew(con: duckdb.DuckDBPyConnection, questions: Sequence[str] | None) -> None:
    """The same within a transaction that is under way."""
    for step in ("patterns_forget", *_FOLLOW, "patterns_complete"):
        sql.run(con, step, questions=None if questions is None else list(questions), now=None)


def _read(con: duckdb.DuckDBPyConnection, name: str, question: str, **values: object) -> pl.DataFrame:
    with duckdb_errors(f"read the patterns of {question}"):
        return sql.frame(con, name, question=question, **values)
