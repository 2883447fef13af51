"""Add up the scores of each day: the table from which all charts are drawn.

The sums are whole numbers, in units of 1e-6, so that no order of rows, files or runs changes them. Sums of disjoint
sets of items add up. With the reference unchanged, only the days that a batch touches need new sums.
"""

import numpy as np
import polars as pl

from stats.monitoring.chart_group import UNIT
from stats.monitoring.daily_counts import DailyCounts, coded_counts
from stats.monitoring.question_reference import QuestionReference, score_tables
from stats.monitoring.scores.score_table import ScoreTable, score_sums
from stats.monitoring.scores.speed_scores import fast_counts

DAY_SUM_COLUMNS = {
    "chart": pl.String,
    "subject": pl.String,
    "label": pl.String,
    "day": pl.Date,
    "n_items": pl.Int64,
    "score_sum": pl.Int64,
}
SERIES_COLUMNS = ["chart", "subject", "label"]


def day_sums(counts: DailyCounts, *, reference: QuestionReference) -> pl.DataFrame:
    """Add up the scores of the items by chart, subject, label and day: n_items and score_sum (whole 1e-6).

    Only series that have charts have rows, and only days with a scored item. Sorted by all columns but the last two.
    Raises StatsError as `coded_counts`.
    """
    coded = coded_counts(counts)
    tables = score_tables(coded, reference.agreement, reference.systems, reference.one_coin)
    frames = [_sums_frame(table, coded.days, *score_sums(table, coded)) for table in tables]
    frames.append(_speed_sums(counts, reference))
    charted = pl.DataFrame(
        [(series.chart, series.subject, series.label) for series in reference.series],
        schema=dict.fromkeys(SERIES_COLUMNS, pl.String),
        orient="row",
    )
    sums = pl.concat(frames).join(charted, on=SERIES_COLUMNS, how="semi", nulls_equal=True)
    return sums.sort(*SERIES_COLUMNS, "day", nulls_last=False)


def add_day_sums(*tables: pl.DataFrame) -> pl.DataFrame:
    """Add day sums of disjoint sets of items that were scored with the same reference."""
    keys = [*SERIES_COLUMNS, "day"]
    return pl.concat(tables).group_by(keys).agg(pl.col("n_items", "score_sum").sum()).sort(keys)


def _sums_frame(
    table: ScoreTable, days: np.ndarray[tuple[int], np.dtype[np.datetime64]], items: np.ndarray, sums: np.ndarray
) -> pl.DataFrame:
    series, day = np.nonzero(items)
    subjects, labels = (np.array(names, dtype=object) for names in (table.subjects, table.labels))
    columns = {
        "chart": [table.chart] * len(series),
        "subject": subjects[series].tolist(),
        "label": labels[series].tolist(),
        "day": days[day],
        "n_items": items[series, day],
        "score_sum": sums[series, day],
    }
    return pl.DataFrame(columns, schema_overrides=DAY_SUM_COLUMNS)


def _speed_sums(counts: DailyCounts, reference: QuestionReference) -> pl.DataFrame:
    columns = {
        "chart": pl.lit("rater_speed"),
        "subject": pl.col("rater"),
        "label": pl.lit(None, pl.String),
        "day": pl.col("day"),
        "n_items": pl.col("n_items"),
        "score_sum": pl.col("n_fast") * UNIT,
    }
    return fast_counts(counts.durations, reference.fast_limits).select(**columns)
