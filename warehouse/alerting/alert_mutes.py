"""Mute alerts: they are stored and shown, but no message tells of them until some time."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import duckdb
import polars as pl

from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.errors import duckdb_errors

BY_SETTINGS = "kappaflow.toml"
MUTES: dict[str, pl.DataType] = {
    "question": pl.String(),
    "kind": pl.String(),
    "subject": pl.String(),
    "until": pl.Datetime("us", "UTC"),
}


@dataclass(frozen=True)
class AlertMute:
    """Alerts that the settings mute. question, kind, subject: a name, or a pattern with * and ?; None means all."""

    until: datetime
    question: str | None = None
    kind: str | None = None
    subject: str | None = None


def mute_by_settings(con: duckdb.DuckDBPyConnection, mutes: Sequence[AlertMute], *, now: datetime) -> None:
    """Mute the open alerts that the settings name, and end the mutes that the settings no longer name.

    What a person muted stays as it is. Call it in a transaction.
    """
    rows = pl.DataFrame([asdict(mute) for mute in mutes], schema=MUTES)
    with duckdb_errors("mute alerts"), sql.registered(con, incoming_mutes=rows):
        sql.run(con, "alerts/mute_by_settings", by=BY_SETTINGS, now=now)


def without_muted(
    con: duckdb.DuckDBPyConnection, changes: Sequence[AlertChange], *, now: datetime
) -> list[AlertChange]:
    """Return the changes of alerts that are not muted now."""
    alert_ids = [change.alert_id for change in changes]
    muted = {row[0] for row in sql.rows(con, "alerts/muted", alert_ids=alert_ids, now=now)}
    return [change for change in changes if change.alert_id not in muted]
