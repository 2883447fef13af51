"""Read the published snapshot for live pages: open it once, and open the next one when a run has published it."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from warehouse.migrate import pending
from warehouse.publication.page_queries import keep_results, open_snapshot, page_rows, used_values

_MAX_KEPT = 256  # results of queries that are kept until the next snapshot


class SnapshotReader:
    """Run queries on the snapshot, one at a time, and keep their results until the next snapshot.

    The results are those of small tables; what a page shows is at most a few hundred rows.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._con: duckdb.DuckDBPyConnection | None = None
        self._version = ""
        self._kept: OrderedDict[tuple[Any, ...], pl.DataFrame] = OrderedDict()

    def version(self) -> str:
        """Return a text that changes with each snapshot; '' while nothing is published."""
        try:
            status = self._path.stat()
        except OSError:
            return ""
        return f"{status.st_ino:x}-{status.st_mtime_ns:x}"

    def is_outdated(self) -> bool:
        """Check whether an earlier version of kappaflow published the snapshot: its views may lack columns."""
        with self._lock:
            con = self._current()
            return con is not None and bool(pending(con))

    def read(self, name: str, values: Mapping[str, Any]) -> pl.DataFrame:
        """Run a query of warehouse/queries/pages/. Without a snapshot it has no rows. Raises WarehouseError."""
        with self._lock:
            con = self._current()
            if con is None:
                return pl.DataFrame()
            used = used_values(name, values)
            key = (name, *sorted((parameter, value) for parameter, value in used.items() if value is not None))
            if key not in self._kept:
                self._kept[key] = page_rows(con, name, values)
            self._kept.move_to_end(key)
            while len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]

    def close(self) -> None:
        """Close the snapshot."""
        with self._lock:
            self._close()

    def _current(self) -> duckdb.DuckDBPyConnection | None:
        """Return a connection to the newest snapshot; None while nothing is published."""
        version = self.version()
        if version != self._version:
            self._close()  # DuckDB would hand out the old file again while a connection to it is open
            self._con = open_snapshot(self._path) if version else None
            if self._con is not None and not pending(self._con):
                keep_results(self._con)
            self._version = version
        return self._con

    def _close(self) -> None:
        self._kept.clear()
        self._version = ""
        if self._con is not None:
            with suppress(duckdb.Error):
                self._con.close()
            self._con = None
