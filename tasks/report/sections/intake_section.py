"""Show what came in: batches, rejected rows, open alerts."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from tasks.monitor.alert_findings import rule_finding
from tasks.monitor.alert_kinds import RULE_KINDS
from tasks.report.formatting import MARK, count, counted, day, foreign, humanised, moment
from tasks.report.html_table import Column, HtmlTable, number_column, table_of, text_column
from tasks.report.report_data import Row
from tasks.summary.rejected_counts import rejected_by_reason

_MAX_BATCHES_LISTED = 100
MAX_REJECTS_LISTED = 50
_MAX_ALERTS_LISTED = 100
_SEVERITIES = ("critical", "error", "high", "warning", "medium", "low", "info")
_REFUSED = ("rejected", "failed")


@dataclass(frozen=True)
class Totals:
    """Sums over all batches."""

    n_batches: int
    n_rows: int
    n_ratings: int
    n_unchanged: int
    n_skipped: int
    n_rejected: int
    n_deleted: int


def totals(batches: pl.DataFrame) -> Totals:
    """Add up the rows of all batches."""
    names = ("n_rows", "n_ratings", "n_unchanged", "n_skipped", "n_rejected", "n_deleted")
    sums = [sum(int(value) for value in batches[name] if value is not None) for name in names]
    return Totals(batches.height, *sums)


def refused(batches: pl.DataFrame) -> list[Markup]:
    """List the files that could not be read, each with its reason."""
    return [_refusal(row) for row in batches.to_dicts() if row["status"] in _REFUSED]


def batches_table(batches: pl.DataFrame) -> HtmlTable | None:
    """List the batches, newest first. rows = ratings + unchanged + skipped + rejected; deleted are older ones."""
    rows = sorted(batches.to_dicts(), key=lambda row: str(row["ingested_at"] or ""), reverse=True)
    columns = (
        text_column("File", lambda row: foreign(row["file_name"], 100)),
        text_column("Status", lambda row: _status(batch_status(row), row["reason"])),
        number_column("Rows", lambda row: count(row["n_rows"])),
        number_column("Ratings", lambda row: count(row["n_ratings"])),
        number_column("Unchanged", lambda row: count(row["n_unchanged"])),
        number_column("Skipped", lambda row: count(row["n_skipped"])),
        number_column("Rejected", lambda row: count(row["n_rejected"])),
        *deleted_column(rows),
        text_column("Ingested", lambda row: moment(row["ingested_at"])),
        text_column("Source", lambda row: foreign(row["source"], 80)),
    )
    note = (
        f"The latest {_MAX_BATCHES_LISTED} of {counted(len(rows), 'batch', 'batches')}."
        if len(rows) > _MAX_BATCHES_LISTED
        else ""
    )
    return table_of(columns, rows[:_MAX_BATCHES_LISTED], note)


def deleted_column(rows: Sequence[Row]) -> list[Column]:
    """Return the column of how many earlier ratings each batch deleted, if any did."""
    return (
        [number_column("Deleted", lambda row: count(row["n_deleted"]))] if any(row["n_deleted"] for row in rows) else []
    )


def reasons_table(reasons: pl.DataFrame) -> HtmlTable | None:
    """List the reasons of rejected rows, most frequent first, as `rejected_by_reason` returns them."""
    columns = (
        text_column("Reason", lambda row: humanised(row["reason"])),
        text_column("Code", lambda row: foreign(row["reason"], 60)),
        number_column("Rows", lambda row: count(row["n_rows"])),
        number_column("Files", lambda row: count(row["n_files"])),
    )
    return table_of(columns, reasons.to_dicts())


def commonest_reason(rejected: pl.DataFrame) -> str:
    """Return the most frequent reason of rejected rows in words. Without rejected rows, or if reasons tie, it is ''."""
    reasons = rejected_by_reason(rejected).rows()
    tied = len(reasons) > 1 and reasons[0][1] == reasons[1][1]
    return humanised(reasons[0][0]) if reasons and not tied else ""


def rejected_table(rejected: pl.DataFrame, n_rows: int) -> HtmlTable | None:
    """List the first rejected rows. `n_rows` counts all of them, also those of a dataset that are not listed."""
    columns = (
        text_column("File", lambda row: foreign(row["file_name"], 80)),
        number_column("Row", lambda row: count(row["row_number"])),
        text_column("Column", lambda row: foreign(row["column_name"], 60)),
        text_column("Value", lambda row: foreign(row["value"], 200)),
        text_column("Why", lambda row: foreign(row["detail"], 400) if row["detail"] else humanised(row["reason"])),
    )
    more = n_rows > MAX_REJECTS_LISTED and rejected.height >= MAX_REJECTS_LISTED
    note = f"The first {MAX_REJECTS_LISTED} of {counted(n_rows, 'rejected row')}." if more else ""
    return table_of(columns, rejected.head(MAX_REJECTS_LISTED).to_dicts(), note)


def open_alerts(alerts: pl.DataFrame) -> pl.DataFrame:
    """Return the open alerts, most severe first, then the newest."""
    rows = [row for row in alerts.to_dicts() if row["closed_at"] is None]
    rows.sort(key=lambda row: str(row["opened_at"] or ""), reverse=True)
    rows.sort(
        key=lambda row: _SEVERITIES.index(row["severity"]) if row["severity"] in _SEVERITIES else len(_SEVERITIES)
    )
    return pl.DataFrame(rows, schema=alerts.schema) if rows else alerts.clear()


def alerts_table(alerts: pl.DataFrame) -> HtmlTable | None:
    """List the open alerts."""
    columns = (
        text_column("Severity", lambda row: _badge(row["severity"])),
        text_column("Question", lambda row: foreign(row["question"], 80)),
        text_column("What", alert_words),
        text_column("Since", lambda row: moment(row["opened_at"])),
        text_column("State", alert_state),
    )
    more = alerts.height > _MAX_ALERTS_LISTED
    note = f"The first {_MAX_ALERTS_LISTED} of {counted(alerts.height, 'open alert')}." if more else ""
    return table_of(columns, alerts.head(_MAX_ALERTS_LISTED).to_dicts(), note)


def alert_words(row: Row) -> Markup:
    """Return what an alert says. The sentence of a chart has its figures; that of a rule gets them here."""
    if not row["detail"]:
        return Markup("{}").format(humanised(row["kind"]))
    is_rule = row["kind"] in RULE_KINDS
    return foreign(rule_finding(row["detail"], row["evidence"]) if is_rule else row["detail"], 1000)


def alert_state(row: Row) -> Markup:
    """Return who took note of an open alert, and until when it is muted."""
    texts = [Markup("open")]
    if row["acknowledged_at"] is not None:
        by = Markup(" by {}").format(foreign(row["acknowledged_by"], 80)) if row["acknowledged_by"] else Markup("")
        texts = [Markup("acknowledged{} <time>{}</time>").format(by, day(row["acknowledged_at"]))]
    if row["state"] == "muted":
        texts.append(Markup("muted until <time>{}</time>").format(day(row["muted_until"])))
    return Markup(", ").join(texts)


def _refusal(row: Row) -> Markup:
    name, detail = str(row["file_name"]), str(row["detail"] or "").rstrip(" .")
    if detail and name.rpartition("/")[2] in detail:
        return foreign(detail, 400)
    return Markup("{}: {}").format(foreign(name, 80), foreign(detail, 400) if detail else humanised(row["reason"]))


def batch_status(row: Row) -> str | None:
    """Return what became of a batch. Of the stored ones, only those that somebody withdrew have a detail."""
    return "withdrawn" if row["status"] == "stored" and row["detail"] else row["status"]


def _status(status: str | None, reason: str | None) -> Markup:
    kind = "bad" if status in _REFUSED else "good"
    words = f"{humanised(status)}: {humanised(reason)}" if status and reason else humanised(status or MARK)
    return Markup('<span class="badge {}">{}</span>').format(kind, words)


def _badge(severity: str | None) -> Markup:
    kind = "bad" if severity in _SEVERITIES[:3] else "warn" if severity in _SEVERITIES[3:5] else "plain"
    return Markup('<span class="badge {}">{}</span>').format(kind, humanised(severity or "alert"))
