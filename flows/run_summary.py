"""Sum up a run for the pages of Prefect: a text in Markdown, and the rows of its tables."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from flows.run_result import RunResult
from tasks.counted_words import counted
from tasks.notify.message_styles import MarkdownStyle
from tasks.summary.headline import METHOD_ORDER
from tasks.summary.published_views import overall, read_views

MAX_ROWS = 200  # of a table
MAX_NOTES = 50
VIEWS = ("latest_agreement", "latest_system_accuracy", "alerts")
AGREEMENT = ("question", "coefficient", "estimate", "low", "high", "n_items", "reason")
SYSTEMS = ("question", "system", "system_version", "method", "accuracy", "low", "high", "n_items", "reason")
ALERTS = ("question", "kind", "subject", "severity", "owner", "opened_at", "changed_on", "before", "after", "n_items")


def what_happened(result: RunResult) -> str:
    """Return the batches, questions and alerts of a run in a few words.

    >>> what_happened(RunResult())
    'nothing new'
    """
    changes = Counter(change.event for question in result.questions for change in question.alert_changes)
    counts = [
        (sum(file.status == "stored" for file in result.files), "batch", "batches"),
        (len({question.question for question in result.questions}), "question", "questions"),
        (changes["opened"], "alert opened", "alerts opened"),
        (changes["closed"], "alert closed", "alerts closed"),
    ]
    return ", ".join(counted(n, singular, plural) for n, singular, plural in counts if n) or "nothing new"


def summary_tables(snapshot: Path, result: RunResult) -> dict[str, list[dict[str, object]]]:
    """Return the rows of the tables of a run, by name, at most MAX_ROWS each.

    Tables without rows, except agreement, are left out. After a run in which nothing was new, there is only the
    agreement, because Prefect keeps the tables of each run.
    """
    views = read_views(snapshot, *VIEWS)
    tables = {"agreement": overall(views["latest_agreement"]).select(AGREEMENT)}
    if result.files or result.questions:
        accuracy = views["latest_system_accuracy"].filter(pl.col("scope") == "all", pl.col("method") == METHOD_ORDER[0])
        tables["system-accuracy"] = accuracy.select(SYSTEMS)
        tables["open-alerts"] = views["alerts"].filter(pl.col("closed_at").is_null()).select(ALERTS)
        tables["files"] = pl.DataFrame(
            [
                {
                    "file": file.file_name, "status": file.status, "reader": file.reader,
                    "ratings": file.counts.n_ratings, "rejected rows": file.counts.n_rejected, "problem": file.reason,
                }
                for file in result.files
            ]
        )  # fmt: skip
    return {
        name: table.head(MAX_ROWS).with_columns(pl.col(pl.Datetime, pl.Date).cast(pl.String)).to_dicts()
        for name, table in tables.items()
        if name == "agreement" or table.height
    }


def summary_markdown(result: RunResult, tables: Mapping[str, list[dict[str, object]]], report: Path) -> str:
    """Return the text of a run: what happened, failures, open alerts, notes, and where the report is."""
    style = MarkdownStyle()
    lines = [f"**{what_happened(result)[:1].upper()}{what_happened(result)[1:]}.**", ""]
    failed = [(file.file_name, file.detail or "") for file in result.failed_files]
    failed += [(question.question, question.error or "") for question in result.failed_questions]
    lines += [f"- Failed: {style.name(name)}: {style.prose(why)}" for name, why in failed[:MAX_NOTES]]
    lines += [
        f"- Open alert: {style.name(str(row['question']))}, {style.prose(str(row['kind']))}"
        + (f", {style.name(str(row['subject']))}" if row["subject"] is not None else "")
        for row in tables.get("open-alerts", [])[:MAX_NOTES]
    ]
    notes = [text for question in result.questions for text in question.notes] + list(result.notes)
    lines += [f"- {style.prose(text)}" for text in notes[:MAX_NOTES]]
    lines += [f"- And {counted(len(notes) - MAX_NOTES, 'more note')}" for _ in range(len(notes) > MAX_NOTES)]
    return "\n".join([*lines, "", f"Report: {style.code(str(report))}"])
