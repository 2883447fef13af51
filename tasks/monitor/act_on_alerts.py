"""Acknowledge, close, accept and mute alerts, which are named by the first characters of their ids."""

import getpass
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import polars as pl

from tasks.errors import InputError
from tasks.monitor.alert_kinds import KINDS, SEVERITIES
from warehouse.alerting import alert_actions
from warehouse.alerting.alert_matching import CHART_KINDS
from warehouse.alerting.messages import MessageRoute, write_messages
from warehouse.connect import MAX_WAIT_SECONDS, connect
from warehouse.migrate import pending
from warehouse.project_time import stored_timezone
from warehouse.questions import stored_questions

LIST_THEM = "`kappaflow alerts` lists the open alerts, and with --all the closed ones."
MIN_ID = 4  # characters of an id that a person has to give


@dataclass(frozen=True)
class AlertDesk:
    """What an action on alerts needs: the warehouse, the channels that get messages, and who acts.

    wait_seconds: how long to wait for a run that holds the warehouse.
    """

    db: Path
    routes: Sequence[MessageRoute]
    by: str
    wait_seconds: float = MAX_WAIT_SECONDS

    def acknowledge(self, id_starts: Sequence[str]) -> pl.DataFrame:
        """Record who took note of the alerts. Return their rows of `alert_states`."""
        with self._opened(id_starts) as (con, alerts):
            ids = _ids(alerts)
            alert_actions.acknowledge_alerts(con, ids, by=self.by, now=datetime.now(UTC))
            return _rows(con, ids)

    def close(self, id_starts: Sequence[str], because: str | None = None) -> pl.DataFrame:
        """Close the alerts. Return their rows of `alert_states`."""
        with self._opened(id_starts) as (con, alerts):
            ids, now = _ids(alerts), datetime.now(UTC)
            alert_actions.close_alerts(con, ids, by=self.by, because=because, now=now, tell=self._tell(con, now))
            return _rows(con, ids)

    def accept(self, id_starts: Sequence[str]) -> pl.DataFrame:
        """Make the changes that charts found the new normal. Return the rows of `alert_states`."""
        with self._opened(id_starts) as (con, alerts):
            rules = alerts.filter(~pl.col("kind").is_in(CHART_KINDS))
            if rules.height:
                alert = rules.row(0, named=True)
                raise InputError(
                    f"The alert {alert['alert_id']} is one of the rule {alert['kind']}, which has no normal.",
                    "Change the limit of the rule in kappaflow.toml, or close the alert: `kappaflow alerts close`.",
                )
            ids, now = _ids(alerts), datetime.now(UTC)
            alert_actions.accept_alerts(con, ids, by=self.by, now=now, tell=self._tell(con, now))
            return _rows(con, ids)

    def mute(self, id_starts: Sequence[str], until: date) -> pl.DataFrame:
        """Send no messages about the alerts before this day begins. Return their rows of `alert_states`."""
        with self._opened(id_starts) as (con, alerts):
            ids = _ids(alerts)
            start = start_of(until, stored_timezone(con))
            alert_actions.mute_alerts(con, ids, by=self.by, until=start)
            return _rows(con, ids)

    @contextmanager
    def _opened(self, id_starts: Sequence[str]) -> Iterator[tuple[duckdb.DuckDBPyConnection, pl.DataFrame]]:
        """Open the warehouse, and yield it with the open alerts that the ids name."""
        if not self.db.exists():
            raise InputError(f"There is no warehouse at {self.db} yet.", "Run `kappaflow run` to make one.")
        with connect(self.db, wait_seconds=self.wait_seconds) as con:
            if pending(con):
                raise InputError(
                    f"The warehouse {self.db} is of an earlier version of kappaflow.",
                    "Run `kappaflow run` once: it brings the warehouse up to date, with all its alerts.",
                )
            alerts = pl.concat([find_alerts(con, id_start) for id_start in id_starts]).unique("alert_id")
            is_open = alerts.filter(pl.col("state") != "closed")
            if is_open.is_empty():
                alert = alerts.row(0, named=True)
                raise InputError(
                    f"The alert {alert['alert_id']} was closed on {alert['closed_at']:%Y-%m-%d}"
                    f" ({alert['closed_because']}): nothing is left to do about it.",
                    LIST_THEM,
                )
            yield con, is_open

    def _tell(self, con: duckdb.DuckDBPyConnection, now: datetime) -> Callable[..., None]:
        return lambda changes: write_messages(con, changes, self.routes, run_id=None, now=now)


def find_alerts(con: duckdb.DuckDBPyConnection, id_start: str) -> pl.DataFrame:
    """Return the row of `alert_states` of an alert, or the rows of an incident, by the first characters of the id.

    Raises InputError if no id begins so, or the ids of more than one alert do.
    """
    if len(id_start) < MIN_ID:
        raise InputError(f"{id_start!r} is too short for the id of an alert.", f"Give {MIN_ID} characters or more.")
    rows = alert_actions.matching_alerts(con, id_start)
    of_alert = rows.filter(pl.col("alert_id").str.starts_with(id_start))
    if of_alert.height == 1 or id_start in of_alert["alert_id"]:
        return of_alert.filter((pl.col("alert_id") == id_start) | (of_alert.height == 1))
    if of_alert.height > 1:
        raise InputError(f"{of_alert.height} alerts have an id that begins with {id_start!r}.", "Give more of the id.")
    if rows.is_empty():
        raise InputError(f"No alert and no incident has an id that begins with {id_start!r}.", LIST_THEM)
    if rows["incident_id"].n_unique() > 1:
        raise InputError(f"Several incidents have an id that begins with {id_start!r}.", "Give more of the id.")
    return rows


def read_alerts(
    snapshot: Path, *, question: str | None, kind: str | None, severity: str | None, only_open: bool
) -> pl.DataFrame:
    """Read rows of `alert_states`, critical ones first. Raises InputError if a filter names what does not exist."""
    if kind is not None and kind not in KINDS:
        raise InputError(f"There is no kind of alert {kind!r}.", f"The kinds are {', '.join(KINDS)}.")
    if severity is not None and severity not in SEVERITIES:
        raise InputError(f"There is no severity {severity!r}.", f"Use {' or '.join(SEVERITIES)}.")
    with connect(snapshot, read_only=True) as con:
        if question is not None and question not in {stored.question for stored in stored_questions(con)}:
            raise InputError(f"There is no question {question!r}.", "Questions: kappaflow status.")
        return alert_actions.list_alerts(con, question=question, kind=kind, severity=severity, only_open=only_open)


def start_of(day: date, timezone: str) -> datetime:
    """Return the moment at which a day begins in a time zone."""
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(timezone))


def _ids(alerts: pl.DataFrame) -> list[str]:
    return alerts["alert_id"].to_list()


def _rows(con: duckdb.DuckDBPyConnection, alert_ids: Sequence[str]) -> pl.DataFrame:
    return alert_actions.list_alerts(con, only_open=False).filter(pl.col("alert_id").is_in(alert_ids))


def login_name() -> str:
    """Return the name of the user; a process in a container may have none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
