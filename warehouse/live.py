"""What is remembered of a live source: how far it was read, and what its tasks had then."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import duckdb_errors

TASKS: Mapping[str, pl.DataType] = {"task": pl.String(), "state": pl.String(), "n_predictions": pl.Int64()}
ANSWERS: Mapping[str, pl.DataType] = dict.fromkeys(("task", "question", "item", "source_ref"), pl.String())


@dataclass(frozen=True)
class Shown:
    """What a batch of a live source shows besides its ratings.

    `stream` is the identity of one project of one source. `tasks` (TASKS) are the tasks that were read whole, each with
    a hash of the answers it has, null for one that was deleted, and its number of predictions. `answers` (ANSWERS) are
    all the answers of these tasks: one that such a task had before and that is not among them is deleted. `cursor`: all
    changes up to then have been taken in with this batch; None leaves it where it is.
    """

    stream: str
    cursor: datetime | None
    tasks: pl.DataFrame
    answers: pl.DataFrame


def frames(shown: Shown | None) -> dict[str, pl.DataFrame]:
    """The frames as the SQL reads them; empty for a file."""
    tasks = shown.tasks if shown else pl.DataFrame(schema=TASKS)
    answers = shown.answers if shown else pl.DataFrame(schema=ANSWERS)
    return {
        "incoming_tasks": sql.conform(tasks, TASKS, "The tasks of a live source"),
        "incoming_answers": sql.conform(answers, ANSWERS, "The answers of a live source"),
    }


def cursor(con: duckdb.DuckDBPyConnection, stream: str) -> datetime | None:
    """Up to when the changes of a stream have been taken in; None before its first batch."""
    with duckdb_errors("read the cursor of a live source"):
        found = sql.rows(con, "live_cursor", stream=stream)
        return cast(datetime, found[0][0]) if found else None


def changed_tasks(con: duckdb.DuckDBPyConnection, stream: str, tasks: pl.DataFrame) -> set[str]:
    """Of `tasks` (TASKS) those that are new, or have other answers than when they were last seen."""
    with duckdb_errors("compare the tasks of a live source"), sql.registered(con, incoming_tasks=tasks):
        return {str(task) for (task,) in sql.rows(con, "live_new", stream=stream)}


def known_tasks(con: duckdb.DuckDBPyConnection, stream: str) -> dict[str, int]:
    """The tasks of a stream that have been seen and not deleted, in order, and how many predictions each had."""
    with duckdb_errors("list the tasks of a live source"):
        return {str(task): cast(int, n) for task, n in sql.rows(con, "live_known", stream=stream)}
