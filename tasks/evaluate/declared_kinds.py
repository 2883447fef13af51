"""Set the kinds of raters that the settings of a question declare."""

import polars as pl

from tasks.evaluate.question_config import QuestionConfig


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
