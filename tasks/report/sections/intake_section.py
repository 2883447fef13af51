"""Show what came in: batches, rejected rows, open alerts."""

from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from tasks.monitor.alert_findings import rule_finding
from tasks.monitor.alert_kinds import RULE_KINDS
from tasks.report.formatting import MARK, count, counted, day, foreign, humanised, moment
from tasks.report.html_table import Column, HtmlTable, numbers, texts
from tasks.report.report_data import Row
from tasks.summary.rejected_counts import rejected_by_reason

_MAX_BATCHES_LISTED = 100
_MAX_REJECTS_LISTED = 50
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


def totals(batches: pl.DataFrame) -> Totals:
    """Add up the rows of all batches."""
    names = ("n_rows", "n_ratings", "n_unchanged", "n_skipped", "n_rejected")
    sums = [sum(int(value) for value in batches[name] if value is not None) for name in names]
    return Totals(batches.height, *sums)


def refused(batches: pl.DataFrame) -> list[Markup]:
    """List the files that could not be read, each with its reason."""
    return [_refusal(row) for row in batches.to_dicts() if row["status"] in _REFUSED]


def batches_table(batches: pl.DataFrame) -> HtmlTable | None:
    """List the batches, newest first. rows = ratings + unchanged + skipped + rejected."""
    rows = sorted(batches.to_dicts(), key=lambda row: str(row["ingested_at"] or ""), reverse=True)
    columns = (
        *texts("File", "Status"),
        *numbers("Rows", "Ratings", "Unchanged", "Skipped", "Rejected"),
        *texts("Ingested", "Source"),
    )
    cells = [
        (
            foreign(row["file_name"], 100),
            _status(row["status"], row["reason"]),
            count(row["n_rows"]),
            count(row["n_ratings"]),
            count(row["n_unchanged"]),
            count(row["n_skipped"]),
            count(row["n_rejected"]),
            moment(row["ingested_at"]),
            foreign(row["source"], 80),
        )
        for row in rows[:_MAX_BATCHES_LISTED]
    ]
    note = (
        f"The latest {_MAX_BATCHES_LISTED} of {counted(len(rows), 'batch', 'batches')}."
        if len(rows) > _MAX_BATCHES_LISTED
        else ""
    )
    return HtmlTable(columns, cells, note) if cells else None


def reasons_table(rejected: pl.DataFrame) -> HtmlTable | None:
    """List the reasons of rejected rows, most frequent first."""
    columns = (*texts("Reason", "Code"), Column("Rows", "number"), Column("Files", "number"))
    cells = [
        (humanised(reason), foreign(reason, 60), count(n_rows), count(n_files))
        for reason, n_rows, n_files in rejected_by_reason(rejected).rows()
    ]
    return HtmlTable(columns, cells) if cells else None


def commonest_reason(rejected: pl.DataFrame) -> str:
    """Return the most frequent reason of rejected rows in words. Without rejected rows, or if reasons tie, it is ''."""
    reasons = rejected_by_reason(rejected).rows()
    tied = len(reasons) > 1 and reasons[0][1] == reasons[1][1]
    return humanised(reasons[0][0]) if reasons and not tied else ""


def rejected_table(rejected: pl.DataFrame) -> HtmlTable | None:
    """List the rejected rows."""
    columns = (*texts("File"), Column("Row", "number"), *texts("Column", "Value", "Why"))
    cells = [
        (
            foreign(row["file_name"], 80),
            count(row["row_number"]),
            foreign(row["column_name"], 60),
            foreign(row["value"], 200),
            foreign(row["detail"], 400) if row["detail"] else humanised(row["reason"]),
        )
        for row in rejected.head(_MAX_REJECTS_LISTED).to_dicts()
    ]
    more = rejected.height > _MAX_REJECTS_LISTED
    note = f"The first {_MAX_REJECTS_LISTED} of {counted(rejected.height, 'rejected row')}." if more else ""
    return HtmlTable(columns, cells, note) if cells else None


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
    columns = texts("Severity", "Question", "What", "Since", "State")
    cells = [
        (
            _badge(row["severity"]),
            foreign(row["question"], 80),
            alert_words(row),
            moment(row["opened_at"]),
            alert_state(row),
        )
        for row in alerts.head(_MAX_ALERTS_LISTED).to_dicts()
    ]
    more = alerts.height > _MAX_ALERTS_LISTED
    note = f"The first {_MAX_ALERTS_LISTED} of {counted(alerts.height, 'open alert')}." if more else ""
    return HtmlTable(columns, cells, note) if cells else None


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


def _status(status: str | None, reason: str | None) -> Markup:
    kind = "bad" if status in _REFUSED else "good"
    words = f"{humanised(status)}: {humanised(reason)}" if status and reason else humanised(status or MARK)
    return Markup('<span class="badge {}">{}</span>').format(kind, words)


def _badge(severity: str | None) -> Markup:
    kind = "bad" if severity in _SEVERITIES[:3] else "warn" if severity in _SEVERITIES[3:5] else "plain"
    return Markup('<span class="badge {}">{}</span>').format(kind, humanised(severity or "alert"))
