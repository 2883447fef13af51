"""Hold the frames of the page, as the warehouse's views and tables return them."""

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

import polars as pl

Row = dict[str, Any]

_AGREEMENT = (
    "run_id question scope period period_start period_end coefficient scale weights interval_method confidence "
    "estimate se low high p_value observed expected n_items n_raters n_ratings n_labels reason detail alert_below"
)
# Frame -> every column the page reads (DESIGN.md, "Warehouse"); the first ones, up to the bar, must be there.
COLUMNS = {
    "agreement": f"question coefficient estimate | {_AGREEMENT}",
    "trend": f"question coefficient estimate period period_start | {_AGREEMENT} too_few",
    "item_agreement": "question agreement_low agreement_high n_items | share",
    "pairwise": "question rater_a rater_b coefficient estimate | run_id se low high n_items reason",
    "systems": "question system method accuracy | run_id scope system_version se low high outer_low outer_high "
    "confidence spread_low spread_high n_items n_gold gold_origin reason detail warnings",
    "bins": "question system bin_low bin_high | run_id mean_posterior n_items agreement estimate",
    "differences": "question system_a system_b difference | run_id version_a version_b accuracy_a accuracy_b low high "
    "confidence p_a_better n_items n_gold reason detail",
    "against": "question system compared_with difference | run_id rater accuracy rater_accuracy low high confidence "
    "p_system_better n_gold reason detail",
    "versions": "question system version | old_version first_day decided_on n_before n_after verdict before after "
    "difference se reason detail",
    "version_weeks": "question system first_day accuracy | n_items low high outer_low outer_high confidence too_few",
    "rates": "question system label method estimate | run_id scope system_version low high outer_low outer_high "
    "confidence n_items n_gold reason detail",
    "rate_windows": "question period period_start system label method estimate | low high outer_low outer_high n_items "
    "too_few",
    "checks": "question name | run_id system rater other effect p_value p_adjusted violated reason detail",
    "raters": "question rater accuracy | run_id rater_kind n_ratings low high agreement_with_others n_gold "
    "gold_origin reason detail",
    "shared_errors": "question correlation n_effective | run_id low high confidence raters_per_item n_effective_low "
    "n_effective_high n_items reason detail",
    "scorecards": "question rater agreement | n_items confidence agreement_low agreement_high agreement_reason "
    "gold_accuracy gold_low gold_high severity severity_low severity_high median_s n_edits n_skipped skipped_reason "
    "n_open_alerts chart_state chart_detail",
    "weeks": "question kind subject estimate | first_day n_items low high reason confidence too_few",
    "strengths": "question model strength | run_id low high confidence rank rank_low rank_high n_votes n_wins n_losses "
    "n_ties votes_of reason detail",
    "preferences": "question figure estimate | run_id rater low high confidence n_votes n_comparisons reason detail",
    "regions": "question coefficient estimate | run_id rater_a rater_b label low high confidence n_items n_raters "
    "n_regions reason detail",
    "region_trend": "question period coefficient estimate | run_id period_start period_end label low high n_items "
    "n_raters n_regions too_few reason detail",
    "queue": "question item entropy | run_id label probability expected_gain n_ratings item_text n_doubtful",
    "batches": "file_name n_rows | batch_id source sha256 reader status reason detail n_ratings n_unchanged "
    "n_skipped n_rejected n_deleted n_future last_future_at started_at ingested_at",
    "rejected": "row_number reason | batch_id file_name column_name value detail attempt rejected_at n_rows",
    "alerts": "kind detail | alert_id question severity opened_at acknowledged_at closed_at evidence acknowledged_by "
    "muted_until state changed_on",
    "failed": "question detail |",
    "evaluation_notes": "question detail |",
    "confused": "question label_a label_b share by_chance lead | n_pairs",
}


STARTS = {
    "trend": "period_start", "region_trend": "period_start", "rate_windows": "period_start",
    "version_weeks": "first_day",
}  # fmt: skip
"""Where a window begins, by frame."""
UNDATED = ("batch", "last_n")  # periods that are placed by their order, not by a date


@dataclass(frozen=True)
class ReportData:
    """Everything on the page. A frame left out, or without rows, is a part that has nothing to show yet.

    agreement: latest_agreement (rows of period 'all' are used); trend: agreement_trend (those of other periods);
    item_agreement: the macro of that name, for all questions;
    pairwise: pairwise_agreement of the latest runs; systems: latest_system_accuracy (its rows of
    slices become `slices`); bins: accuracy_bins;
    differences: latest_system_differences; against: latest_systems_against_raters;
    versions: version_comparisons; version_weeks: the page query of that name, for all questions;
    rates: latest_label_rates (rows of scope 'all' are used); rate_windows: label_rate_trend (those of weeks are used);
    checks: latest_assumption_checks;
    raters: rater_leaderboard or rater_quality; shared_errors: latest_shared_errors; scorecards: rater_scorecard;
    weeks: warehouse.questions.weekly_windows;
    strengths: latest_model_strengths; preferences: latest_preference_figures;
    regions: latest_region_agreement; region_trend;
    queue: the first items of disagreement_queue (n_doubtful: of how many); batches; rejected: rejected_rows;
    failed: questions whose last evaluation failed; evaluation_notes: what the last successful one noted;
    confused: the page query most_confused_pairs, for all questions;
    alerts (those with closed_at null count as open). Further columns are ignored. Without run_id the page names the
    runs found in agreement.
    """

    title: str
    made_at: datetime
    code_version: str
    run_id: str = ""
    agreement: pl.DataFrame = field(default_factory=pl.DataFrame)
    trend: pl.DataFrame = field(default_factory=pl.DataFrame)
    item_agreement: pl.DataFrame = field(default_factory=pl.DataFrame)
    pairwise: pl.DataFrame = field(default_factory=pl.DataFrame)
    systems: pl.DataFrame = field(default_factory=pl.DataFrame)
    slices: pl.DataFrame = field(default_factory=pl.DataFrame)
    bins: pl.DataFrame = field(default_factory=pl.DataFrame)
    differences: pl.DataFrame = field(default_factory=pl.DataFrame)
    against: pl.DataFrame = field(default_factory=pl.DataFrame)
    versions: pl.DataFrame = field(default_factory=pl.DataFrame)
    version_weeks: pl.DataFrame = field(default_factory=pl.DataFrame)
    rates: pl.DataFrame = field(default_factory=pl.DataFrame)
    rate_windows: pl.DataFrame = field(default_factory=pl.DataFrame)
    checks: pl.DataFrame = field(default_factory=pl.DataFrame)
    raters: pl.DataFrame = field(default_factory=pl.DataFrame)
    shared_errors: pl.DataFrame = field(default_factory=pl.DataFrame)
    scorecards: pl.DataFrame = field(default_factory=pl.DataFrame)
    weeks: pl.DataFrame = field(default_factory=pl.DataFrame)
    strengths: pl.DataFrame = field(default_factory=pl.DataFrame)
    preferences: pl.DataFrame = field(default_factory=pl.DataFrame)
    regions: pl.DataFrame = field(default_factory=pl.DataFrame)
    region_trend: pl.DataFrame = field(default_factory=pl.DataFrame)
    queue: pl.DataFrame = field(default_factory=pl.DataFrame)
    batches: pl.DataFrame = field(default_factory=pl.DataFrame)
    rejected: pl.DataFrame = field(default_factory=pl.DataFrame)
    alerts: pl.DataFrame = field(default_factory=pl.DataFrame)
    failed: pl.DataFrame = field(default_factory=pl.DataFrame)
    evaluation_notes: pl.DataFrame = field(default_factory=pl.DataFrame)
    confused: pl.DataFrame = field(default_factory=pl.DataFrame)


def completed(data: ReportData) -> ReportData:
    """Return the data with every column that the page reads.

    Missing optional columns are null. Periods and slices are split. Windows that begin after the day of the report are
    left out: one rating with a wrong date would squeeze all others into a corner of a chart.

    Raises ValueError if a frame with rows lacks a required column.
    """
    frames: dict[str, Any] = {name: _with_all_columns(name, getattr(data, name)) for name in COLUMNS}
    whole = pl.col("period").fill_null("all") == "all"
    frames["agreement"] = frames["agreement"].filter(whole)
    frames["trend"] = frames["trend"].filter(~whole)
    for name, start in STARTS.items():
        frames[name] = _begun(frames[name], start, data.made_at.date())
    all_items = pl.col("scope").fill_null("all") == "all"
    frames["slices"], frames["systems"] = frames["systems"].filter(~all_items), frames["systems"].filter(all_items)
    return replace(data, **frames)


def _begun(windows: pl.DataFrame, start: str, today: date) -> pl.DataFrame:
    if not windows[start].dtype.is_temporal():  # without rows
        return windows
    begun = (pl.col(start).cast(pl.Date) <= today).fill_null(value=True)
    return windows.filter(begun | pl.col("period").is_in(UNDATED) if "period" in windows.columns else begun)


def questions(data: ReportData) -> list[str]:
    """List every question with a result in any frame, sorted."""
    frames = (data.agreement, data.systems, data.raters, data.pairwise, data.bins, data.queue)
    return sorted({name for frame in frames for name in frame["question"].unique() if name is not None})


def of_question(frame: pl.DataFrame, question: str) -> pl.DataFrame:
    """Keep the rows of one question."""
    return frame.filter(pl.col("question") == question)


def _with_all_columns(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    required, _, optional = COLUMNS[name].partition("|")
    missing = [column for column in required.split() if column not in frame.columns]
    if missing and frame.height:
        raise ValueError(
            f"the report's frame '{name}' has no column {', '.join(missing)} (it has: {', '.join(frame.columns)}). "
            "Pass the view or table as it is."
        )
    absent = [column for column in (*required.split(), *optional.split()) if column not in frame.columns]
    if not frame.height:
        return pl.DataFrame(schema=dict.fromkeys([*frame.columns, *absent], pl.String))
    return frame.with_columns(pl.lit(None).alias(column) for column in dict.fromkeys(absent))
