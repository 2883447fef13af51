"""What people do about alerts: list, acknowledge, close, accept and mute them."""

from collections.abc import Sequence
from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alerts import Tell
from warehouse.errors import duckdb_errors

CLOSED = "closed"
ACCEPTED = "accepted"


def list_alerts(
    con: duckdb.DuckDBPyConnection,
    *,
    question: str | None = None,
    kind: str | None = None,
    severity: str | None = None,
    incident_id: str | None = None,
    only_open: bool = True,
) -> pl.DataFrame:
    """Read rows of the view `alert_states`, the latest first. A filter that is None accepts all."""
    with duckdb_errors("list its alerts"):
        return sql.frame(
            con,
            "alerts/listed",
            question=question,
            kind=kind,
            severity=severity,
            incident_id=incident_id,
            only_open=only_open,
        )


def matching_alerts(con: duckdb.DuckDBPyConnection, id_start: str) -> pl.DataFrame:
    """Read rows of the view `alert_states` whose id, or whose incident's id, begins with a text."""
    return sql.read(con, "alerts/matching", "find an alert", id_start=id_start)


def chart_days(con: duckdb.DuckDBPyConnection, alert_id: str) -> pl.DataFrame:
    """Read the days of the chart behind an alert, from a few days before the change on. None of a rule."""
    return sql.read(con, "alerts/chart_days", "read the chart of an alert", alert_id=alert_id)


def acknowledge_alerts(con: duckdb.DuckDBPyConnection, alert_ids: Sequence[str], *, by: str, now: datetime) -> None:
    """Record who took note of open alerts. Those that are acknowledged already stay as they are."""
    with duckdb_errors("acknowledge alerts"), sql.transaction(con):
        sql.run(con, "alerts/acknowledge", alert_ids=list(alert_ids), by=by, now=now)


def close_alerts(
    con: duckdb.DuckDBPyConnection,
    alert_ids: Sequence[str],
    *,
    by: str,
    now: datetime,
    because: str | None = None,
    tell: Tell | None = None,
) -> None:
    """Close open alerts on behalf of a person. `tell` writes the messages, in the same transaction."""
    with duckdb_errors("close alerts"), sql.transaction(con):
        _close(con, alert_ids, by=by, now=now, because=because or CLOSED, tell=tell)


def accept_alerts(
    con: duckdb.DuckDBPyConnection, alert_ids: Sequence[str], *, by: str, now: datetime, tell: Tell | None = None
) -> None:
    """Make the changes of open chart alerts the new normal, and close the alerts. The next run draws the charts so."""
    with duckdb_errors("accept alerts"), sql.transaction(con):
        sql.run(con, "alerts/accept", alert_ids=list(alert_ids), by=by, now=now)
        _close(con, alert_ids, by=by, now=now, because=ACCEPTED, tell=tell)


def mute_alerts(con: duckdb.DuckDBPyConnection, alert_ids: Sequence[str], *, by: str, until: datetime) -> None:
    """Send no messages about open alerts until then."""
    with duckdb_errors("mute alerts"), sql.transaction(con):
        sql.run(con, "alerts/mute", alert_ids=list(alert_ids), by=by, until=until)


def _close(
    con: duckdb.DuckDBPyConnection,
    alert_ids: Sequence[str],
    *,
    by: str,
    now: datetime,
    because: str,
    tell: Tell | None,
) -> None:
    rows = sql.frame(con, "alerts/close_by_hand", alert_ids=list(alert_ids), by=by, because=because, now=now)
    if tell and rows.height:
        tell([AlertChange(**row, event="closed") for row in rows.to_dicts()])
