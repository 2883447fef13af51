"""Store runs and their results. One transaction holds a run's row and all its result rows."""

import math
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors

CONSENSUS = "item_consensus"
TABLES = (
    "agreement",
    "pairwise_agreement",
    "rater_quality",
    "system_accuracy",
    "accuracy_bins",
    "assumption_checks",
    CONSENSUS,
    "system_differences",
    "systems_against_raters",
    "annotator_tests",
    "label_quality",
    "rater_scorecards",
    "rater_bias",
    "label_rates",
    "label_rate_differences",
    "model_strengths",
    "preference_figures",
    "region_agreement",
    "shared_errors",
)
"""The result tables that keep the rows of each run."""
WINDOW_TABLES = (
    "label_windows",
    "label_confusion_windows",
    "rater_windows",
    "system_windows",
    "label_rate_windows",
    "region_windows",
)
"""The result tables that a run replaces: they hold what the last run of a question computed."""
DISTANCES = "item_distances"
"""The result table that an evaluation replaces."""
DIGEST: dict[str, pl.DataType | type[pl.DataType]] = {
    "results": pl.String,
    "period": pl.String,
    "period_start": pl.Datetime("us", "UTC"),
    "period_end": pl.Datetime("us", "UTC"),
    "batch_id": pl.String,
    "digest": pl.String,
    "is_kept": pl.Boolean,
}
"""The digest of a window for one kind of results (agreement, labels). is_kept: its stored rows stay."""
_DEFAULTS = {"system_accuracy": {"scope": "all"}}  # As the column default in the migrations.


@dataclass(frozen=True, kw_only=True)
class Run:
    """Describe one run, on one question or on all (None). status: running, succeeded, failed, crashed.

    `settings` is JSON. `input_revision` is the question's revision, read together with its ratings. If it or
    `settings_hash` (which covers the code version) differs later, the question is run again.
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
    """Store a run that starts now."""
    _write_run(con, run)


def finish_run(
    con: duckdb.DuckDBPyConnection, run_id: str, *, status: str, ended_at: datetime, detail: str | None = None
) -> None:
    """End a run, with or without results. Raises WarehouseError if no such run is under way."""
    with duckdb_errors(f"end run {run_id}"):
        if not sql.rows(con, "runs/finish", run_id=run_id, status=status, ended_at=ended_at, detail=detail):
            raise WarehouseError(
                f"No run {run_id} is under way, so it cannot end.",
                "It may have ended already, or a backup was restored while it worked.",
            )


def write_results(
    con: duckdb.DuckDBPyConnection,
    run: Run,
    tables: Mapping[str, pl.DataFrame],
    *,
    digests: pl.DataFrame | None = None,
) -> None:
    """Store the results of a run of one question, and the run's row, in one transaction.

    tables: name of a result table (TABLES, WINDOW_TABLES, DISTANCES) -> its rows, without run_id and question. Missing
    columns are null. The consensus has the column pattern_id in place of item. Where `digests` (DIGEST) keep a window,
    its rows of the last run become those of this run; all other rows of windows are replaced. A run that has succeeded
    already changes nothing, so a retry is safe. Raises WarehouseError, and stores nothing, for an unknown table or
    column, a NaN or an infinity.
    """
    if run.question is None:
        raise WarehouseError(f"Results belong to a question, but run {run.run_id} has none.")
    for name, rows in tables.items():
        _must_be_storable(name, rows)
    incoming = {f"incoming_{name}": rows for name, rows in tables.items() if name == CONSENSUS}
    if any(name in WINDOW_TABLES for name in tables):
        incoming["incoming_windows"] = pl.DataFrame(schema=DIGEST) if digests is None else digests.select(*DIGEST)
    with (
        duckdb_errors(f"store the results of run {run.run_id}"),
        sql.registered(con, **incoming),
        sql.transaction(con),
    ):
        if sql.rows(con, "runs/status", run_id=run.run_id) == [("succeeded",)]:
            return
        sql.run(con, "runs/write", **asdict(run), now=_now())
        if "incoming_windows" in incoming:
            sql.run(con, "results/keep_windows", run_id=run.run_id, question=run.question)
            sql.run(con, "results/forget_windows", run_id=run.run_id, question=run.question)
        if run.kind == "evaluate" and run.status == "succeeded":
            sql.run(con, "results/forget_distances", question=run.question)
        for name, rows in tables.items():
            if name == CONSENSUS:
                sql.run(con, "results/item_consensus", run_id=run.run_id, question=run.question)
            else:
                defaults = {key: value for key, value in _DEFAULTS.get(name, {}).items() if key not in rows.columns}
                constants = {"run_id": run.run_id, "question": run.question, **defaults}
                sql.append(con, name, rows.with_columns(pl.lit(value).alias(key) for key, value in constants.items()))


def stored_digests(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the digests of the windows that the last run of a question stored: results, period, period_start,
    period_end, batch_id, digest."""
    return sql.read(con, "results/stored_digests", f"read the windows of {question}", question=question)


def last_accuracies(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the accuracies of people and systems over all items, by the last evaluation: kind (human, system, or people
    for all of them together), subject, accuracy, low, high, reason, detail."""
    return sql.read(con, "results/last_accuracies", f"read the accuracies of {question}", question=question)


def last_rates(con: duckdb.DuckDBPyConnection, question: str) -> pl.DataFrame:
    """Read the label rates by the raters over all items, by the last evaluation: system, label, estimate, low, high."""
    return sql.read(con, "results/last_rates", f"read the label rates of {question}", question=question)


def last_evaluations(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the id of the last evaluation of each question that has one."""
    with duckdb_errors("find the last evaluations"):
        return {str(question): str(run_id) for question, run_id in sql.rows(con, "results/last_evaluations")}


def reconcile(con: duckdb.DuckDBPyConnection, now: datetime, *, under_way: Collection[str] = ()) -> list[str]:
    """Mark running runs as crashed, except those in `under_way` (see warehouse.runs.running_processes). Returns the
    ids of the marked runs."""
    with duckdb_errors("close the runs left open"):
        return [str(run_id) for (run_id,) in sql.rows(con, "runs/reconcile", now=now, under_way=list(under_way))]


def _now() -> datetime:
    return datetime.now(UTC)


def _write_run(con: duckdb.DuckDBPyConnection, run: Run) -> None:
    with duckdb_errors(f"store run {run.run_id}"), sql.transaction(con):
        sql.run(con, "runs/write", **asdict(run), now=_now())


def _must_be_storable(name: str, rows: pl.DataFrame) -> None:
    if name not in (names := (*TABLES, *WINDOW_TABLES, DISTANCES)):
        raise WarehouseError(f"There is no table of results {name!r}; there are {', '.join(names)}.")
    for column, dtype in rows.schema.items():
        if dtype.is_float() and not rows[column].is_finite().all():
            value = next(value for value in rows[column] if value is not None and not math.isfinite(value))
            raise WarehouseError(
                f"A figure is a number or null with a reason, but {name}.{column} holds {value}.",
                "This is an error of kappaflow. Nothing was stored; please report it.",
            )
