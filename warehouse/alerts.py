"""Store alerts: open one when its condition is first met, update it while the condition holds, close it afterwards."""

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
    """How many alerts of the question were opened, updated and closed."""

    n_opened: int
    n_refreshed: int
    n_closed: int


def sync_alerts(
    con: duckdb.DuckDBPyConnection, *, question: str, open_alerts: pl.DataFrame, now: datetime
) -> AlertCounts:
    """Make `open_alerts` the open alerts of a question, in one transaction. Columns: ALERTS, one row per kind.

    Raises WarehouseError if a kind is null or occurs twice.
    """
    alerts = sql.conform(open_alerts, ALERTS, "Alerts")
    if alerts["kind"].null_count() or alerts["kind"].is_duplicated().any():
        raise WarehouseError(
            f"A question has at most one alert of a kind, but {question} has {sorted(alerts['kind'], key=str)}.",
            "Put what it concerns into the kind, e.g. low_agreement:fleiss_kappa.",
        )
    with (
        duckdb_errors(f"store the alerts of {question}"),
        sql.registered(con, incoming_alerts=alerts),
        sql.transaction(con),
    ):
        closed = sql.rows(con, "alerts/close", question=question, now=now)
        refreshed = sql.rows(con, "alerts/refresh", question=question)
        opened = sql.rows(con, "alerts/open", question=question, now=now)
    return AlertCounts(len(opened), len(refreshed), len(closed))
