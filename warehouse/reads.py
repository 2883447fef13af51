"""Typed reads of the warehouse: plain values and frames, with times in UTC and no Decimal."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors


@dataclass(frozen=True)
class Question:
    """A question that has ratings. `revision` counts the batches that changed them."""

    question: str
    revision: int


@dataclass(frozen=True)
class Status:
    """What the warehouse holds. last_runs: one row per kind and question; open_alerts: one row per alert."""

    batches: dict[str, int]
    n_questions: int
    n_ratings: int
    n_versions: int
    n_rejected_rows: int
    last_ingested_at: datetime | None
    last_runs: pl.DataFrame
    open_alerts: pl.DataFrame


def known_files(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """One row per batch: batch_id, sha256, reader, source, file_name, status, settings_hash, attempt, n_rejected."""
    with duckdb_errors("list the known files"):
        return sql.frame(con, "files_known")


def full_exports(con: duckdb.DuckDBPyConnection, source: str) -> pl.DataFrame:
    """One row per stored file of a source and question in it, as they came in: batch_id, sha256, question, modified_at
    (when the file was written; null where it did not count as a full export), file_name."""
    with duckdb_errors("list the full exports"):
        return sql.frame(con, "full_exports", source=source)


def questions(con: duckdb.DuckDBPyConnection) -> list[Question]:
    """The questions that have ratings, by name."""
    with duckdb_errors("list the questions"):
        return [Question(**row) for row in sql.frame(con, "questions").to_dicts()]


def changed_questions(con: duckdb.DuckDBPyConnection, *, kind: str, settings_hash: Mapping[str, str]) -> list[Question]:
    """The questions that a run of this kind is due for: never run with success, ratings changed since, or other
    settings now (settings_hash: question -> hash; a question that is not in it is judged by its ratings alone)."""
    with duckdb_errors("find the changed questions"):
        found = sql.frame(con, "questions_and_runs", kind=kind).to_dicts()
    return [
        Question(row["question"], row["revision"])
        for row in found
        if not row["has_run"]
        or row["input_revision"] != row["revision"]
        or row["settings_hash"] != settings_hash.get(row["question"], row["settings_hash"])
    ]


def rating_contents(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """What the ratings in force of one question say, in no particular order: item, rater, rater_kind, label (text).
    Less time and memory than the view `current_ratings` takes. Empty where the question is unknown."""
    with duckdb_errors(f"read the ratings of {question}"):
        return sql.frame(con, "question_contents", question=question)


def ratings_as_of(con: duckdb.DuckDBPyConnection, question: str, moment: datetime) -> pl.DataFrame:
    """The ratings of one question that were in force at a moment: item, rater, rater_kind (as the export had it),
    system_version, label (text), rated_at, ingested_at (UTC), batch_id, item_id (Int32, grows with the items' arrival).
    """
    with duckdb_errors(f"read the ratings of {question} as they were"):
        return sql.frame(con, "question_ratings_as_of", question=question, moment=moment)


def system_versions(con: duckdb.DuckDBPyConnection, question: str, moment: datetime | None = None) -> pl.DataFrame:
    """What each version of a system answered, for systems with two versions or more in the history of one question:
    item, rater, system_version, label, pattern_id (of what the item shows now), first_at (UTC, of the version's first
    answer; null where no export tells). Empty where there are none."""
    with duckdb_errors(f"read the versions of the systems of {question}"):
        return sql.frame(con, "question_versions", question=question, moment=moment)


def runs_like(con: duckdb.DuckDBPyConnection, beginning: str) -> list[dict[str, object]]:
    """Rows of `runs` whose id begins so, at most three, the latest first."""
    with duckdb_errors("find the run"):
        return sql.frame(con, "runs_like", beginning=beginning).to_dicts()


def rows_of_run(con: duckdb.DuckDBPyConnection, name: str, run_id: str) -> pl.DataFrame:
    """The rows of a table of results that one run wrote."""
    with duckdb_errors(f"read {name} of run {run_id}"):
        mine = duckdb.ColumnExpression("run_id") == duckdb.ConstantExpression(run_id)
        return sql.plain(con.table(name).filter(mine).pl())


def item_metadata(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """What is known of the items of one question: item, key, value."""
    with duckdb_errors(f"read the metadata of {question}"):
        return sql.frame(con, "question_metadata", question=question)


def table(con: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    """All rows of a public table or view, in the view's own order. Raises WarehouseError where there is none."""
    with duckdb_errors(f"read {name}"):
        if name not in public_names(con):
            raise WarehouseError(f"There is no table or view {name!r}; there are {', '.join(public_names(con))}.")
        return sql.plain(con.table(name).pl())


def public_names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """The public tables and views, by name."""
    with duckdb_errors("list its tables"):
        return [str(name) for (name,) in sql.rows(con, "public_names")]


def status(con: duckdb.DuckDBPyConnection) -> Status:
    """What the warehouse holds, at a glance."""
    with duckdb_errors("tell its status"):
        counts = sql.frame(con, "status_counts").to_dicts()[0]
        return Status(
            batches={row["status"]: row["n"] for row in sql.frame(con, "status_batches").to_dicts()},
            last_runs=sql.frame(con, "status_runs"),
            open_alerts=sql.frame(con, "status_alerts"),
            **counts,
        )
