"""The process that is killed while it opens alerts, writes their messages and sends them: `python -m
tests.crash.messages_child`, told what to do as tests.crash.child is.

Commands: `open N` alerts, of rules and of charts, as a run does it; `close` the oldest open one; `send URL`. What was
committed is noted in the file `committed` of the folder.
"""

import importlib
import os
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import uuid4

import duckdb
import polars as pl

from tasks.notify.send_messages import send_messages
from tests.crash.child import DUCKDB, serve
from tests.tasks.notify.outbox import context
from warehouse import sql
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.alert_matching import CHART_KINDS, ChartAlert
from warehouse.alerting.alerts import sync_alerts, sync_chart_alerts
from warehouse.alerting.messages import MessageRoute, write_messages
from warehouse.connect import connect

CHANNELS = ("TEAM_URL", "BOSS_URL")
ROUTES = tuple(MessageRoute(channel) for channel in CHANNELS)
QUESTION, RULE, CHART = "tone", "rater_missing", "rater"
DAY = date(2026, 3, 6)
STEPS = (
    *DUCKDB,
    "warehouse/alerting/alerts.py",
    "warehouse/alerting/messages.py",
    "tasks/notify/send_messages.py",
    "tasks/notify/channels.py",
    "tasks/notify/sending_lock.py",
)


def main() -> None:
    for name in ("apprise", "apprise.plugins.custom_json", "apprise.plugins.custom_xml", "apprise.plugins.email"):
        importlib.import_module(name)
    serve(work, STEPS)


def work(arguments: Sequence[str], folder: str) -> int:
    """Do one command on the warehouse in the folder."""
    db = Path(folder) / "warehouse.duckdb"
    command, *rest = arguments
    if command == "send":
        os.environ.update({channel: f"{rest[0]}/{channel}" for channel in CHANNELS})
        send_messages(db, ROUTES, context(db.parent), run_id="run")
        return 0
    for number in range(int(rest[0]) if rest else 1):
        with connect(db) as con:
            changes = _open(con, number % 2 == 1) if command == "open" else _close_oldest(con)
        for change in changes:
            _note(Path(folder) / "committed", f"{change.event} {change.alert_id}\n")
    return 0


def _open(con: duckdb.DuckDBPyConnection, of_chart: bool) -> list[AlertChange]:
    """Open one alert beside those that are open."""
    kind = CHART if of_chart else RULE
    return _sync(con, [*_open_alerts(con), (kind, f"r{uuid4().hex}")], kind)


def _close_oldest(con: duckdb.DuckDBPyConnection) -> list[AlertChange]:
    """Let the cause of the oldest open alert end."""
    is_open = _open_alerts(con)
    return _sync(con, is_open[1:], is_open[0][0]) if is_open else []


def _open_alerts(con: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    return con.sql("select kind, subject from alerts where closed_at is null order by opened_at, alert_id").fetchall()  # type: ignore[return-value]


def _sync(con: duckdb.DuckDBPyConnection, alerts: Sequence[tuple[str, str]], kind: str) -> list[AlertChange]:
    """Make these the open alerts of the kind, by the functions of a run, and return what changed."""
    now, changes = datetime.now(UTC), list[AlertChange]()

    def tell(told: Sequence[AlertChange]) -> None:
        changes.extend(told)
        write_messages(con, told, ROUTES, run_id="run", now=now)

    subjects = [subject for result, subject in alerts if result == kind]
    if kind in CHART_KINDS:
        with sql.transaction(con):
            sync_chart_alerts(con, question=QUESTION, alarms=_alarms(subjects), now=now, tell=tell)
        return changes
    rows = [{"kind": kind, "subject": name, "severity": "warning", "evidence": "e", "detail": "d"} for name in subjects]
    schema = dict.fromkeys(("kind", "subject", "severity", "evidence", "detail"), pl.String)
    sync_alerts(con, question=QUESTION, open_alerts=pl.DataFrame(rows, schema=schema), now=now, tell=tell)
    return changes


def _alarms(subjects: Sequence[str]) -> list[ChartAlert]:
    """The alarms of the charts of these raters, each an incident of its own."""
    return [
        ChartAlert(CHART, subject, "warning", DAY, DAY, DAY, DAY, 0.0, -0.12, 330, "e", "d", number)
        for number, subject in enumerate(subjects)
    ]


def _note(path: Path, line: str) -> None:
    """Append a line that a kill cannot take back."""
    with path.open("a") as file:
        file.write(line)
        file.flush()
        os.fsync(file.fileno())


if __name__ == "__main__":
    main()
