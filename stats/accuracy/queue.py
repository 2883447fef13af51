"""Which items are next worth another rating: what one more rating by an average rater is expected to tell.

The posterior of an item's right label is Lehner's, as `stats.accuracy.consensus` has it. One more rating y comes from a
rater who is right with P_c and errs evenly. The expected drop of the posterior's entropy is the mutual information of
the rating and the right label, H(y) - H(y | right label), where the second is the same for all labels (D. V. Lindley
1956, Ann. Math. Stat. 27, 986-1005).
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from stats.accuracy import lehner
from stats.accuracy.estimator import FloatArray, IntArray
from stats.accuracy.lehner_fit import why_no_accuracy
from stats.accuracy.valid import check_labels
from stats.counts import Counted, count_patterns
from stats.errors import StatsError
from stats.patterns import digit_words

QUEUE_SCHEMA = {
    "item": pl.String,
    "label": pl.String,
    "probability": pl.Float64,
    "entropy": pl.Float64,
    "expected_gain": pl.Float64,
    "expected_rise": pl.Float64,
    "n_ratings": pl.Int64,
    "reason": pl.String,
}


def rating_queue(ratings: pl.DataFrame | Counted, *, labels: Sequence[str], limit: int | None = None) -> pl.DataFrame:
    """The rated items, those first of which one more rating is expected to tell most.

    Columns: item; label, the most probable right one, and its probability; entropy of the posterior in bits;
    expected_gain in bits, how much of the entropy one more rating by an average rater is expected to remove, in
    [0, entropy]; expected_rise, how much it is expected to raise the probability that the most probable label is right
    (0 where no single rating can change the label); n_ratings; reason. Sorted by falling expected_gain, then by item;
    `limit` keeps the first so many. An item that stands for several (n_items, as in `accuracy`) has one row, and counts
    as so many in what is estimated from all items.

    Give human ratings only (leave systems and gold out before). Where the raters' accuracy is undefined (no item with
    two ratings: `zero_denominator`; no better than chance: `not_identified`) the label is the one most raters gave, the
    four figures are null and the items are sorted by name. Raises StatsError for ratings that `stats.counts` refuses,
    fewer than two labels, a limit below 1.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("BBAABA")})
    >>> rating_queue(frame, labels=["A", "B"]).select("item", pl.col("expected_gain").round(3)).rows()
    [('3', 0.256), ('1', 0.067), ('2', 0.067)]
    """
    check_labels(labels)
    if limit is not None and limit < 1:
        raise StatsError(f"A limit is 1 or more, found {limit}. Leave it out for all items.")
    table = count_patterns(ratings, labels=labels)
    C = table.select(f"label_{j}" for j in range(len(labels))).to_numpy().astype(np.int64)
    patterns = _pattern_figures(C, table["n_items"].to_numpy().astype(np.float64), labels)
    items = _items(ratings.ratings if isinstance(ratings, Counted) else ratings, labels, C)
    found = items.join(patterns, on="pattern", how="left").select(*QUEUE_SCHEMA)
    order = pl.col("expected_gain").fill_null(0.0).round(12)  # ties by item, whatever the last digit
    falling = found.with_columns(order.alias("order"))
    if limit is not None:
        least = falling["order"].top_k(limit).min()
        falling = falling.filter(pl.col("order") >= (0.0 if least is None else least))
    falling = falling.sort("order", "item", descending=[True, False]).drop("order")
    return falling if limit is None else falling.head(limit)


def expected_gain(P: FloatArray, P_c: float) -> FloatArray:
    """(q,) expected drop of entropy in bits, of posteriors P (q, N), by one more rating of a rater right with P_c.

    >>> expected_gain(np.array([[0.5, 0.5], [1.0, 0.0]]), 0.75).round(4).tolist()
    [0.1887, 0.0]
    """
    wrong = (1 - P_c) / (P.shape[1] - 1)
    given = P * (P_c - wrong) + wrong  # P(the next rating says y)
    errors = entropy(np.array([[P_c, *([wrong] * (P.shape[1] - 1))]]))[0]
    return np.asarray(np.clip(entropy(given) - errors, 0, entropy(P)))


def expected_rise(P: FloatArray, P_c: float) -> FloatArray:
    """(q,) expected rise of max P by one more rating: sum over y of max_z P(z) P(y | z), less max P.

    >>> expected_rise(np.array([[0.5, 0.5], [0.9, 0.1]]), 0.75).round(4).tolist()
    [0.25, 0.0]
    """
    wrong = (1 - P_c) / (P.shape[1] - 1)
    first, second = -np.partition(-P, 1, axis=1)[:, :2].T
    # after a rating y the best label is y itself, or the best of the others
    other = np.where(P.argmax(axis=1)[:, None] == np.arange(P.shape[1]), second[:, None], first[:, None])
    return np.asarray(np.clip(np.maximum(P * P_c, other * wrong).sum(axis=1) - first, 0, 1 - first))


def entropy(P: FloatArray) -> FloatArray:
    """(q,) in bits."""
    return np.asarray(np.clip(-(P * np.log2(P, out=np.zeros_like(P), where=P > 0)).sum(axis=1), 0, None))


def _pattern_figures(C: IntArray, n_items: FloatArray, labels: Sequence[str]) -> pl.DataFrame:
    """One row per pattern of counts, with all that its items share."""
    raters = lehner.rater_figures(C, n_items[None, :])
    undefined = why_no_accuracy(raters, len(labels))
    figures = np.full((4, len(C)), np.nan)
    top = lehner.top_label(C.astype(np.float64))
    for rows in lehner.blocks(len(C), len(labels)) if undefined is None else ():
        P, P_c = lehner.posterior(C[rows], raters)[0], float(raters.P_c[0])
        top[rows] = lehner.top_label(P)
        figures[:, rows] = P.max(axis=1), entropy(P), expected_gain(P, P_c), expected_rise(P, P_c)
    names = ("probability", "entropy", "expected_gain", "expected_rise")
    frame = pl.DataFrame(
        {
            "pattern": np.arange(len(C)),
            "label": pl.Series(list(labels), dtype=pl.String).gather(top),
            **dict(zip(names, figures, strict=True)),
            "n_ratings": C.sum(axis=1),
            "reason": pl.Series([None if undefined is None else undefined[0]] * len(C), dtype=pl.String),
        }
    )
    return frame.with_columns(pl.col(*names).fill_nan(None))


def _items(ratings: pl.DataFrame, labels: Sequence[str], C: IntArray) -> pl.DataFrame:
    """Each item with the number of its pattern, a row of C (q, k): both are coded as sums of powers, then joined."""
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
