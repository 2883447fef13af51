"""Acknowledge alerts for the people at the live pages: at once, or as soon as the warehouse is free."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from tasks.atomic_files import write_atomically
from tasks.dashboard.alerts_page import AlertForms
from tasks.errors import KappaflowError
from warehouse.errors import WarehouseBusyError, WarehouseError

_PAUSE_SECONDS = 1.0  # between two attempts while a run holds the warehouse
_MAX_WAITING = 1000


class AcknowledgementQueue:
    """Acknowledgements that wait for the warehouse, in the order of their arrival.

    They are kept in a file, so that a dashboard that is stopped and started again still makes them. acknowledge(id, by)
    does what `kappaflow alerts ack` does. It raises WarehouseBusyError while a run holds the warehouse.
    """

    def __init__(self, file: Path, acknowledge: Callable[[str, str], None]) -> None:
        self._file = file
        self._acknowledge = acknowledge
        self._changed = threading.Condition()
        self._added, self._stopped = threading.Event(), threading.Event()
        self._waiting: dict[str, str] = _read(file)
        self._refused: dict[str, str] = {}
        self._worker = threading.Thread(target=self._make_all, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._worker.start()
        if self._waiting:
            self._added.set()

    def stop(self) -> None:
        """End after the attempt under way. What waits stays in the file."""
        self._stopped.set()
        self._added.set()

    def add(self, alert_id: str, by: str) -> bool:
        """Let an acknowledgement wait. Return whether there was room for it."""
        with self._changed:
            if len(self._waiting) >= _MAX_WAITING:
                return False
            self._refused.pop(alert_id, None)
            self._waiting.setdefault(alert_id, by)
            self._write()
        self._added.set()
        return True

    def wait_for(self, alert_id: str, seconds: float) -> None:
        """Return when the acknowledgement is made or refused, at the latest after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: alert_id not in self._waiting, seconds)

    def state(self) -> AlertForms:
        """Return what waits, and what was refused and why."""
        with self._changed:
            return AlertForms(dict(self._waiting), dict(self._refused))

    def _make_all(self) -> None:
        while not self._stopped.is_set():
            self._added.wait()
            self._added.clear()
            while not self._stopped.is_set() and (entry := self._first()):
                if not self._attempt(*entry):
                    self._stopped.wait(_PAUSE_SECONDS)

    def _first(self) -> tuple[str, str] | None:
        with self._changed:
            return next(iter(self._waiting.items()), None)

    def _attempt(self, alert_id: str, by: str) -> bool:
        """Acknowledge one alert. Return False if it must wait longer."""
        problem = ""
        try:
            self._acknowledge(alert_id, by)
        except WarehouseBusyError:
            return False
        except (KappaflowError, WarehouseError, OSError) as error:
            problem = str(error)
        with self._changed:
            del self._waiting[alert_id]
            if problem:
                self._refused[alert_id] = problem
            self._write()
            self._changed.notify_all()
        return True

    def _write(self) -> None:
        if self._waiting or self._file.exists():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, json.dumps(self._waiting, indent=2))


def _read(file: Path) -> dict[str, str]:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(key): str(value) for key, value in stored.items()} if isinstance(stored, Mapping) else {}
