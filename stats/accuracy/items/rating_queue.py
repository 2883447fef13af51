"""Queue of items that are worth another rating, by what one more rating is expected to tell.

The posterior of an item's right label is that of `stats.accuracy.items.consensus`. One more rating y comes
from a rater who is right with P_c and errs evenly. The expected drop of the posterior's entropy is the mutual
information of the rating and the right label, H(y) - H(y | right label). The second term is the same for all labels
(D. V. Lindley 1956, Ann. Math. Stat. 27, 986-1005).

So the rating counts in full. `mixture` and `glad` count ratings for less, as raters share errors and items are
difficult. In simulations a further rating removed .2 to .7 of the expected gain of the first items by `mixture`, the
less the more ratings there were. The figure is for the order of the items: the exact drop put them into a slightly
worse one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.arguments import check_labels
from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.lehner_fit import why_no_accuracy
from stats.accuracy.item_patterns import item_patterns
from stats.accuracy.items.consensus import Posteriors, posteriors
from stats.arrays import FloatArray, IntArray
from stats.counts import CountedRatings, count_patterns, distinct_raters
from stats.defaults import DEFAULT_CONSENSUS
from stats.errors import StatsError
from stats.patterns import digit_words
from stats.ratings import polars_frame
from stats.unnamed import name_nobody

QUEUE_SCHEMA = {
    "item": pl.String,
    "label": pl.String,
    "probability": pl.Float64,
    "entropy": pl.Float64,
    "expected_gain": pl.Float64,
    "expected_rise": pl.Float64,
    "n_ratings": pl.Int64,
    "reason": pl.String,
    "method": pl.String,
}


def rating_queue(
    ratings: Any, *, labels: Sequence[str], limit: int | None = None, method: str = DEFAULT_CONSENSUS
) -> pl.DataFrame:
    """Return the rated items, sorted by how much one more rating is expected to tell, most first.

    - item.
    - label: the most probable right label; probability: of that label.
    - entropy: of the posterior, in bits.
    - expected_gain: how much of the entropy one more rating by an average rater is expected to remove, in bits, in [0,
      entropy], if it counts in full. By `mixture` and `glad` it counts for less.
    - expected_rise: how much that rating is expected to raise the probability that the most probable label is right, if
      it counts in full; 0 where no single rating can change the label.
    - n_ratings.
    - reason: why the four figures are null, where they are.
    - method: the method of `consensus` that was used, by default `mixture`.

    Ties in expected_gain are sorted by item. `limit` keeps only the first rows. An item that represents several
    (n_items, as in `accuracy`) has one row, and counts that many times in all estimates.

    Pass human ratings only; leave out systems and gold. The raters' accuracy is undefined where no item has two
    ratings (`zero_denominator`) or they agree no better than chance (`not_identified`). Then the label is the one most
    raters gave, the four figures are null and the items are sorted by name. Raises StatsError for ratings that
    `stats.counts` refuses, fewer than two labels, a limit below 1, and an unknown method.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("BBAABA")})
    >>> rating_queue(frame, labels=["A", "B"], method="lehner").select("item", pl.col("expected_gain").round(3)).rows()
    [('3', 0.256), ('1', 0.067), ('2', 0.067)]
    """
    check_labels(labels)
    if limit is not None and limit < 1:
        raise StatsError(f"A limit is 1 or more, found {limit}. Leave it out for all items.")
    is_by_count = method == "lehner" and name_nobody(distinct_raters(ratings))
    figures = _of_counts(ratings, labels) if is_by_count else _of_raters(ratings, labels, method)
    order = pl.col("expected_gain").fill_null(0.0).round(12)  # ties by item, whatever the last digit
    falling = figures.with_columns(order.alias("order"))
    if limit is not None:
        least = falling["order"].top_k(limit).min()
        falling = falling.filter(pl.col("order") >= (0.0 if least is None else least))
    falling = falling.sort("order", "item", descending=[True, False]).drop("order")
    return falling if limit is None else falling.head(limit)


def _of_counts(ratings: Any, labels: Sequence[str]) -> pl.DataFrame:
    """Return the figures of votes without names by Lehner's method, which needs only the number with each label."""
    table = count_patterns(ratings, labels=labels)
    C = table.select(f"label_{j}" for j in range(len(labels))).to_numpy().astype(np.int64)
    n_items = table["n_items"].to_numpy()
    raters = lehner.rater_figures(C, n_items.astype(np.float64)[None, :])
    undefined = why_no_accuracy(raters, C, n_items)
    if undefined is None:
        blocks = (lehner.posterior(C[rows], raters)[0] for rows in lehner.blocks(len(C), len(labels)))
        posterior = Posteriors(blocks, "lehner", float(raters.P_c[0]))
    else:
        posterior = Posteriors(iter([C.astype(np.float64)]), "majority", None, undefined[0])
    patterns = _pattern_figures(posterior, C, labels)
    items = _items(ratings.ratings if isinstance(ratings, CountedRatings) else polars_frame(ratings), labels, C)
    return items.join(patterns, on="pattern", how="left").select(*QUEUE_SCHEMA)


def _of_raters(ratings: Any, labels: Sequence[str], method: str) -> pl.DataFrame:
    """Return the figures by a method that knows who gave which label."""
    items = item_patterns(ratings.ratings if isinstance(ratings, CountedRatings) else ratings, labels=labels)
    posterior = posteriors(items, method=method)
    patterns = _pattern_figures(posterior, items.counts, labels)
    return patterns[items.row].with_columns(item=items.names).select(*QUEUE_SCHEMA)


def expected_gain(P: FloatArray, P_c: float) -> FloatArray:
    """Return the expected drop of entropy (q,) in bits, of posteriors P (q, N), by one more rating.

    The rating comes from a rater who is right with probability P_c.

    >>> expected_gain(np.array([[0.5, 0.5], [1.0, 0.0]]), 0.75).round(4).tolist()
    [0.1887, 0.0]
    """
    wrong = (1 - P_c) / (P.shape[1] - 1)
    next_label = P * (P_c - wrong) + wrong  # P(the next rating says y)
    errors = entropy(np.array([[P_c, *([wrong] * (P.shape[1] - 1))]]))[0]
    return np.asarray(np.clip(entropy(next_label) - errors, 0, entropy(P)))


def expected_rise(P: FloatArray, P_c: float) -> FloatArray:
    """Return the expected rise of max P (q,) by one more rating: sum over y of max_z P(z) P(y | z), minus max P.

    >>> expected_rise(np.array([[0.5, 0.5], [0.9, 0.1]]), 0.75).round(4).tolist()
    [0.25, 0.0]
    """
    wrong = (1 - P_c) / (P.shape[1] - 1)
    first, second = -np.partition(-P, 1, axis=1)[:, :2].T
    # after a rating y the best label is y itself, or the best of the others
    other = np.where(P.argmax(axis=1)[:, None] == np.arange(P.shape[1]), second[:, None], first[:, None])
    return np.asarray(np.clip(np.maximum(P * P_c, other * wrong).sum(axis=1) - first, 0, 1 - first))


def entropy(P: FloatArray) -> FloatArray:
    """Return the entropy (q,) in bits."""
    return np.asarray(np.clip(-(P * np.log2(P, out=np.zeros_like(P), where=P > 0)).sum(axis=1), 0, None))


def _pattern_figures(posterior: Posteriors, C: IntArray, labels: Sequence[str]) -> pl.DataFrame:
    """Return one row per pattern with the counts C (q, k), with everything that its items share."""
    top, figures = np.empty(len(C), np.int64), np.full((4, len(C)), np.nan)
    start = 0
    for P in posterior.blocks:
        rows = slice(start, start + len(P))
        top[rows] = lehner.top_label(P)
        if posterior.rater_accuracy is not None:
            gain, rise = (each(P, posterior.rater_accuracy) for each in (expected_gain, expected_rise))
            figures[:, rows] = P.max(axis=1), entropy(P), gain, rise
        start += len(P)
    names = ("probability", "entropy", "expected_gain", "expected_rise")
    frame = pl.DataFrame(
        {
            "pattern": np.arange(len(C)),
            "label": pl.Series(list(labels), dtype=pl.String).gather(top),
            **dict(zip(names, figures, strict=True)),
            "n_ratings": C.sum(axis=1),
            "reason": pl.Series([posterior.reason] * len(C), dtype=pl.String),
            "method": pl.Series([posterior.method] * len(C), dtype=pl.String),
        }
    )
    return frame.with_columns(pl.col(*names).fill_nan(None))


def _items(ratings: pl.DataFrame, labels: Sequence[str], C: IntArray) -> pl.DataFrame:
    """Return each item with the number of its pattern, a row of C (q, k).

    Items and patterns are both coded as sums of powers, then joined on these codes.
    """
    base = int(C.max(initial=0)) + 1
    words = digit_words(max(base, 2), len(labels))
    names = [f"word_{number}" for number in range(len(words))]
    powers = np.zeros((len(labels), len(words)), np.int64)
    for number, word in enumerate(words):
        powers[word.start : word.stop, number] = base ** np.arange(len(word))
    keys = pl.DataFrame(C @ powers, schema=names).with_columns(pattern=pl.int_range(pl.len(), dtype=pl.Int64))
    label = pl.col("label").cast(pl.String)
    coded = [label.replace_strict(list(labels), powers[:, number].tolist(), return_dtype=pl.Int64).alias(name)
             for number, name in enumerate(names)]  # fmt: skip
    by_item = ratings.lazy().select(pl.col("item").cast(pl.String), *coded).group_by("item").sum()
    return by_item.join(keys.lazy(), on=names, how="left").select("item", "pattern").collect()
