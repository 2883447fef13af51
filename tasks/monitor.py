"""Agreement over time, and the alerts that follow from it."""

import polars as pl

from stats.agreement import agreement_by_window
from tasks.evaluate import Declared, humans_agreement, humans_of
from tasks.labels import Labels, declared_or_inferred
from tasks.patterns import TIME, Windows

# Four that differ in what they correct for; more would make every window slower and no clearer.
TREND = ["percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1"]
WINDOW: dict[str, pl.DataType | type[pl.DataType]] = {
    "period": pl.String,
    "period_start": TIME,
    "period_end": TIME,
    "batch_id": pl.String,
}
WINDOWS = {"day": "1d", "week": "1w", "month": "1mo"}
ALERTS = {"kind": pl.String, "severity": pl.String, "evidence": pl.String, "detail": pl.String}


def trend(
    question: str, patterns: pl.DataFrame, windows: Windows, declared: Declared, *, confidence: float
) -> pl.DataFrame:
    """Rows of the table `agreement` for each day, week, month and batch of the human ratings, and for the items rated
    last (period last_n, without a start and an end).

    A window holds whole items with all their current ratings, never a part of an item: the day of an item is
    that of its latest rating (rated_at, else arrival), and a batch has the items that it rated. So raters who
    answer on different days, or in files of their own, still meet. The start and the end of a batch are the times of
    its first and last human rating, as it was when it was stored.
    """
    human, names, labels = _human(question, patterns, declared)
    counts = _counts(windows, names)
    if counts.is_empty():
        return pl.DataFrame()
    found = agreement_by_window(
        human,
        counts,
        labels=labels.names,
        scale=declared.scale,
        coefficients=TREND,
        confidence=confidence,
    )
    return found.unnest("window").rename({"name": "coefficient"}).with_columns(scope=pl.lit("humans"))


def alerts(
    question: str, patterns: pl.DataFrame, declared: Declared, *, coefficient: str, confidence: float
) -> pl.DataFrame:
    """The alerts that hold now (columns kind, severity, evidence, detail); empty without a threshold.

    `low_agreement`: the coefficient over all ratings lies below the question's threshold; critical when the
    whole interval does, a warning when only the estimate does.
    """
    human, _, labels = _human(question, patterns, declared)
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


def _human(question: str, patterns: pl.DataFrame, declared: Declared) -> tuple[pl.DataFrame, pl.DataFrame, Labels]:
    """As `humans_of`, of the known labels; and these."""
    labels = declared_or_inferred(patterns["label"], declared.labels, declared.scale, question)
    known, _ = labels.known(patterns)
    return *humans_of(known), labels


def _counts(windows: Windows, names: pl.DataFrame) -> pl.DataFrame:
    """The human patterns of all windows: window (a struct of WINDOW), item, n_items."""
    day = pl.col("day").cast(TIME)
    spans = [
        windows.days.with_columns(
            period=pl.lit(period),
            period_start=day.dt.truncate(every),
            period_end=day.dt.truncate(every).dt.offset_by(every),
        )
        for period, every in WINDOWS.items()
    ]
    batches = windows.batches.rename({"first_at": "period_start", "last_at": "period_end"})
    frames = [*spans, batches.with_columns(period=pl.lit("batch")), windows.last.with_columns(period=pl.lit("last_n"))]
    columns = {name: pl.lit(None, dtype) for name, dtype in WINDOW.items()}
    whole = [
        frame.with_columns(null.alias(name) for name, null in columns.items() if name not in frame.columns).select(
            *WINDOW, pl.col("item").alias("source"), "n_items"
        )
        for frame in frames
    ]
    return (
        pl.concat(whole)
        .join(names, on="source")
        .group_by(*WINDOW, "item")
        .agg(pl.col("n_items").sum())
        .select(pl.struct(*WINDOW).alias("window"), "item", "n_items")
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"
