"""Compute agreement over time: in calendar and rolling windows of days, by batch, and of the last items."""

import polars as pl

from stats.agreement import agreement_by_window
from tasks.evaluate.agreement import humans_of
from tasks.evaluate.labels import QuestionLabels, labels_of_question
from tasks.evaluate.question_config import QuestionConfig
from tasks.monitor.windows.window_spans import ItemWindows, WindowSettings

# These four correct for chance in different ways. More would make every window slower and add little.
TREND = ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]


def agreement_rows(
    human: pl.DataFrame,
    names: pl.DataFrame,
    labels: QuestionLabels,
    windows: ItemWindows,
    config: QuestionConfig,
    confidence: float,
    settings: WindowSettings,
) -> pl.DataFrame:
    """Compute rows of the table `agreement` for each window of the human ratings, from what `human_patterns` returns.

    The windows are those of `item_windows`. A window contains whole items with all their current ratings. The day of
    an item is the day of its latest rating (rated_at, else arrival). The items of a batch are those that the batch
    rated. So raters who answer on different days, or in separate files, still share items. The start and the end of a
    batch are the times of its first and last human rating when the batch was stored.
    """
    counts = windows.unit_counts(names)
    if counts.is_empty():
        return pl.DataFrame()
    by_window = agreement_by_window(
        human,
        counts,
        labels=labels.names,
        scale=config.scale,
        weights=config.weights,
        coefficients=TREND,
        confidence=confidence,
        members=windows.members,
    )
    rated_twice = human.group_by("item").len().filter(pl.col("len") > 1)
    in_unit = counts.join(rated_twice, on="item", how="semi").group_by("unit").agg(n=pl.col("n_items").sum())
    pairable = in_unit.join(windows.members, on="unit").group_by("window").agg(pl.col("n").sum())
    rows = by_window.join(windows.windows, on="window", maintain_order="left").join(
        pairable, on="window", how="left", maintain_order="left"
    )
    return rows.rename({"name": "coefficient"}).select(
        pl.exclude("window", "n"),
        scope=pl.lit("humans"),
        too_few=pl.col("n").fill_null(0) < settings.min_items,
    )


def human_patterns(
    question: str, patterns: pl.DataFrame, config: QuestionConfig
) -> tuple[pl.DataFrame, pl.DataFrame, QuestionLabels]:
    """Return the human patterns and their names (see `humans_of`), and the labels of the question."""
    labels = labels_of_question(patterns, config.labels, config.scale, question, config.weights)
    kept, _ = labels.keep_known(patterns)
    return *humans_of(kept), labels
