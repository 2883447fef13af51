"""Read what a worklist shows, and what its answers may be about."""

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors


def doubtful_items(con: duckdb.DuckDBPyConnection, question: str, n_items: int, answered: list[str]) -> pl.DataFrame:
    """Read the first items of the question's `disagreement_queue` that are not in `answered`: item, item_text,
    probable_label, probability, expected_gain, n_doubtful. n_doubtful is the number of all such items."""
    with duckdb_errors(f"read the items of {question} that are in doubt"):
        return sql.frame(con, "worklist/items_in_doubt", question=question, n_items=n_items, answered=answered)


def answered_items(con: duckdb.DuckDBPyConnection, question: str) -> list[str]:
    """List the items that answers of a worklist rated after the last evaluation of the question."""
    with duckdb_errors(f"list the items of {question} that were answered"):
        return [str(item) for (item,) in sql.rows(con, "worklist/items_answered", question=question)]


def n_with_probability(con: duckdb.DuckDBPyConnection, question: str) -> int:
    """Count the items of a question that have a most probable label."""
    with duckdb_errors(f"count the items of {question} with a probable label"):
        return int(sql.frame(con, "worklist/items_with_probability", question=question)["n_items"][0])


def labels_given(con: duckdb.DuckDBPyConnection, question: str, items: list[str]) -> pl.DataFrame:
    """Read the labels that annotators gave the items, and who gave them: item, label, raters. Systems are left out."""
    return sql.read(con, "worklist/answers_given", f"read the labels of {question}", question=question, items=items)


def rated_items(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the items of a question that have ratings in force: item."""
    return sql.read(con, "worklist/items_with_ratings", f"list the items of {question}", question=question)


def kinds_of(con: duckdb.DuckDBPyConnection, rater: str) -> list[str]:
    """List the kinds (human, system, gold) under which the rater has ratings in force; empty for a new rater."""
    with duckdb_errors(f"look up the rater {rater}"):
        return [str(kind) for (kind,) in sql.rows(con, "worklist/kinds_of_rater", rater=rater)]


def answers_in_force(con: duckdb.DuckDBPyConnection, question: str, items: list[str]) -> pl.DataFrame:
    """Read the ratings in force of these items: item, rater, label."""
    return sql.read(con, "worklist/answers_in_force", f"read the answers to {question}", question=question, items=items)
