"""Write the report of a published snapshot."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from tasks.atomic_files import write_atomically
from tasks.report import ReportData, render
from tasks.summary.published_views import (
    read_evaluation_notes,
    read_failed_evaluations,
    read_item_agreement,
    read_most_confused_pairs,
    read_queue,
    read_version_weeks,
    read_views,
    read_weeks,
)
from warehouse.connect import kept_open

# Part of the report -> the view that it shows.
VIEWS = {
    "agreement": "latest_agreement",
    "trend": "agreement_trend",
    "pairwise": "latest_pairwise_agreement",
    "systems": "latest_system_accuracy",
    "bins": "latest_accuracy_bins",
    "differences": "latest_system_differences",
    "against": "latest_systems_against_raters",
    "versions": "version_comparisons",
    "rates": "latest_label_rates",
    "rate_windows": "label_rate_trend",
    "checks": "latest_assumption_checks",
    "raters": "rater_leaderboard",
    "shared_errors": "latest_shared_errors",
    "scorecards": "rater_scorecard",
    "strengths": "latest_model_strengths",
    "preferences": "latest_preference_figures",
    "regions": "latest_region_agreement",
    "region_trend": "region_trend",
    "batches": "batches",
    "rejected": "current_rejected_rows",
    "alerts": "alert_states",
}


def write_report(snapshot: Path, path: Path, *, title: str, code_version: str) -> Path:
    """Write the HTML report of a published snapshot; the old page stays until the new one is whole."""
    data = ReportData(title=title, made_at=datetime.now(UTC), code_version=code_version, **_frames(snapshot))
    write_atomically(path, render(data))
    return path


def _frames(snapshot: Path) -> dict[str, Any]:
    """Read what the page shows, all of one snapshot even if a run publishes another one meanwhile."""
    with kept_open(snapshot, read_only=True):
        views = read_views(snapshot, *VIEWS.values())
        for name in ("agreement_trend", "label_rate_trend", "region_trend"):
            views[name] = in_local_days(views[name])
        return {part: views[view] for part, view in VIEWS.items()} | {
            "queue": read_queue(snapshot),
            "weeks": read_weeks(snapshot),
            "item_agreement": read_item_agreement(snapshot),
            "version_weeks": read_version_weeks(snapshot),
            "failed": read_failed_evaluations(snapshot),
            "evaluation_notes": read_evaluation_notes(snapshot),
            "confused": read_most_confused_pairs(snapshot),
        }


def in_local_days(trend: pl.DataFrame) -> pl.DataFrame:
    """Let each window but a batch start at midnight of its first day, so that the page shows that day."""
    midnight = pl.col("first_day").cast(pl.Datetime("us", "UTC"))
    start = pl.when(pl.col("period") == "batch").then("period_start").otherwise(midnight)
    return trend.with_columns(start.alias("period_start"))
