"""Take the gold labels of a question from its ratings, and check whether they are enough for an audit."""

from collections.abc import Sequence

import polars as pl

from schemas.rating_columns import IS_GOLD
from stats.accuracy.gold.gold_rows import LEAST_GOLD
from tasks.counted_words import counted


def gold_of(ratings: pl.DataFrame) -> pl.DataFrame | None:
    """Return the gold labels: item, label, and n_items if the ratings are patterns.

    An item on which gold raters differ is left out. None if there is no gold.
    """
    answers, weight = ratings.filter(IS_GOLD), pl.col("^n_items$")
    gold = answers.group_by("item").agg(pl.col("label").unique(), weight.first())
    gold = gold.filter(pl.col("label").list.len() == 1)
    return None if gold.is_empty() else gold.with_columns(pl.col("label").list.first()).sort("item")


def on_differing_gold(ratings: pl.DataFrame) -> tuple[str, ...]:
    """Say on how many items gold raters differ. `ratings` may be patterns, with n_items.

    >>> gold = pl.DataFrame({"item": ["1", "1"], "rater_kind": ["gold", "gold"], "label": ["a", "b"]})
    >>> on_differing_gold(gold)[0].partition(":")[0]
    'On 1 item the gold raters differ'
    """
    weight = pl.col("n_items") if "n_items" in ratings.columns else pl.lit(1)
    items = ratings.filter(IS_GOLD).group_by("item").agg(pl.col("label").n_unique(), n_items=weight.first())
    differ = int(items.filter(pl.col("label") > 1)["n_items"].sum())
    if not differ:
        return ()
    return (
        f"On {counted(differ, 'item')} the gold raters differ: none of this gold is used. These are often difficult"
        " items, and without them accuracies may come out too high. Let one of the gold raters correct the answer.",
    )


def n_auditable(gold: pl.DataFrame | None, rated: pl.DataFrame, raters: Sequence[str]) -> int:
    """Return the largest number of gold items that one of these raters answered."""
    if gold is None:
        return 0
    answers = rated.filter(pl.col("rater").is_in(list(raters))).with_columns(pl.col("item").cast(pl.String))
    gold_answers = answers.join(gold.select(pl.col("item").cast(pl.String)), on="item", how="semi")
    weight = pl.col("n_items").sum() if "n_items" in gold_answers.columns else pl.len()
    return int(gold_answers.group_by("rater").agg(n=weight)["n"].max() or 0) if gold_answers.height else 0  # type: ignore[arg-type]


def usable_gold(
    gold: pl.DataFrame | None, rated: pl.DataFrame, raters: Sequence[str]
) -> tuple[pl.DataFrame | None, tuple[str, ...]]:
    """Return the gold if there is enough to audit one of these raters, else None; and notes for the user."""
    n = n_auditable(gold, rated, raters)
    if gold is None or n >= LEAST_GOLD:
        return gold, ()
    return None, (f"Of the gold items {n} can be used and an audit takes {LEAST_GOLD}: all figures are without gold.",)
