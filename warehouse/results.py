"""Runs and their results: one transaction holds a run's row and all the rows that it found."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors

# Table of results -> the query that writes it, from a frame named incoming_<table>.
TABLES: Mapping[str, str] = {
    "agreement": "insert_agreement",
    "pairwise_agreement": "insert_pairwise_agreement",
    "rater_quality": "insert_rater_quality",
    "system_accuracy": "insert_system_accuracy",
    "accuracy_bins": "insert_accuracy_bins",
    "assumption_checks": "insert_assumption_checks",
    "item_consensus": "insert_item_consensus",
    "system_differences": "insert_system_differences",
    "systems_against_raters": "insert_systems_against_raters",
    "annotator_tests": "insert_annotator_tests",
    "label_quality": "insert_label_quality",
}


@dataclass(frozen=True, kw_only=True)
class Run:
    """One piece of work, on one question or on all (None). status: running, succeeded, failed, crashed.

    `settings` is JSON. `input_revision` is the question's revision, read together with its ratings; with
    `settings_hash` (which should cover the code version too) it tells later whether the question must be run again.
    """

    run_id: str
    kind: str
    question: str | None
    code_version: str
    started_at: datetime
    status: str = "running"
    settings: str | None = None
    settings_hash: str | None = None
    seed: int | None = None
    input_revision: int | None = None
    n_ratings: int | None = None
    ended_at: datetime | None = None
    detail: str | None = None


def start_run(con: duckdb.DuckDBPyConnection, run: Run) -> None:
    """Note that a run is under way."""
    _write_run(con, run)


def finish_run(
    con: duckdb.DuckDBPyConnection, run_id: str, *, status: str, ended_at: datetime, detail: str | None = None
) -> None:
    """End a run that is under way, with or without results. Raises WarehouseError where no such run is."""
    with duckdb_errors(f"end run {run_id}"):
        if not sql.rows(con, "run_finish", run_id=run_id, status=status, ended_at=ended_at, detail=detail):
            raise WarehouseError(f"No run {run_id} is under way, so it cannot end.", "It may have ended already.")


def write_results(con: duckdb.DuckDBPyConnection, run: Run, tables: Mapping[str, pl.DataFrame]) -> None:
    """Store the results of a run of one question, and the run's row, in one transaction.

    tables: name of a table of results (TABLES) -> its rows, with DESIGN's columns less run_id and question; columns
    that are missing are null. A run that has succeeded already changes nothing, so a retry is safe. Raises
    WarehouseError, and stores nothing, on an unknown table or column, and on a NaN or an infinity.
    """
    if run.question is None:
        raise WarehouseError(f"Results belong to a question, but run {run.run_id} has none.")
    for name, rows in tables.items():
        _must_be_storable(name, rows)
    frames = {f"incoming_{name}": rows for name, rows in tables.items()}
    with duckdb_errors(f"store the results of run {run.run_id}"), sql.registered(con, **frames), sql.transaction(con):
        if sql.rows(con, "run_status", run_id=run.run_id) == [("succeeded",)]:
            return
        sql.run(con, "run_write", **asdict(run))
        for name in tables:
            sql.run(con, TABLES[name], run_id=run.run_id, question=run.question)


def reconcile(con: duckdb.DuckDBPyConnection, now: datetime, *, under_way: Collection[str] = ()) -> list[str]:
    """Mark runs that are still running as crashed, but for those `under_way` (see `warehouse.running`); gives their
    ids."""
    with duckdb_errors("close the runs left open"):
        return [str(run_id) for (run_id,) in sql.rows(con, "run_reconcile", now=now, under_way=list(under_way))]


def succeeded(run: Run, ended_at: datetime) -> Run:
    """The run, ended well."""
    return replace(run, status="succeeded", ended_at=ended_at)


def _write_run(con: duckdb.DuckDBPyConnection, run: Run) -> None:
    with duckdb_errors(f"store run {run.run_id}"), sql.transaction(con):
        sql.run(con, "run_write", **asdict(run))


def _must_be_storable(name: str, rows: pl.DataFrame) -> None:
    if name not in TABLES:
        raise WarehouseError(f"There is no table of results {name!r}; there are {', '.join(TABLES)}.")
    for column, dtype in rows.schema.items():
        if dtype.is_float() and not rows[column].is_finite().all():
            found = next(value for value in rows[column] if value is not None and not math.isfinite(value))
            raise WarehouseError(
                f"A figure is a number or null with a reason, but {name}.{column} holds {found}.",
                "This is an error of kappaflow. Nothing was stored; please report it.",
            )
