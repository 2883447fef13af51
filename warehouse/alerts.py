"""Alerts: opened when a condition is first seen, kept up to date while it holds, closed when it no longer does."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors

ALERTS: Mapping[str, pl.DataType] = {
    "kind": pl.String(),
    "severity": pl.String(),
    "evidence": pl.String(),
    "detail": pl.String(),
}


@dataclass(frozen=True)
class AlertCounts:
    """How many alerts of the question were opened, were open and still hold, and were closed."""

    n_opened: int
    n_refreshed: int
    n_closed: int


def sync_alerts(
    con: duckdb.DuckDBPyConnection, *, question: str, open_alerts: pl.DataFrame, now: datetime
) -> AlertCounts:
    """Make the open alerts of a question those given (columns: see ALERTS; one row per kind), in one transaction.

    Raises WarehouseError where a kind is null or given twice.
    """
    wanted = sql.conform(open_alerts, ALERTS, "Alerts")
    if wanted["kind"].null_count() or wanted["kind"].is_duplicated().any():
        raise WarehouseError(
            f"A question has at most one alert of a kind, but {question} has {sorted(wanted['kind'], key=str)}.",
            "Put what it concerns into the kind, e.g. low_agreement:fleiss_kappa.",
        )
    with (
        duckdb_errors(f"store the alerts of {question}"),
        sql.registered(con, incoming_alerts=wanted),
        sql.transaction(con),
    ):
        closed = sql.rows(con, "alerts_close", question=question, now=now)
        refreshed = sql.rows(con, "alerts_refresh", question=question)
        opened = sql.rows(con, "alerts_open", question=question, now=now)
    return AlertCounts(len(opened), len(refreshed), len(closed))
