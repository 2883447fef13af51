"""Make the rows of `system_accuracy` of systems that have no accuracy, each with the reason."""

import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from stats.accuracy import DEFAULT_METHODS
from stats.numeric_labels import MAX_LABELS, why_too_many_labels
from stats.ratings import count_items
from tasks.evaluate.labels import QuestionLabels


def undefined_accuracy(
    ratings: pl.DataFrame, labels: QuestionLabels, scale: str, *, audited: bool = False
) -> pl.DataFrame | None:
    """Return a row without a figure for each system, and why, if there is nothing to estimate from.

    audited: gold is used, which needs no raters. Returns None if an estimate is possible.
    """
    if (too_many := too_many_labels(ratings, labels, scale, audited=audited)) is not None:
        return no_accuracy(ratings, too_many)
    raters = ratings.filter(IS_HUMAN)["rater"].n_unique()
    if (raters >= 2 or audited) and len(labels.names) >= 2:
        return None
    why = (
        ("too_few_raters", f"The estimate rests on the agreement of two raters or more, and there are {raters}.")
        if raters < 2
        else ("not_identified", "Only one label is known; declare all that exist.")
    )
    return no_accuracy(ratings, why)


def too_many_labels(
    ratings: pl.DataFrame, labels: QuestionLabels, scale: str, *, audited: bool
) -> tuple[str, str] | None:
    """Return reason and sentence if the labels are too many for any accuracy, of systems and of people."""
    n_items = count_items(ratings) if len(labels.names) > MAX_LABELS else 0  # few labels need no count of the items
    return why_too_many_labels(labels.names, scale, n_items=n_items, are_declared=labels.are_declared, audited=audited)


def no_accuracy(ratings: pl.DataFrame, why: tuple[str, str]) -> pl.DataFrame:
    """Return a row without a figure for each system, with this reason.

    Without a column rater_kind all ratings are of systems, and without n_items a row counts for one item.
    """
    systems = ratings.filter(IS_SYSTEM) if "rater_kind" in ratings.columns else ratings
    count = pl.col("n_items").sum() if "n_items" in ratings.columns else pl.len()
    systems = systems.group_by("rater").agg(count.alias("n_items"))
    return systems.sort("rater").select(
        pl.col("rater").alias("system"),
        pl.lit(DEFAULT_METHODS[0]).alias("method"),
        pl.lit(None, pl.Float64).alias("accuracy"),
        pl.col("n_items").cast(pl.Int64),
        pl.lit(0, pl.Int64).alias("n_gold"),
        pl.lit(why[0]).alias("reason"),
        pl.lit(why[1]).alias("detail"),
        pl.lit([], pl.List(pl.String)).alias("warnings"),
    )


def with_left_out(
    accuracies: pl.DataFrame | None, patterns: pl.DataFrame, labels: QuestionLabels, confidence: float
) -> dict[str, pl.DataFrame]:
    """Return the accuracies with a row without a figure for each system that is left out for its labels."""
    left_out = patterns.filter(IS_SYSTEM & pl.col("rater").is_in(labels.misspelling))
    if left_out.is_empty():
        return {}
    detail = "Its labels are not those of the other raters and would count as errors."
    rows = no_accuracy(left_out, ("other_labels", detail)).with_columns(
        system_version=pl.lit(""), scope=pl.lit("all"), confidence=pl.lit(confidence)
    )
    return {"system_accuracy": rows if accuracies is None else pl.concat([accuracies, rows], how="diagonal")}
