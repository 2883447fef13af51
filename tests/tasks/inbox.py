"""An inbox and the warehouse that it fills, without Prefect."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.formats import ReadOptions
from tasks.ingest import Ingested, ingest
from tasks.questions import Asked, Declarations, Outcome, pending, work_through
from tasks.results import read_views
from tasks.runs import close_run, open_run
from tasks.sweep import Folder, sweep

NOW = datetime(2026, 1, 5, tzinfo=UTC)


class InboxProject:
    """Both in a folder; a test's own project says how they are read and evaluated."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.inbox, self.db = folder, folder / "inbox", folder / "warehouse.duckdb"
        self.inbox.mkdir()
        close_run(self.db, open_run(self.db, "test", "1", now=NOW), "succeeded", None, now=NOW)

    def ingest(self, options: ReadOptions | None = None) -> list[Ingested]:
        return list(ingest(self.db, sweep([Folder("inbox", self.inbox, options=options or ReadOptions())])))

    def work(
        self, kind: str, declared: Declarations, asked: Asked, *, everything: bool = True, recount: bool = False
    ) -> list[Outcome]:
        """Evaluate or monitor what is due, or everything."""
        due = pending(self.db, kind, declared, asked, everything=everything)
        return list(work_through(self.db, kind, due, declared, asked, recount=recount))

    def view(self, name: str) -> pl.DataFrame:
        return read_views(self.db, name)[name]
