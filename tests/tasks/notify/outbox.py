"""Alerts and their messages for tests: opened as a run does it, in one transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb

from tasks.notify.message_context import MessageContext
from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.messages import MessageRoute, write_messages
from warehouse.connect import connect

TEAM = MessageRoute("KAPPAFLOW_NOTIFY_URL")
OPEN = """
insert into alerts by name
select
    $alert_id as alert_id, $incident_id as incident_id, $question as question, $kind as kind, $subject as subject,
    $severity as severity, $owner as owner, $now as opened_at, '2026-03-06'::date as changed_on,
    '2026-03-04'::date as changed_low, '2026-03-12'::date as changed_high, 0 as before, -.12 as after, 330 as n_items
"""
CLOSE = """
update alerts set closed_at = $now, closed_because = 'recovered'
where alert_id = (select alert_id from alerts where closed_at is null order by opened_at limit 1)
returning alert_id, incident_id, question, kind, subject, severity, owner
"""


def context(folder: Path) -> MessageContext:
    """The context of a project in the folder."""
    return MessageContext("Support", folder, folder / "report.html", folder / "published" / "snapshot.duckdb")


def open_alert(
    con: duckdb.DuckDBPyConnection,
    routes: Sequence[MessageRoute] = (TEAM,),
    now: datetime | None = None,
    **fields: Any,
) -> str:
    """Open an alert, each of an incident of its own, and write its messages, in one transaction. Returns its id."""
    defaults = {
        "incident_id": str(uuid4()), "question": "tone", "kind": "rater", "subject": "r3", "severity": "warning",
        "owner": None,
    }  # fmt: skip
    values = {"alert_id": str(uuid4()), **defaults, **fields}
    opened_at = now or datetime.now(UTC)
    with sql.transaction(con):
        con.execute(OPEN, {**values, "now": opened_at})
        write_messages(con, [AlertChange(**values, event="opened")], routes, run_id="run", now=opened_at)
    return str(values["alert_id"])


def close_oldest(con: duckdb.DuckDBPyConnection, routes: Sequence[MessageRoute] = (TEAM,)) -> str | None:
    """Close the alert that was opened first, and write its messages, in one transaction. Returns its id."""
    now = datetime.now(UTC)
    with sql.transaction(con):
        con.execute(CLOSE, {"now": now})
        rows = con.fetchall()
        if rows:
            write_messages(con, [AlertChange(*rows[0], event="closed")], routes, run_id="run", now=now)
    return str(rows[0][0]) if rows else None


def open_alert_in(db: Path, **fields: Any) -> str:
    """Open an alert in the warehouse at this path."""
    with connect(db) as con:
        return open_alert(con, **fields)


def messages(db: Path, columns: str) -> list[tuple[Any, ...]]:
    """The rows of `messages` in the order in which they were written."""
    with connect(db, read_only=True) as con:
        return con.sql(f"select {columns} from messages order by written_at").fetchall()
