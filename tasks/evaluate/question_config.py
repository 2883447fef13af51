"""What the settings say of a question, and the kinds of raters that they declare."""

from dataclasses import dataclass

import polars as pl

from stats.defaults import DEFAULT_CONSENSUS, OUTER_ERROR


@dataclass(frozen=True)
class QuestionConfig:
    """What the settings say of one question."""

    labels: tuple[str, ...] | None = None
    scale: str = "nominal"
    weights: str | None = None  # of the coefficients of agreement, see stats.agreement.weights
    taxonomy: str | None = None  # what stands between the parts of a path, if the labels are paths
    systems: frozenset[str] = frozenset()
    gold: frozenset[str] = frozenset()
    alert_below: float | None = None
    slices: tuple[str, ...] = ()  # keys of the items' metadata
    outer_error: float = OUTER_ERROR  # see stats.accuracy.fitting.outer_interval
    consensus: str = DEFAULT_CONSENSUS  # see stats.accuracy.items.consensus


def kinds_as_declared(ratings: pl.DataFrame, config: QuestionConfig) -> pl.DataFrame:
    """Set the kinds of raters that the settings declare. A rater declared as both gold and system is gold."""
    rater = pl.col("rater")
    kind = (
        pl.when(rater.is_in(sorted(config.gold)))
        .then(pl.lit("gold"))
        .when(rater.is_in(sorted(config.systems)))
        .then(pl.lit("system"))
        .otherwise("rater_kind")
    )
    return ratings.with_columns(rater_kind=kind)
