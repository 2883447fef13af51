"""Agreement over time, and the alerts that follow from it."""

from collections.abc import Iterator

import polars as pl

from tasks.evaluate import Declared, humans_agreement
from tasks.labels import Labels, declared_or_inferred

# Four that differ in what they correct for; more would make every window slower and no clearer.
TREND = ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]
WINDOWS = {"day": "1d", "week": "1w", "month": "1mo"}
ALERTS = {"kind": pl.String, "severity": pl.String, "evidence": pl.String, "detail": pl.String}


def trend(question: str, ratings: pl.DataFrame, declared: Declared, *, confidence: float) -> pl.DataFrame:
    """Rows of the table `agreement` for each day, week, month and batch of the human ratings.

    A window holds whole items with all their current ratings, never a part of an item: the day of an item is
    that of its latest rating (rated_at, else arrival), and a batch has the items that it rated. So raters who
    answer on different days, or in files of their own, still meet.
    """
    human, labels = _human(question, ratings, declared)
    parts = [
        humans_agreement(
            human.join(window.select("item"), on="item").select("item", "rater", "label"),
            labels,
            declared.scale,
            confidence,
            TREND,
        ).with_columns(
            pl.lit(window[column][0]).alias(column) for column in ("period", "period_start", "period_end", "batch_id")
        )
        for window in _windows(human)
    ]
    return pl.concat(parts, how="vertical_relaxed") if parts else pl.DataFrame()


def alerts(
    question: str, ratings: pl.DataFrame, declared: Declared, *, coefficient: str, confidence: float
) -> pl.DataFrame:
    """The alerts that hold now (columns kind, severity, evidence, detail); empty without a threshold.

    `low_agreement`: the coefficient over all ratings lies below the question's threshold; critical when the
    whole interval does, a warning when only the estimate does.
    """
    human, labels = _human(question, ratings, declared)
    if declared.alert_below is None:
        return pl.DataFrame(schema=ALERTS)
    row = humans_agreement(human, labels, declared.scale, confidence, [coefficient]).row(0, named=True)
    if row["estimate"] is None or row["estimate"] >= declared.alert_below:
        return pl.DataFrame(schema=ALERTS)
    sure = row["high"] is not None and row["high"] < declared.alert_below
    return pl.DataFrame(
        [
            {
                "kind": "low_agreement",
                "severity": "critical" if sure else "warning",
                "evidence": f"{coefficient} {row['estimate']:.3f} [{_number(row['low'])}, {_number(row['high'])}], "
                f"threshold {declared.alert_below:g}",
                "detail": f"The annotators of '{question}' agree less than the threshold set for it"
                + ("." if sure else ", though the interval still reaches it."),
            }
        ],
        schema=ALERTS,
    )


def _human(question: str, ratings: pl.DataFrame, declared: Declared) -> tuple[pl.DataFrame, Labels]:
    labels = declared_or_inferred(ratings["label"], declared.labels, declared.scale, question)
    known, _ = labels.known(ratings)
    human = known.filter(pl.col("rater_kind") == "human")
    return human.with_columns(rated=pl.coalesce("rated_at", "ingested_at")), labels


def _windows(human: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """One frame per window: its items, and period, period_start, period_end, batch_id (constant)."""
    latest = human.group_by("item").agg(pl.col("rated").max())
    for period, every in WINDOWS.items():
        start = pl.col("rated").dt.truncate(every)
        yield from (
            latest.select(
                "item",
                period=pl.lit(period),
                period_start=start,
                period_end=start.dt.offset_by(every),
                batch_id=pl.lit(None, pl.String),
            )
            .sort("period_start", "item")
            .partition_by("period_start")
        )
    yield from (
        human.sort("rated")
        .group_by("batch_id", "item")
        .agg(pl.col("rated").min())
        .select(
            "item",
            period=pl.lit("batch"),
            period_start=pl.col("rated").min().over("batch_id"),
            period_end=pl.col("rated").max().over("batch_id"),
            batch_id=pl.col("batch_id"),
        )
        .sort("period_start", "batch_id", "item")
        .partition_by("batch_id")
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
