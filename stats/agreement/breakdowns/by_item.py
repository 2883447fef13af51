"""Find the items on which the raters disagree."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.arrays import IntArray
from stats.counts import distinct_raters, long_patterns
from stats.frames import collect, expressions_for
from stats.patterns import digit_words, digits_of
from stats.ratings import ratings_frame
from stats.special_functions import xlogy

SCHEMA = pl.Schema(
    {
        "item": pl.String(),
        "n_ratings": pl.Int64(),
        "n_labels_used": pl.Int64(),
        "top_labels": pl.List(pl.String()),
        "top_share": pl.Float64(),
        "disagreement": pl.Float64(),
        "entropy": pl.Float64(),
        "entropy_normalised": pl.Float64(),
        "reason": pl.String(),
    }
)
DIGITS = 12  # figures that differ only in later digits are equal but for rounding


def by_item(ratings: Any, *, labels: Sequence[str], scale: str = "nominal", weights: Weights = None) -> pl.DataFrame:
    """Compute how far the raters differ on each item: one row per item, the most disputed first.

    An item has one row whatever its n_items. From its n ratings, C_j of which have label j:

    - n_ratings, n_labels_used;
    - top_labels, top_share: the labels that most raters gave, in declared order if several tie, and the share of the
      ratings that each of them has;
    - disagreement: share of the rater pairs that differ, sum_jl C_j C_l (1 - w_jl) / (n (n - 1)), in 0..1. With
      `weights` (and the scores of `scale`) near labels differ less; without, every difference counts 1;
    - entropy of the label shares, in bits: 0 where all agree, at most log2(k) for k declared labels;
    - entropy_normalised: entropy / log2(k), in 0..1.

    An item with one rating has no disagreement and no entropy (`too_few_ratings`). With one declared label
    entropy_normalised is null (`zero_denominator`). Rows are sorted by disagreement, then entropy, both descending
    with null last, then by item, which is text. The arguments and errors are those of `agreement`.

    >>> rows = [(i, r, l) for i, all in enumerate(["AAA", "ABA", "ABC"]) for r, l in zip("xyz", all)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> result = by_item(ratings, labels=["A", "B", "C"])
    >>> result.select("item", "top_labels", pl.col("disagreement", "entropy").round(3)).rows()
    [('2', ['A', 'B', 'C'], 1.0, 1.585), ('1', ['A'], 0.667, 0.918), ('0', ['A'], 0.0, 0.0)]
    """
    setting = label_setting(labels, scale, weights)
    patterns = long_patterns(ratings, labels=labels, raters=distinct_raters(ratings))  # also checks the ratings
    base = int(np.bincount(patterns.pattern, minlength=1).max()) + 2
    words = digit_words(base, len(labels))
    keys = [f"key_{number}" for number in range(len(words))]
    items = _label_keys(ratings, labels, base, words, keys)
    different = items.select(keys).unique().sort(keys)
    figures = _figures(digits_of(different.to_numpy(), base, words), labels, setting)
    joined = items.lazy().join(pl.concat([different, figures], how="horizontal").lazy(), on=keys, how="left")
    return joined.sort("place", "item").select(SCHEMA.names()).cast(SCHEMA).collect()


def _label_keys(ratings: Any, labels: Sequence[str], base: int, words: list[range], keys: list[str]) -> pl.DataFrame:
    """Return item (text) and the raters who gave it each label, as digits of integers, in any row order."""
    powers = [[base ** (j - word.start) if j in word else 0 for j in range(len(labels))] for word in words]
    frame = ratings_frame(ratings)
    ex = expressions_for(frame)
    coded = frame.select(
        ex.col("item"),
        *(
            ex.col("label").replace_strict(list(labels), power, default=None, return_dtype=ex.Int64).alias(key)
            for key, power in zip(keys, powers, strict=True)
        ),
    )
    by_item = coded.group_by("item").agg(ex.col(*keys).sum())
    return collect(by_item.select(ex.col("item").cast(ex.String), ex.col(*keys).cast(ex.Int64)))


def _figures(C: IntArray, labels: Sequence[str], setting: LabelSetting) -> pl.DataFrame:
    """Compute the figures of items with the counts C (Q, k), and their `place` in the result."""
    m, k = C.sum(axis=1), len(labels)
    several = m >= 2
    most = C.max(axis=1, initial=0)
    differing = (C * (C @ (1 - setting.kappa_w).T)).sum(axis=1)
    disagreement = np.where(several, differing / np.maximum(m * (m - 1), 1), np.nan)
    # sorted, so that the order of the labels does not change the last digit
    p = np.sort(C, axis=1) / np.maximum(m, 1)[:, None]
    entropy = np.where(several, np.abs(xlogy(p, p).sum(axis=1)) / np.log(2), np.nan)
    rank = [-np.round(np.nan_to_num(figure, nan=-1.0), DIGITS) for figure in (entropy, disagreement)]
    place = np.unique(np.column_stack(rank[::-1]), axis=0, return_inverse=True)[1].reshape(-1)
    reason = np.where(several, "zero_denominator" if k == 1 else "", "too_few_ratings")
    figures = pl.DataFrame(
        {
            "n_ratings": m,
            "n_labels_used": (C > 0).sum(axis=1),
            "top_labels": _names_of(most[:, None] == C, labels),
            "top_share": most / np.maximum(m, 1),
            "disagreement": disagreement,
            "entropy": entropy,
            "entropy_normalised": entropy / np.log2(k) if k > 1 else np.full(len(C), np.nan),
            "reason": pl.Series(reason.tolist(), dtype=pl.String).replace("", None),
            "place": place,
        }
    )
    return figures.with_columns(pl.col(pl.Float64).fill_nan(None))


def _names_of(chosen: npt.NDArray[np.bool_], labels: Sequence[str]) -> pl.Series:
    """Return the (Q,) lists of labels chosen in each row of (Q, k); each row has at least one."""
    row, label = np.nonzero(chosen)
    names = pl.DataFrame({"row": row, "label": pl.Series(labels, dtype=pl.String).gather(label)})
    return names.group_by("row", maintain_order=True).agg("label")["label"]
