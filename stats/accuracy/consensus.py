"""What the human raters say together: agreement and accuracy in all, and the consensus label of every item."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.accuracy import lehner
from stats.accuracy.estimator import FloatArray, IntArray
from stats.accuracy.items import count_items
from stats.accuracy.lehner_fit import why_no_accuracy
from stats.accuracy.valid import check_labels
from stats.counts import count_patterns

CONSENSUS_SCHEMA = {
    "item": pl.String,
    "label": pl.String,
    "probability": pl.Float64,
    "entropy": pl.Float64,
    "n_ratings": pl.Int64,
}


@dataclass(frozen=True)
class Summary:
    """The raters in all. kappa is corrected for chance 1/N; rater_accuracy is Lehner's P_c; None where
    undefined."""

    kappa: float | None
    rater_accuracy: float | None
    base_rates: dict[str, float] | None
    n_items: int
    reason: str | None
    detail: str | None


def summary(ratings: pl.DataFrame, *, labels: Sequence[str]) -> Summary:
    """Kappa, accuracy and base rates of the raters in `ratings` (leave systems and gold out before).

    kappa is null when no item has two ratings; accuracy and base rates also when the raters agree no better
    than chance 1/N. `reason` says why. Raises StatsError for ratings that `stats.counts` refuses and fewer
    than two labels.

    >>> frame = pl.DataFrame({"item": list("1122"), "rater": list("abab"), "label": list("AABB")})
    >>> found = summary(frame, labels=["A", "B"])
    >>> found.kappa, found.rater_accuracy, found.base_rates
    (1.0, 1.0, {'A': 0.5, 'B': 0.5})
    """
    C, n_items = _counts(ratings, labels)
    raters = lehner.rater_figures(C, n_items[None, :].astype(np.float64))
    undefined = why_no_accuracy(raters, len(labels))
    kappa = None if np.isnan(raters.P_a[0]) else float(lehner.kappa(raters.P_a, len(labels))[0])
    if undefined is not None:
        return Summary(kappa, None, None, int(n_items.sum()), *undefined)
    rates = dict(zip(labels, map(float, raters.base_rates[0]), strict=True))
    return Summary(kappa, float(raters.P_c[0]), rates, int(n_items.sum()), None, None)


def consensus(ratings: pl.DataFrame, *, labels: Sequence[str]) -> pl.DataFrame:
    """The most probable right label of every rated item: item, label, probability, entropy (bits), n_ratings.

    By Lehner's posterior from the ratings given (leave systems and gold out before). Ties go to the first
    declared label. Where the raters' accuracy is undefined (see `summary`) the label is the one most of them
    gave, and probability and entropy are null. Sorted by item. Raises as `summary`.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("BBAABA")})
    >>> consensus(frame, labels=["A", "B"]).with_columns(pl.col("probability", "entropy").round(2)).rows()
    [('1', 'B', 0.93, 0.35, 2), ('2', 'A', 0.93, 0.35, 2), ('3', 'A', 0.5, 1.0, 2)]
    """
    C, n_items = _counts(ratings, labels)
    raters = lehner.rater_figures(C, n_items[None, :].astype(np.float64))
    items = count_items(ratings, labels=labels)
    top, probability, entropy = _consensus_of(items.C, raters)
    undefined = np.isnan(raters.P_c[0])
    frame = pl.DataFrame(
        {
            "item": items.names.cast(pl.String),
            "label": pl.Series(list(labels), dtype=pl.String).gather(top),
            "probability": None if undefined else probability,
            "entropy": None if undefined else entropy,
            "n_ratings": items.C.sum(axis=1),
        },
        schema=CONSENSUS_SCHEMA,
    )
    return frame.sort("item")


def _counts(ratings: pl.DataFrame, labels: Sequence[str]) -> tuple[IntArray, IntArray]:
    check_labels(labels)
    table = count_patterns(ratings, labels=labels)
    C = table.select(f"label_{j}" for j in range(len(labels))).to_numpy().astype(np.int64)
    return C, table["n_items"].to_numpy().astype(np.int64)


def _consensus_of(C: IntArray, raters: lehner.Raters) -> tuple[IntArray, FloatArray, FloatArray]:
    """Top label, its posterior, and the posterior's entropy in bits, per row of C."""
    top, probability, entropy = np.empty(len(C), np.int64), np.empty(len(C)), np.empty(len(C))
    undefined = bool(np.isnan(raters.P_c[0]))
    for rows in lehner.blocks(len(C), C.shape[1]):
        P = C[rows].astype(np.float64) if undefined else lehner.posterior(C[rows], raters)[0]
        top[rows], probability[rows] = lehner.top_label(P), P.max(axis=1)
        entropy[rows] = -(P * np.log2(P, out=np.zeros_like(P), where=P > 0)).sum(axis=1)
    return top, probability, np.clip(entropy, 0, None)
