"""Weights of gold items that were drawn with known probabilities which differ, such as a stratified sample's.

An item that was drawn with probability pi stands for 1 / pi items. A mean is then the weighted one (J. Hajek 1971, in
Foundations of Statistical Inference, 236), and its variance that of its linearisation, as if the items were drawn with
replacement: sum w^2 (y - mean)^2 / (sum w)^2 (C.-E. Saerndal, B. Swensson & J. Wretman 1992, Model Assisted Survey
Sampling, secs. 2.9 and 5.7). It leaves out what the strata explain, so it is too large rather than too small.
"""

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.errors import StatsError
from stats.ratings import INCLUSION

WEIGHT = "weight"
ALIKE = 1e-9  # relative difference below which probabilities are the same


def check_inclusion(gold: pl.DataFrame) -> None:
    """Raise StatsError unless the probabilities of the gold items, if there are any, lie in (0, 1].

    Lists are those of a project, where an item may count for less than one item and have a number above 1.
    """
    if INCLUSION not in gold.columns:
        return
    listed = gold.schema[INCLUSION] == pl.List(pl.Float64)
    values = gold[INCLUSION].explode() if listed else gold[INCLUSION]
    most = float("inf") if listed else 1.0
    if not values.dtype.is_numeric() or not ((values > 0) & (values <= most)).fill_null(value=False).all():
        raise StatsError(
            f"The column {INCLUSION} of gold must hold a number above 0 and up to 1 for each item. Correct it, or drop"
            " the column if each item was as likely to be drawn as any other."
        )


def is_drawn(gold: pl.DataFrame) -> bool:
    """Tell whether each gold item was drawn with a known probability. Of other gold nobody knows how it was chosen."""
    return INCLUSION in gold.columns


def weights_of(rows: pl.DataFrame) -> FloatArray | None:
    """Return the weight 1 / probability of each row, None where there are no probabilities or all are alike.

    >>> weights_of(pl.DataFrame({"inclusion_probability": [0.5, 0.25]})).tolist()
    [2.0, 4.0]
    """
    if INCLUSION not in rows.columns or rows.is_empty():
        return None
    probability = rows[INCLUSION].cast(pl.Float64).to_numpy()
    if probability.max() - probability.min() <= ALIKE * probability.max():
        return None
    return np.asarray(1 / probability)


def mean_weight(gold: pl.DataFrame) -> pl.Expr:
    """Return the column weight: what each gold item stands for, or the mean of those that it represents; else 1."""
    if INCLUSION not in gold.columns:
        return pl.lit(1.0).alias(WEIGHT)
    if gold.schema[INCLUSION] == pl.List(pl.Float64):
        return pl.col(INCLUSION).list.eval(1 / pl.element()).list.mean().alias(WEIGHT)
    return (1 / pl.col(INCLUSION).cast(pl.Float64)).alias(WEIGHT)


def scaled(weight: FloatArray | None, m: int) -> FloatArray:
    """Return the weights of m rows with a mean of 1."""
    return np.ones(m) if weight is None else np.asarray(weight * m / weight.sum())


def effective_share(w: FloatArray) -> float:
    """Return the effective number of rows by their number, (sum w)^2 / (n sum w^2) (L. Kish 1965, Survey Sampling)."""
    return float(w.sum() ** 2 / (len(w) * (w**2).sum())) if len(w) else 1.0


def size_with_more(weight: FloatArray | None, m: int, more: int) -> float:
    """Return how many gold items of the present mix say as much as these m and `more` further ones that are drawn.

    More items can be drawn only where the probability is below 1. So the others keep their weight, and the drawn ones
    share theirs with the new ones.

    >>> size_with_more(None, 20, 20), round(size_with_more(np.array([1.0] * 30 + [9.7] * 10), 40, 20))
    (40, 113)
    """
    drawn = np.zeros(0) if weight is None else weight[weight > 1 + ALIKE]
    if weight is None or not len(drawn):
        return m + more
    squares, of_drawn = float((weight**2).sum()), float((drawn**2).sum())
    return m * squares / (squares - of_drawn * more / (len(drawn) + more))


def covariance(w: FloatArray, a: FloatArray, b: FloatArray, power: int = 2) -> float:
    """Return mean(w^power (a - weighted mean) (b - weighted mean)) for weights with a mean of 1.

    With power 2 and divided by the number of rows, this is the covariance of the two weighted means. With power 1 it is
    the covariance of the two values of one item, in the population.
    """
    return float(np.mean(w**power * (a - (w * a).mean()) * (b - (w * b).mean())))
