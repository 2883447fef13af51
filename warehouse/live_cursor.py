"""Store and read how far a live source was read, and what its tasks held then."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors

TASKS: Mapping[str, pl.DataType] = {
    "task": pl.String(),
    "state": pl.String(),
    "n_predictions": pl.Int64(),
    "changed_at": pl.Datetime("us", "UTC"),
}
ANSWERS: Mapping[str, pl.DataType] = dict.fromkeys(("task", "question", "item", "source_ref"), pl.String())


@dataclass(frozen=True)
class LiveBatch:
    """What a batch of a live source has besides its ratings.

    `stream` is the identity of one project of one source. `tasks` (TASKS) are the tasks that were read whole, each with
    a hash of the answers it has, null for one that was deleted, its number of predictions, and when it changed last.
    `answers` (ANSWERS) are all the answers of these tasks: one that such a task had before and that is not among them
    is deleted. `cursor`: all changes up to then have been taken in with this batch; None leaves it where it is.
    """

    stream: str
    cursor: datetime | None
    tasks: pl.DataFrame
    answers: pl.DataFrame


def frames(shown: LiveBatch | None) -> dict[str, pl.DataFrame]:
    """Build the frames that the SQL reads. They are empty for a file."""
    tasks = shown.tasks if shown else pl.DataFrame(schema=TASKS)
    answers = shown.answers if shown else pl.DataFrame(schema=ANSWERS)
    return {
        "incoming_tasks": sql.conform(tasks, TASKS, "The tasks of a live source"),
        "incoming_answers": sql.conform(answers, ANSWERS, "The answers of a live source"),
    }


def cursor(con: duckdb.DuckDBPyConnection, stream: str) -> datetime | None:
    """Read up to when the changes of a stream are stored. None before its first batch."""
    with duckdb_errors("read the cursor of a live source"):
        rows = sql.rows(con, "live/cursor", stream=stream)
        return cast(datetime, rows[0][0]) if rows else None


def changed_tasks(con: duckdb.DuckDBPyConnection, stream: str, tasks: pl.DataFrame) -> set[str]:
    """List those of `tasks` (TASKS) that are new, or whose answers have changed since they were last read."""
    with duckdb_errors("compare the tasks of a live source"), sql.registered(con, incoming_tasks=tasks):
        return {str(task) for (task,) in sql.rows(con, "live/new", stream=stream)}


def recent_tasks(con: duckdb.DuckDBPyConnection, stream: str, since: datetime, upto: datetime) -> dict[str, datetime]:
    """Read when each known task of a stream changed last, of tasks that changed from `since` up to `upto`."""
    with duckdb_errors("list the tasks of a live source that changed last"):
        rows = sql.rows(con, "live/recent", stream=stream, since=since, upto=upto)
        return {str(task): cast(datetime, at) for task, at in rows}


def region_questions(con: duckdb.DuckDBPyConnection, stream: str) -> list[str]:
    """List the questions of a stream with spans or boxes. A task whose people marked nothing does not name them."""
    with duckdb_errors("list the questions of a live source"):
        return [str(question) for (question,) in sql.rows(con, "live/region_questions", stream=stream)]


def known_tasks(con: duckdb.DuckDBPyConnection, stream: str) -> dict[str, int]:
    """List the stored tasks of a stream, in order, and how many predictions each had. Deleted tasks are left out."""
    with duckdb_errors("list the tasks of a live source"):
        return {str(task): cast(int, n) for task, n in sql.rows(con, "live/known", stream=stream)}
