"""An inbox and the warehouse that it fills, without Prefect."""

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.formats import ReadOptions
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.question_result import QuestionResult
from tasks.question_runs import process_questions
from tasks.runs.run_records import close_run, open_run
from tasks.sources.folder import FolderSource, find_files
from tasks.summary.published_views import read_views

NOW = datetime(2026, 1, 5, tzinfo=UTC)


class InboxProject:
    """Both in a folder; a test's own project says how they are read and evaluated."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.inbox, self.db = folder, folder / "inbox", folder / "warehouse.duckdb"
        self.inbox.mkdir()
        close_run(self.db, open_run(self.db, "test", "1", now=NOW), "succeeded", None, now=NOW)

    def ingest(self, options: ReadOptions | None = None) -> list[FileResult]:
        return list(
            ingest(self.db, find_files([FolderSource("inbox", self.inbox, options=options or ReadOptions())]).readable)
        )

    def work(
        self,
        kind: str,
        config: QuestionConfigs,
        options: EvaluationOptions,
        *,
        everything: bool = True,
        recount: bool = False,
    ) -> list[QuestionResult]:
        """Evaluate or monitor what is due, or everything."""
        due = pending_questions(self.db, kind, config, options, everything=everything)
        return list(process_questions(self.db, kind, due, config, options, recount=recount))

    def view(self, name: str) -> pl.DataFrame:
        return read_views(self.db, name)[name]
