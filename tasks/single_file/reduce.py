"""Reduce ratings to rating patterns where they lie: in a polars, DuckDB or Spark frame of any size.

The result is small: five raters and five labels make at most 7,775 patterns, from a thousand ratings or from billions.
`kappaflow agree` and `kappaflow accuracy` evaluate it as if all ratings were there. See
docs/how-to/past-one-machine.md.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.counts import distinct_raters, long_patterns
from stats.frames import collect
from stats.ratings import ratings_frame


def reduce_ratings(
    ratings: Any, *, labels: Sequence[str] | None = None, raters: Sequence[str] | None = None
) -> pl.DataFrame:
    """Reduce the ratings of one question to patterns: item (number of the pattern, from 0), rater, label, n_items.

    `ratings` is any frame that narwhals reads (polars, DuckDB, PySpark), with one row per item and rater: item, rater,
    label. It may have n_items, so that parts that were reduced separately can be reduced together. Without `labels` or
    `raters`, each takes a pass over the ratings to find. If the labels of an item fit in one integer (20 raters with 5
    labels, 33 with 2), the engine does all the work. With more raters, the codes of all ratings are loaded here.

    Raises StatsError for a null, for a label or rater that is not in the list, and for the same item and rater twice.

    >>> rows = [("1", "ann", "A"), ("1", "bob", "B"), ("2", "ann", "A"), ("2", "bob", "B"), ("3", "bob", "A")]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> reduce_ratings(ratings).rows()
    [(0, 'bob', 'A', 1), (1, 'ann', 'A', 2), (1, 'bob', 'B', 2)]
    """
    labels = _distinct_labels(ratings) if labels is None else labels
    raters = distinct_raters(ratings) if raters is None else raters
    patterns = long_patterns(ratings, labels=labels, raters=raters)
    return pl.DataFrame(
        {
            "item": patterns.pattern,
            "rater": np.array(raters, dtype=object)[patterns.rater].tolist(),
            "label": np.array(labels, dtype=object)[patterns.label].tolist(),
            "n_items": patterns.n_items[patterns.pattern],
        },
        schema={"item": pl.Int64, "rater": pl.String, "label": pl.String, "n_items": pl.Int64},
    )


def _distinct_labels(ratings: Any) -> list[str]:
    distinct = collect(ratings_frame(ratings).select("label").unique())
    return sorted(distinct["label"].drop_nulls().to_list())
