"""What the human raters say together: agreement and accuracy in all, and the consensus label of every item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.accuracy import dawid_skene, lehner
from stats.accuracy.data import Data
from stats.accuracy.em import responsibilities
from stats.accuracy.estimator import FloatArray, IntArray, Patterns
from stats.accuracy.lehner_fit import why_no_accuracy
from stats.accuracy.likelihood import solve
from stats.accuracy.named import named_items
from stats.accuracy.valid import check_labels
from stats.counts import count_patterns
from stats.errors import StatsError

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


def consensus(ratings: pl.DataFrame, *, labels: Sequence[str], method: str = "lehner") -> pl.DataFrame:
    """The most probable right label of every rated item: item, label, probability, entropy (bits), n_ratings.

    From the ratings given (leave systems and gold out before), by a method of CONSENSUS. `lehner` is the posterior of
    Lehner's method: all raters are equally good, errors spread evenly. `dawid_skene` fits a free matrix for each
    rater (Dawid & Skene 1979, Appl. Stat. 28, 20-28), each row with the two pseudo-ratings of
    `stats.accuracy.rows`: better where raters differ and have some dozens of ratings each. It starts from Lehner's
    posterior; in the rare case that it has not settled within its steps (100 at least) the labels are those of the
    last one.

    Ties go to the first declared label. Where the raters' accuracy is undefined (see `summary`) the label is the one
    most of them gave, and probability and entropy are null. Sorted by item. An item that stands for several (n_items,
    as in `accuracy`) has one row, and counts as so many in what is estimated from all items. Raises as `summary`, and
    StatsError for an unknown method.

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("BBAABA")})
    >>> consensus(frame, labels=["A", "B"]).with_columns(pl.col("probability", "entropy").round(2)).rows()
    [('1', 'B', 0.93, 0.35, 2), ('2', 'A', 0.93, 0.35, 2), ('3', 'A', 0.5, 1.0, 2)]
    """
    check_labels(labels)
    if method not in CONSENSUS:
        raise StatsError(f"There is no method {method!r} of consensus. Choose from {', '.join(CONSENSUS)}.")
    items = named_items(ratings, labels=labels)
    patterns = Patterns(items.counts, np.full(len(items.counts), -1), items.patterns.n_items, raters=items.patterns)
    W = patterns.n_items[None, :].astype(np.float64)
    data = Data(patterns, W, lehner.rater_figures(patterns.C, W))
    undefined = bool(np.isnan(data.raters.P_c[0]))
    parts = _votes(data) if undefined else CONSENSUS[method](data)
    top, probability, entropy = (np.concatenate(part)[items.row] for part in zip(*map(_summed_up, parts), strict=True))
    return pl.DataFrame(
        {
            "item": items.names,
            "label": pl.Series(list(labels), dtype=pl.String).gather(top),
            "probability": None if undefined else probability,
            "entropy": None if undefined else entropy,
            "n_ratings": items.counts.sum(axis=1)[items.row],
        },
        schema=CONSENSUS_SCHEMA,
    )


def _votes(data: Data) -> Iterator[FloatArray]:
    """The counts of each label, where there is no posterior."""
    yield data.patterns.C.astype(np.float64)


def _by_lehner(data: Data) -> Iterator[FloatArray]:
    """Posterior of the labels (rows, k), in portions of the patterns."""
    C = data.patterns.C
    return (lehner.posterior(C[rows], data.raters)[0] for rows in lehner.blocks(*C.shape))


def _by_dawid_skene(data: Data) -> Iterator[FloatArray]:
    """The same from a matrix for each rater; the system's place in the model stays empty."""
    solution, evidence = solve(dawid_skene.MODEL, data), data.by_rater.evidence
    return (responsibilities(part, solution.Phi)[0][0] for _, part in evidence.blocks(data.k))


CONSENSUS = {"lehner": _by_lehner, "dawid_skene": _by_dawid_skene}


def _summed_up(P: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Top label, its probability, and the entropy in bits, of each row of P."""
    entropy = -(P * np.log2(P, out=np.zeros_like(P), where=P > 0)).sum(axis=1)
    return lehner.top_label(P), P.max(axis=1), np.clip(entropy, 0, None)


def _counts(ratings: pl.DataFrame, labels: Sequence[str]) -> tuple[IntArray, IntArray]:
    check_labels(labels)
    table = count_patterns(ratings, labels=labels)
    C = table.select(f"label_{j}" for j in range(len(labels))).to_numpy().astype(np.int64)
    return C, table["n_items"].to_numpy().astype(np.int64)
