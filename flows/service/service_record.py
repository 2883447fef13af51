"""Which `kappaflow serve` works on a project: a file that it holds locked as long as it lives.

The operating system releases the lock when the process ends, even if it was killed. Windows has no such locks: there
two services on one project are not noticed.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from flows.project_folder import Project
from flows.service.cron_times import next_cron_run
from tasks.errors import InputError
from warehouse.file.file_lock import wait_for_lock


@dataclass(frozen=True)
class Service:
    """A running `kappaflow serve`: its process, when it started (UTC), and its schedule: seconds or a cron line."""

    pid: int
    started_at: datetime
    every: int | None
    cron: str | None
    timezone: str

    def next_run(self, now: datetime) -> datetime:
        """Return when the schedule starts the first run after `now`.

        The time is in the schedule's time zone for a cron line, else in this machine's.

        >>> service = Service(1, datetime(2026, 11, 22, tzinfo=UTC), None, "30 6 * * *", "Europe/Berlin")
        >>> f"{service.next_run(datetime(2026, 11, 22, 13, tzinfo=UTC)):%d. %H:%M %Z}"
        '23. 06:30 CET'
        """
        if self.every:
            passed = (now - self.started_at) // timedelta(seconds=self.every)
            return (self.started_at + timedelta(seconds=self.every) * (passed + 1)).astimezone()
        return next_cron_run(str(self.cron), self.timezone, now)

    def to_json(self, now: datetime) -> dict[str, Any]:
        """Return the fields and the next run as plain values."""
        return {**asdict(self), "next_run": self.next_run(now)}


@contextmanager
def only_service(project: Project, *, every: int | None, cron: str | None, timezone: str) -> Iterator[None]:
    """Record this process as the service of the project until the block ends.

    Raises InputError if another process serves the project.
    """
    path = _path(project)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        if not wait_for_lock(file.fileno(), wait_seconds=0):
            other = _read(file)
            who = f" (process {other.pid}, since {other.started_at:%Y-%m-%d %H:%M} UTC)" if other else ""
            raise InputError(
                f"Another `kappaflow serve` works on {project.folder}{who}.",
                "One is enough. End it first, or serve another project.",
            )
        service = Service(os.getpid(), datetime.now(UTC), every, cron, timezone)
        file.seek(0)
        file.truncate()
        json.dump({**asdict(service), "started_at": service.started_at.isoformat()}, file)
        file.flush()
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def running_service(project: Project) -> Service | None:
    """Return the service that works on the project, or None."""
    with suppress(OSError), _path(project).open("r+") as file:
        return None if wait_for_lock(file.fileno(), wait_seconds=0) else _read(file)
    return None


def _path(project: Project) -> Path:
    return project.folder / ".kappaflow" / "serve.json"


def _read(file: IO[str]) -> Service | None:
    file.seek(0)
    with suppress(ValueError, TypeError, KeyError):
        values = json.load(file)
        return Service(**{**values, "started_at": datetime.fromisoformat(values["started_at"])})
    return None
