"""Build the pages of what came in and of what ran."""

import polars as pl

from tasks.dashboard.page_filters import PageFilters, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.report.formatting import count, counted, foreign, humanised, moment, percent
from tasks.report.html_table import HtmlTable, number_column, range_column, table_of, text_column
from tasks.report.sections.intake_section import (
    MAX_REJECTS_LISTED,
    batch_status,
    deleted_column,
    reasons_table,
    rejected_table,
)

_MAX_BATCHES = 100
_MAX_RUNS = 100


def batches_page(page: PageReading) -> LivePage:
    """List the batches, and the rows that were rejected."""
    batches, rejected = page.rows("batches", _MAX_BATCHES), page.rows("rejected", MAX_REJECTS_LISTED)
    by_reason = page.rows("reject_reasons")
    reasons = reasons_table(by_reason)
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
            ("rejected", "reject_reasons"),
            table=rejected_table(rejected, int(by_reason["n_rows"].sum())),
            details=(("By reason", reasons),) if reasons else (),
            empty="No row was rejected.",
        ),
    ]
    return LivePage("Batches", page.filters, ("question", "batch"), sections)


def runs_page(page: PageReading) -> LivePage:
    """List the latest runs."""
    runs = page.rows("runs", _MAX_RUNS)
    columns = (
        text_column("Started", lambda row: moment(row["started_at"])),
        text_column("Stage", lambda row: humanised(row["kind"])),
        text_column("Question", lambda row: name_link("/question", row["question"], question=row["question"])),
        text_column("Status", lambda row: humanised(row["status"])),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
        text_column("Ended", lambda row: moment(row["ended_at"])),
        text_column("Detail", lambda row: foreign(row["detail"], 200)),
    )
    section = PageSection(
        "Runs",
        ("runs",),
        table=table_of(columns, runs.to_dicts()),
        note=f"The latest {counted(runs.height, 'record')}." if runs.height == _MAX_RUNS else "",
        empty="Nothing ran yet.",
    )
    return LivePage("Runs", page.filters, ("question",), [section])


def _batches(batches: pl.DataFrame, filters: PageFilters) -> HtmlTable | None:
    columns = (
        text_column("File", lambda row: name_link("/batches", row["file_name"], filters, batch=row["batch_id"])),
        text_column(
            "Status",
            lambda row: (
                humanised(batch_status(row))
                if not row["top_reason"] or row["status"] == "stored"
                else humanised(row["top_reason"])
            ),
        ),
        text_column("Questions", lambda row: foreign(row["questions"], 80)),
        number_column("Rows", lambda row: count(row["n_rows"])),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
        number_column("Unchanged", lambda row: count(row["n_unchanged"])),
        number_column("Skipped", lambda row: count(row["n_skipped"])),
        number_column("Rejected", lambda row: count(row["n_rejected"])),
        number_column("Share rejected", lambda row: percent(row["reject_share"])),
        *deleted_column(batches.to_dicts()),
        range_column("Ingested", lambda row: moment(row["ingested_at"])),
    )
    return table_of(columns, batches.to_dicts())
