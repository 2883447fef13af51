"""Reduce ratings to rating patterns where they lie: in a polars, DuckDB or Spark frame, however many there are.

What comes back is small (five raters over five labels: 7,775 patterns at most, of a thousand ratings or of billions),
and `kappaflow agree` and `kappaflow accuracy` evaluate it as if all ratings were there. See
docs/how-to/past-one-machine.md.
"""

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from stats.counts import distinct_raters, long_patterns
from stats.ratings import ratings_frame


def reduce_ratings(
    ratings: Any, *, labels: Sequence[str] | None = None, raters: Sequence[str] | None = None
) -> pl.DataFrame:
    """The rating patterns of one question, long: item (number of the pattern, from 0), rater, label, n_items.

    `ratings` is any frame that narwhals reads (polars, DuckDB, PySpark) with item, rater and label, one row per
    item and rater; it may have n_items, so that parts that were reduced apart can be reduced together. Without `labels`
    or `raters` they are looked up, which is a pass over the ratings each. Where a row of labels fits one integer (20
    raters over 5 labels, 33 over 2) the engine does all the work; with more raters the codes of all ratings come here.

    Raises StatsError for a null, a label or rater that is not among the given ones, and the same item and rater twice.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "ann", "A"), ("2", "bob", "B"), ("3", "bob", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> reduce_ratings(ratings).rows()
    [(0, 'bob', 'A', 1), (1, 'ann', 'A', 2), (1, 'bob', 'B', 2)]
    """
    labels = _distinct_labels(ratings) if labels is None else labels
    raters = distinct_raters(ratings) if raters is None else raters
    found = long_patterns(ratings, labels=labels, raters=raters)
    return pl.DataFrame(
        {
            "item": found.pattern,
            "rater": np.array(raters, dtype=object)[found.rater].tolist(),
            "label": np.array(labels, dtype=object)[found.label].tolist(),
            "n_items": found.n_items[found.pattern],
        },
        schema={"item": pl.Int64, "rater": pl.String, "label": pl.String, "n_items": pl.Int64},
    )


def _distinct_labels(ratings: Any) -> list[str]:
    found = ratings_frame(ratings).select(nw.col("label")).unique().collect(backend="polars").to_native()
    return sorted(found["label"].drop_nulls().to_list())
