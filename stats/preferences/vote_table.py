"""Define the table of votes that the functions on preferences take, and what they share."""

import numpy as np
import polars as pl

from stats.arrays import IntArray
from stats.errors import StatsError

OUTCOMES = ("first", "second", "tie")
LABELS = ("low_won", "high_won", "tied")
VOTES: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "cluster": pl.String,
    "rater": pl.String,
    "first": pl.String,
    "second": pl.String,
    "outcome": pl.String,
}
"""One row per vote. `first` and `second` are the models in the order in which they were shown. Votes of one cluster may
depend on each other: the item, or what several items are about. `rater` is null if nobody is named."""

MAX_MODELS = 1_000  # tables of models by models lie in memory


def check_votes(votes: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of VOTES. Raises StatsError for a column, a value or a pair that is wrong."""
    missing = [name for name in VOTES if name not in votes.columns]
    if missing:
        raise StatsError(f"Votes must have the column {missing[0]!r}. Pass a frame with {', '.join(VOTES)}.")
    checked = votes.select(pl.col(name).cast(pl.String) for name in VOTES)
    for name in VOTES:
        if name != "rater" and checked[name].null_count():
            raise StatsError(f"The column {name!r} must have no null. Leave such votes out.")
    if odd := sorted(set(checked["outcome"].unique()) - set(OUTCOMES)):
        raise StatsError(f"An outcome must be one of {', '.join(OUTCOMES)}, found {odd[0]!r}. Correct it.")
    if (checked["first"] == checked["second"]).any():
        raise StatsError("A model must be compared with another one. Leave out votes on a model and itself.")
    return checked


def model_names(votes: pl.DataFrame) -> list[str]:
    """Return the models by name. Raises StatsError for more than MAX_MODELS."""
    names = sorted(set(votes["first"].unique()) | set(votes["second"].unique()))
    if len(names) > MAX_MODELS:
        raise StatsError(
            f"At most {MAX_MODELS:,} models can be compared, found {len(names):,}. Map the columns that name models."
        )
    return names


def codes_of(values: pl.Series, names: list[str]) -> IntArray:
    """Return the place of each value among the names."""
    return values.replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy().astype(np.int64)


def outcome_codes(votes: pl.DataFrame) -> IntArray:
    """Return 0, 1 or 2 for first, second or tie."""
    return codes_of(votes["outcome"], [*OUTCOMES])


def comparisons(votes: pl.DataFrame) -> pl.DataFrame:
    """Return what each rater said on each comparison: key, cluster, rater, and a column of LABELS for each label.

    A comparison is an item and a pair of models, whichever was shown first. The labels are the model that won (the
    first or the second of the pair by name) and tie. A rater who voted on both orders counts as one voter whose votes
    count half each: the columns hold the share of the votes with the label. Of several votes on one order the last
    counts.
    """
    low, high = pl.min_horizontal("first", "second"), pl.max_horizontal("first", "second")
    low_won = (pl.col("outcome") == "first") == (pl.col("first") == pl.col("low"))
    keyed = votes.with_columns(low=low, high=high).select(
        pl.struct("item", "low", "high").rank("dense").cast(pl.Int64).alias("key"),
        "cluster",
        "rater",
        "first",
        pl.when(pl.col("outcome") == "tie").then(2).when(low_won).then(0).otherwise(1).alias("label"),
    )
    return (
        keyed.unique(["key", "rater", "first"], keep="last", maintain_order=True)
        .group_by("key", "rater")
        .agg(pl.col("cluster").first(), *((pl.col("label") == k).mean().alias(name) for k, name in enumerate(LABELS)))
        .sort("key", "rater")
    )


def cluster_codes(clusters: pl.Series) -> IntArray:
    """Return clusters as numbers from 0."""
    return (clusters.rank("dense").cast(pl.Int64) - 1).to_numpy().astype(np.int64)
