"""Build the pages of what came in and of what ran."""

import polars as pl

from tasks.dashboard.page_filters import PageFilters, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.report.formatting import count, counted, foreign, humanised, moment, percent
from tasks.report.html_table import HtmlTable, numbers, ranges, texts
from tasks.report.sections.intake_section import reasons_table, rejected_table

_MAX_BATCHES = 100
_MAX_REJECTED = 2000
_MAX_RUNS = 100


def batches_page(page: PageReading) -> LivePage:
    """List the batches, and the rows that were rejected."""
    batches, rejected = page.rows("batches", _MAX_BATCHES), page.rows("rejected", _MAX_REJECTED)
    reasons = reasons_table(rejected) if rejected.height else None
    sections = [
        PageSection(
            "Batches",
            ("batches",),
            table=_batches(batches, page.filters),
            note=f"The latest {_MAX_BATCHES}." if batches.height == _MAX_BATCHES else "",
            empty="No batch matches.",
        ),
        PageSection(
            "Rejected rows",
            ("rejected",),
            table=rejected_table(rejected) if rejected.height else None,
            details=(("By reason", reasons),) if reasons else (),
            empty="No row was rejected.",
        ),
    ]
    return LivePage("Batches", page.filters, ("question", "batch"), sections)


def runs_page(page: PageReading) -> LivePage:
    """List the latest runs."""
    runs = page.rows("runs", _MAX_RUNS)
    columns = (*texts("Started", "Stage", "Question", "Status"), *numbers("Ratings"), *texts("Ended", "Detail"))
    cells = [
        (
            moment(row["started_at"]),
            humanised(row["kind"]),
            name_link("/question", row["question"], question=row["question"]),
            humanised(row["status"]),
            count(row["n_ratings"]),
            moment(row["ended_at"]),
            foreign(row["detail"], 200),
        )
        for row in runs.to_dicts()
    ]
    section = PageSection(
        "Runs",
        ("runs",),
        table=HtmlTable(columns, cells) if cells else None,
        note=f"The latest {counted(len(cells), 'record')}." if len(cells) == _MAX_RUNS else "",
        empty="Nothing ran yet.",
    )
    return LivePage("Runs", page.filters, ("question",), [section])


def _batches(batches: pl.DataFrame, filters: PageFilters) -> HtmlTable | None:
    columns = (
        *texts("File", "Status", "Questions"),
        *numbers("Rows", "Ratings", "Unchanged", "Skipped", "Rejected", "Share rejected"),
        *ranges("Ingested"),
    )
    cells = [
        (
            name_link("/batches", row["file_name"], filters, batch=row["batch_id"]),
            humanised(row["status"])
            if not row["top_reason"] or row["status"] == "stored"
            else humanised(row["top_reason"]),
            foreign(row["questions"], 80),
            count(row["n_rows"]),
            count(row["n_ratings"]),
            count(row["n_unchanged"]),
            count(row["n_skipped"]),
            count(row["n_rejected"]),
            percent(row["reject_share"]),
            moment(row["ingested_at"]),
        )
        for row in batches.to_dicts()
    ]
    return HtmlTable(columns, cells) if cells else None
