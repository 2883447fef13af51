"""Compute the agreement of each two raters."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.agreement.coefficients.coefficient import Coefficient
from stats.agreement.count_tables import tables_of_pairs
from stats.agreement.inference.estimates import compute_estimates
from stats.agreement.inference.interval_methods import ErrorOptions, check_error_options
from stats.agreement.overall import chosen_coefficients
from stats.agreement.weights import LabelSetting, Weights, label_setting
from stats.arrays import FloatArray, IntArray
from stats.counts import distinct_raters, long_patterns
from stats.defaults import REPLICATES
from stats.errors import StatsError, is_whole
from stats.patterns import PairCells, pair_cells
from stats.unnamed import name_nobody

SCHEMA = pl.Schema(
    {
        "rater_a": pl.String(),
        "rater_b": pl.String(),
        "coefficient": pl.String(),
        "estimate": pl.Float64(),
        "se": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "n_items": pl.Int64(),
        "reason": pl.String(),
    }
)
MAX_CELLS = 1_000_000  # cells of contingency tables in memory at once


def pairwise(
    ratings: Any,
    *,
    labels: Sequence[str],
    scale: str = "nominal",
    weights: Weights = None,
    coefficients: Sequence[str] | None = ("cohen_kappa",),
    confidence: float = 0.95,
    interval_method: str = "t",
    replicates: int = REPLICATES,
    seed: int = 0,
    population: int | None = None,
    min_items: int = 1,
) -> pl.DataFrame:
    """Compute how far each two raters agree on the items that both rated: one row per pair and coefficient.

    The columns are rater_a < rater_b, coefficient, estimate, se, low, high, n_items (items that both rated) and reason
    (why the estimate is null). Rows are sorted by raters, then in the order of `coefficients`. Pairs with fewer than
    `min_items` common items (1 or more) are left out, because among many sparse raters they would be most rows and
    say nothing. Votes without names (`vote #1`) have no pairs.

    The other arguments and errors are those of `agreement`; any coefficient is allowed.

    >>> rows = [(i, r, l) for i, pair in enumerate(["AA", "AB", "BB", "BB"]) for r, l in zip("xy", pair)]
    >>> ratings = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> pairwise(ratings, labels=["A", "B"]).select("rater_a", "rater_b", "estimate", "n_items").rows()
    [('x', 'y', 0.5, 4)]
    """
    chosen, setting = chosen_coefficients(coefficients), label_setting(labels, scale, weights)
    errors = check_error_options(confidence, interval_method, replicates, seed, population)
    if not is_whole(min_items) or min_items < 1:
        raise StatsError(f"Pairs share min_items or more, a number from 1, found {min_items!r}. Pass 1 for all pairs.")
    raters = distinct_raters(ratings)
    if name_nobody(raters):
        return pl.DataFrame(schema=SCHEMA)
    cells = pair_cells(long_patterns(ratings, labels=labels, raters=raters))
    blocks = [
        _block(raters, a, b, A, coefficient, setting, errors).with_columns(order=pl.lit(position))
        for a, b, A in _contingency_tables(cells, len(labels), min_items)
        for position, coefficient in enumerate(chosen)
    ]
    if not blocks:
        return pl.DataFrame(schema=SCHEMA)
    return pl.concat(blocks).sort("rater_a", "rater_b", "order").drop("order")


def _contingency_tables(cells: PairCells, k: int, min_items: int) -> Iterator[tuple[IntArray, IntArray, FloatArray]]:
    """Yield the codes of rater a and b (B,) and their contingency tables (B, k, k), in blocks of pairs."""
    new = (np.diff(cells.rater_a, prepend=-1) != 0) | (np.diff(cells.rater_b, prepend=-1) != 0)
    if min_items > 1:
        number = np.cumsum(new)  # of the pair of each cell
        enough = (np.bincount(number, weights=cells.n_items) >= min_items)[number]
        cells, new = PairCells(*(column[enough] for column in cells)), new[enough]
    rater_a, rater_b, label_a, label_b, n_items = cells
    pair = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    step = max(MAX_CELLS // (k * k), 1)
    for start in range(0, len(first), step):
        stop = min(start + step, len(first))
        rows = slice(*np.searchsorted(pair, (start, stop)))
        A = np.zeros((stop - start, k, k))
        A[pair[rows] - start, label_a[rows], label_b[rows]] = n_items[rows]
        yield rater_a[first[start:stop]], rater_b[first[start:stop]], A


def _block(
    names: Sequence[str],
    a: IntArray,
    b: IntArray,
    A: FloatArray,
    coefficient: Coefficient,
    setting: LabelSetting,
    errors: ErrorOptions,
) -> pl.DataFrame:
    results = compute_estimates(coefficient, tables_of_pairs(A), setting, errors)
    # as lists: for an array polars loads NumPy's module for masked arrays, which takes longer than a small table
    columns = {
        "rater_a": [names[code] for code in a.tolist()],
        "rater_b": [names[code] for code in b.tolist()],
        "coefficient": [coefficient.name] * len(a),
        "estimate": results.estimate.tolist(),
        "se": results.se.tolist(),
        "low": results.low.tolist(),
        "high": results.high.tolist(),
        "n_items": A.sum(axis=(1, 2)).astype(np.int64).tolist(),
        "reason": results.reason.tolist(),
    }
    return pl.DataFrame(columns, schema=SCHEMA).with_columns(pl.col(pl.Float64).fill_nan(None))
