"""Read what a page shows, and hold the rows in the form of the report's sections."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Protocol

import polars as pl

from tasks.dashboard.page_filters import PageFilters
from tasks.report.report_data import ReportData, completed
from tasks.report.sections.question_section import QuestionSection, build_question
from tasks.report.write_report import in_local_days

MAX_SHOWN = 60  # rows of a table on a page


class RowReader(Protocol):
    """What reads a query: a `SnapshotReader`."""

    def read(self, name: str, values: Mapping[str, Any]) -> pl.DataFrame:
        """Return the rows of a query."""


@dataclass(frozen=True)
class PageReading:
    """What a page is built from: the snapshot and the filters."""

    reader: RowReader
    filters: PageFilters

    def rows(self, name: str, n_rows: int = MAX_SHOWN) -> pl.DataFrame:
        """Run a query with the filters of the page. Day filters are dates."""
        return self.reader.read(name, query_values(self.filters, n_rows))

    def without(self, *names: str) -> "PageReading":
        """Return the reading of the page without these filters, for what holds whatever they choose."""
        return replace(self, filters=replace(self.filters, **dict.fromkeys(names)))

    def question_section(self, question: str, **queries: str) -> QuestionSection:
        """Build the report's section of a question from queries: part of the report -> query."""
        return build_question(self.report_data(**queries), question, 1)

    def report_data(self, **queries: str) -> ReportData:
        """Hold the rows of queries as the report's sections read them: part of the report -> query."""
        frames: dict[str, Any] = {part: self.rows(query) for part, query in queries.items()}
        for part in ("trend", "region_trend"):
            if part in frames and frames[part].height:
                frames[part] = in_local_days(frames[part])
        if "alerts" in frames and frames["alerts"].height:
            frames["alerts"] = frames["alerts"].filter(pl.col("closed_at").is_null())
        return completed(ReportData(title="", made_at=datetime.now(UTC), code_version="", **frames))

    def names(self, kind: str) -> list[tuple[str, str]]:
        """List (value, label) of what can be filtered by: question, rater, system, slice or batch.

        "labelled" lists the questions whose answers are labels. With a question, the others are those of the question.
        """
        rows = self.reader.read("names", {})
        if rows.is_empty():
            return []
        rows = rows.filter(kind=kind)  # of many: first here, for to_dicts takes long
        if kind not in ("question", "labelled") and self.filters.question is not None:
            rows = rows.filter(question=self.filters.question)
        return list(dict(rows.select("value", "label").iter_rows()).items())


def query_values(filters: PageFilters, n_rows: int) -> dict[str, Any]:
    """Return the parameters of a page's queries."""
    values = filters.values(n_rows)
    return values | {"since": date.fromisoformat(filters.since) if filters.since else None}
