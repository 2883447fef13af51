"""Compare rankings: each rater puts the options of an item in order, and several may share a place.

Kendall, M. G., and Babington Smith, B. (1939), The problem of m rankings; Kendall (1970), Rank Correlation Methods,
4th ed., ch. 6 (ties). Spearman's rho and Kendall's tau-b of each pair of raters: the same book, ch. 1 to 3.
"""

import numpy as np
import polars as pl

from stats.arrays import FloatArray, IntArray

RANKS: dict[str, type[pl.DataType]] = {
    "item": pl.String,
    "rater": pl.String,
    "option": pl.String,
    "rank": pl.Float64,
}
"""One row per item, rater and option. Only the order of the ranks counts; options of one rank are tied."""
TIED = ("spearman", "kendall_tau")
"""The figures of pairs that may be negative, and that are null where a rater ties all options."""
CONCORDANCE = {"item": pl.String, "n_raters": pl.Int64, "kendall_w": pl.Float64}
DISTANCES = {"item": pl.String, "rater_a": pl.String, "rater_b": pl.String, "spearman": pl.Float64,
             "kendall_tau": pl.Float64}  # fmt: skip


def ranking_distances(ranks: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return spearman and kendall_tau of each item and pair of raters, and Kendall's W of each item.

    An item counts if two raters or more ranked it, and all the same options (`comparable_items`).
    W is corrected for ties; where all tie all, it is not there.
    """
    ranks = ranks.select(pl.col(name).cast(dtype) for name, dtype in RANKS.items())
    ranks = ranks.join(comparable_items(ranks), on="item", how="semi").sort("item", "rater", "option")
    pairs, items = [], []
    for (item,), rows in ranks.group_by("item", maintain_order=True):
        raters = rows["rater"].unique(maintain_order=True).to_list()
        table = rows["rank"].to_numpy().reshape(len(raters), -1)
        placed = np.array([_mean_ranks(row) for row in table])
        if (w := kendall_w(placed)) is not None:
            items.append((item, len(raters), w))
        rho, tau = _correlations(placed - placed.mean(axis=1, keepdims=True)), _correlations(_signs(placed))
        a, b = np.triu_indices(len(raters), 1)
        pairs += [
            (item, raters[i], raters[j], _defined(rho[i, j]), _defined(tau[i, j])) for i, j in zip(a, b, strict=True)
        ]
    return pl.DataFrame(pairs, schema=DISTANCES, orient="row"), pl.DataFrame(items, schema=CONCORDANCE, orient="row")


def comparable_items(ranks: pl.DataFrame) -> pl.DataFrame:
    """Return the items (item) whose raters, two or more, all ranked the same options, two or more."""
    of_rater = ranks.group_by("item", "rater").agg(pl.col("option").sort().alias("options"))
    per_item = of_rater.group_by("item").agg(
        n_raters=pl.len(), n_sets=pl.col("options").n_unique(), n_options=pl.col("options").first().list.len()
    )
    return per_item.filter(pl.col("n_raters") > 1, pl.col("n_sets") == 1, pl.col("n_options") > 1).select("item")


def kendall_w(ranks: FloatArray) -> float | None:
    """Compute Kendall's W of m raters (rows) and n options (columns), corrected for ties. ranks: mean ranks.

    W = (12 sum of R^2 - 3 m^2 n (n + 1)^2) / (m^2 n (n^2 - 1) - m sum of (t^3 - t)), with R the sums of ranks, and t
    the sizes of the ties. None where all tie all.

    >>> round(kendall_w(np.array([[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1.0]])), 2)
    0.16
    """
    m, n = ranks.shape
    ties = sum(int(t) ** 3 - int(t) for row in ranks for t in np.unique(row, return_counts=True)[1])
    most = m**2 * n * (n**2 - 1) - m * ties
    return float((12 * (ranks.sum(axis=0) ** 2).sum() - 3 * m**2 * n * (n + 1) ** 2) / most) if most else None


def _mean_ranks(row: FloatArray) -> FloatArray:
    """Return ranks from 1, where tied options share the mean of their places."""
    _, place, size = np.unique(row, return_inverse=True, return_counts=True)
    ranks: FloatArray = (np.cumsum(size) - (size - 1) / 2)[place]
    return ranks


def _signs(ranks: FloatArray) -> FloatArray:
    """Return for each rater the order of each two options: -1, 0 or 1."""
    a, b = _pairs_of(ranks.shape[1])
    signs: FloatArray = np.sign(ranks[:, a] - ranks[:, b])
    return signs


def _pairs_of(n: int) -> tuple[IntArray, IntArray]:
    a, b = np.triu_indices(n, 1)
    return a.astype(np.int64), b.astype(np.int64)


def _correlations(rows: FloatArray) -> FloatArray:
    """Return the sum of products of each two rows, by the root of that of their squares; NaN where a row is zero."""
    products = rows @ rows.T
    squares = np.diag(products)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations: FloatArray = products / np.sqrt(np.outer(squares, squares))
    return correlations


def _defined(value: float) -> float | None:
    return float(np.clip(value, -1, 1)) if np.isfinite(value) else None
