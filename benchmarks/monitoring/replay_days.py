"""Bring half a year into a project day by day: through the stages in this process, or by runs with Prefect."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.monitoring.half_year import Day
from schemas.rating_columns import METADATA, RATINGS, REJECTS
from tasks.monitor.chart_updates import update_charts
from tasks.monitor.monitoring_configs import MonitoringConfigs
from tasks.runs.run_records import open_run
from warehouse.batches import Batch, store_batch
from warehouse.connect import connect

QUESTION, URL = "topic", "KAPPAFLOW_REPLAY_URL"
EMPTY = pl.DataFrame(schema=dict(REJECTS)), pl.DataFrame(schema=dict(METADATA))
SETTINGS = f"""
[questions.{QUESTION}]
systems = ["north", "south"]

[[notify]]
url_env = "{URL}"
"""


@dataclass(frozen=True)
class Alert:
    """An alert as it is after the last day. seen_on: the day on which a run opened it."""

    kind: str
    subject: str | None
    detected_on: date
    changed_on: date
    changed_low: date
    changed_high: date
    closed_because: str | None
    seen_on: date

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "Alert":
        """Return an alert from its JSON object, in which days are text."""
        days = ("detected_on", "changed_on", "changed_low", "changed_high", "seen_on")
        return cls(**values | {name: date.fromisoformat(values[name]) for name in days})


@dataclass
class Progress:
    """The days that were run, when each alert was first seen, and the processor time, without that of the server."""

    days: list[str] = field(default_factory=list)
    seen: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @classmethod
    def of(cls, folder: Path) -> "Progress":
        """Read the progress of a project."""
        file = folder / "progress.json"
        return cls(**json.loads(file.read_text(encoding="utf-8"))) if file.exists() else cls()

    def write(self, folder: Path) -> None:
        """Replace the progress of a project."""
        draft = folder / "progress.json.new"
        draft.write_text(json.dumps(asdict(self)), encoding="utf-8")
        draft.replace(folder / "progress.json")


@dataclass(frozen=True)
class Receiver:
    """A webhook on this machine. It adds each body that it receives to a file, one a line."""

    url: str
    file: Path

    @property
    def n_messages(self) -> int:
        """The messages in all digests."""
        bodies = self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else []
        return len({message for body in bodies for message in json.loads(body)["message_ids"]})


def replay_in_process(folder: Path, days: Iterator[Day]) -> list[Alert]:
    """Store each day as a batch and update charts and alerts after it, as the stages of a run do."""
    db, seen = folder / "warehouse.duckdb", {}
    for number, day in enumerate(days):
        now = datetime.combine(day.arrival, time(20), tzinfo=UTC)
        if not number:
            open_run(db, "replay", "1", now=now)
        _store(db, day, now)
        changed = False
        for update in update_charts(db, MonitoringConfigs({}), now=now):
            if update.error:
                raise RuntimeError(f"{day.arrival}: {update.error}")
            changed = changed or bool(update.changes)
        if changed:
            seen.update({key: day.arrival for key in alert_ids(db) if key not in seen})
    return _alerts(db, seen)


def replay_by_runs(folder: Path, seed: int, n_days: int) -> tuple[list[Alert], float, int]:
    """Run the pipeline of a project after each day, which sends its messages to a webhook server.

    Goes on where an earlier call ended. Return the alerts, the processor time of the runs, and how many messages came.
    """
    (folder / "inbox" / QUESTION).mkdir(parents=True, exist_ok=True)
    (folder / "kappaflow.toml").write_text(SETTINGS, encoding="utf-8")
    with receiver(folder / "received.jsonl") as webhook:
        run = subprocess.run(
            [sys.executable, "-m", "benchmarks.monitoring.replay_runs", folder, str(seed), str(n_days)],
            env={**os.environ, URL: webhook.url},
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            raise RuntimeError(f"The runs end with {run.returncode}: {run.stdout}{run.stderr[-2000:]}")
    progress = Progress.of(folder)
    seen = {key: date.fromisoformat(day) for key, day in progress.seen.items()}
    return _alerts(folder / "warehouse.duckdb", seen), progress.seconds, webhook.n_messages


@contextmanager
def receiver(file: Path) -> Iterator[Receiver]:
    """Receive messages into a file while the block runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(body) + "\n")
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        inside = Receiver(f"json://127.0.0.1:{server.server_address[1]}/hook", file)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield inside
        finally:
            server.shutdown()
            thread.join()


def _store(db: Path, day: Day, now: datetime) -> None:
    name = day.arrival.isoformat()
    frame = day.ratings.with_columns(question=pl.lit(QUESTION), row_number=pl.int_range(pl.len()) + 1)
    full = frame.with_columns(
        pl.lit(None, dtype).alias(column) for column, dtype in RATINGS.items() if column not in frame
    )
    batch = Batch(
        batch_id=name,
        source="inbox",
        file_name=f"{name}.csv",
        sha256=name,
        reader="long",
        status="stored",
        n_rows=full.height,
        n_skipped=0,
        started_at=now,
    )
    with connect(db) as con:
        store_batch(con, batch, full.select(pl.col(c).cast(t) for c, t in RATINGS.items()), *EMPTY, now=now)


def alert_ids(db: Path) -> list[str]:
    """Return the ids of all alerts."""
    with connect(db, read_only=True) as con:
        return [str(key) for (key,) in con.table("alerts").select("alert_id").fetchall()]


def _alerts(db: Path, seen: dict[str, date]) -> list[Alert]:
    """Return the alerts of charts, in the order in which they were found."""
    columns = "kind, subject, detected_on, changed_on, changed_low, changed_high, closed_because, alert_id"
    with connect(db, read_only=True) as con:
        rows = con.table("alerts").filter("detected_on is not null").select(columns).fetchall()
    alerts = [Alert(*row[:-1], seen[str(row[-1])]) for row in rows]
    return sorted(alerts, key=lambda alert: (alert.seen_on, alert.kind, alert.subject or ""))
