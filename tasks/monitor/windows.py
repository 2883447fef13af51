"""Compute agreement over time: by day, week, month and batch, and of the last items."""

import polars as pl

from stats.agreement import agreement_by_window
from tasks.evaluate.agreement import QuestionConfig, humans_of
from tasks.evaluate.labels import QuestionLabels, declared_or_inferred
from tasks.evaluate.patterns import TIME, WindowPatterns

# These four correct for chance in different ways. More would make every window slower and add little.
TREND = ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]
WINDOW: dict[str, pl.DataType | type[pl.DataType]] = {
    "period": pl.String,
    "period_start": TIME,
    "period_end": TIME,
    "batch_id": pl.String,
}
WINDOWS = {"day": "1d", "week": "1w", "month": "1mo"}


def trend(
    question: str, patterns: pl.DataFrame, windows: WindowPatterns, config: QuestionConfig, *, confidence: float
) -> pl.DataFrame:
    """Compute rows of the table `agreement` for each window of the human ratings.

    The windows are each day, week, month and batch, and the most recently rated items (period last_n, without start
    and end). A window contains whole items with all their current ratings. The day of an item is the day of its latest
    rating (rated_at, else arrival). The items of a batch are those that the batch rated. So raters who answer on
    different days, or in separate files, still share items. The start and the end of a batch are the times of its first
    and last human rating when the batch was stored.
    """
    human, names, labels = human_patterns(question, patterns, config)
    counts = _counts(windows, names)
    if counts.is_empty():
        return pl.DataFrame()
    by_window = agreement_by_window(
        human,
        counts,
        labels=labels.names,
        scale=config.scale,
        coefficients=TREND,
        confidence=confidence,
    )
    return by_window.unnest("window").rename({"name": "coefficient"}).with_columns(scope=pl.lit("humans"))


def human_patterns(
    question: str, patterns: pl.DataFrame, config: QuestionConfig
) -> tuple[pl.DataFrame, pl.DataFrame, QuestionLabels]:
    """Return the human patterns and their names (see `humans_of`), and the labels of the question."""
    labels = declared_or_inferred(patterns["label"], config.labels, config.scale, question)
    kept, _ = labels.known(patterns)
    return *humans_of(kept), labels


def _counts(windows: WindowPatterns, names: pl.DataFrame) -> pl.DataFrame:
    """Count the items of each human pattern in each window: window (a struct of WINDOW), item, n_items."""
    day = pl.col("day").cast(TIME)
    spans = [
        windows.days.with_columns(
            period=pl.lit(period),
            period_start=day.dt.truncate(length),
            period_end=day.dt.truncate(length).dt.offset_by(length),
        )
        for period, length in WINDOWS.items()
    ]
    batches = windows.batches.rename({"first_at": "period_start", "last_at": "period_end"})
    frames = [*spans, batches.with_columns(period=pl.lit("batch")), windows.last.with_columns(period=pl.lit("last_n"))]
    columns = {name: pl.lit(None, dtype) for name, dtype in WINDOW.items()}
    aligned = [
        frame.with_columns(null.alias(name) for name, null in columns.items() if name not in frame.columns).select(
            *WINDOW, pl.col("item").alias("source"), "n_items"
        )
        for frame in frames
    ]
    return (
        pl.concat(aligned)
        .join(names, on="source")
        .group_by(*WINDOW, "item")
        .agg(pl.col("n_items").sum())
        .select(pl.struct(*WINDOW).alias("window"), "item", "n_items")
    )
