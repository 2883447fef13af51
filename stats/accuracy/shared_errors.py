"""Errors that raters share: what they would do to an estimate, and how strong they are where gold shows them.

Without gold nothing in the labels tells shared errors from right answers. `accuracy_if_shared` says what an accuracy
would be if agreement pointed to a wrong label on a share d of the items:

    A(d) = A - d (K A - 1) / (K - 1)

A is the estimate, K the number of labels. On such items a system that agrees with the wrong label with probability A
is right with probability (1 - A) / (K - 1). On 20 public sets with gold the best fitting share was .04 in the median,
and .005 to .23 between the 10th and the 90th percentile.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.gold.gold_weights import WEIGHT, mean_weight
from stats.arrays import FloatArray
from stats.ratings import INCLUSION
from stats.special_functions import stdtrit

SHARES = (0.05, 0.15, 0.25)
LEAST_ITEMS = 10  # gold items with two ratings or more that the correlation of errors needs
Row = dict[str, Any]


@dataclass(frozen=True)
class SharedErrors:
    """How strongly the raters' errors go together on the gold items. Null where `reason` says why.

    - correlation: intraclass correlation of the errors, with its interval; 0 if raters err independently.
    - n_effective: the number of independent raters that say as much as `raters_per_item` of these.
    """

    correlation: float | None
    low: float | None
    high: float | None
    raters_per_item: float | None
    n_effective: float | None
    n_effective_low: float | None
    n_effective_high: float | None
    n_items: int
    reason: str | None = None
    detail: str | None = None

    def to_json(self) -> Row:
        """Return plain values."""
        return asdict(self)


def accuracy_if_shared(accuracy: float, n_labels: int, share: float) -> float:
    """Return the accuracy if agreement points to a wrong label on this share of the items.

    >>> [round(accuracy_if_shared(0.9, 3, d), 3) for d in SHARES]
    [0.858, 0.772, 0.688]
    """
    return accuracy - share * (n_labels * accuracy - 1) / (n_labels - 1)


def sensitivity(systems: pl.DataFrame, n_labels: int) -> list[Row]:
    """Return a row per system and share of SHARES: system, share, accuracy. Only for `average` without gold."""
    rows = systems.filter(pl.col("method") == "average", pl.col("n_gold") == 0).drop_nulls("accuracy")
    return [
        {"system": system, "share": share, "accuracy": accuracy_if_shared(accuracy, n_labels, share)}
        for system, accuracy in rows.select("system", "accuracy").iter_rows()
        for share in SHARES
    ]


def effective_raters(raters: float, correlation: float) -> float:
    """Return m / (1 + (m - 1) rho): how many independent raters say as much as m whose errors correlate with rho.

    A correlation below 0 counts as 0.

    >>> round(effective_raters(20, 0.16), 2), effective_raters(3, 0.0)
    (4.95, 3.0)
    """
    return raters / (1 + max(raters - 1, 0.0) * max(correlation, 0.0))


def shared_errors(
    humans: pl.DataFrame, gold: pl.DataFrame | None, *, labels: Sequence[str], confidence: float = 0.95
) -> SharedErrors:
    """Measure how strongly the errors of human raters go together on the gold items.

    `humans` has item, rater, label, and n_items where an item stands for several; `gold` has item and label. The
    correlation is that of one-way analysis of variance (R. A. Fisher 1925), with the items as groups, for unequal
    numbers of ratings; its interval is a jackknife over items, by Student's t. Gold with unequal probabilities is
    weighted. Without gold it is undefined (`no_gold`).

    >>> frame = pl.DataFrame({"item": list("112233"), "rater": list("ababab"), "label": list("AAAABB")})
    >>> shared_errors(frame, frame.select("item", "label").unique(), labels=["A", "B"]).reason
    'too_few_items'
    """
    if gold is None:
        return _undefined(
            0, "no_gold", "Only gold shows whether raters err together, and there is no gold that can be used."
        )
    text = pl.col("item", "label").cast(pl.String)
    listed = gold.schema.get(INCLUSION) == pl.List(pl.Float64)
    drawn = [pl.col(INCLUSION).list.len().alias("n_drawn")] if listed else []
    golds = gold.select(text, mean_weight(gold), *drawn).rename({"label": "truth"})
    size = "n_drawn" if listed else "n_items" if "n_items" in humans.columns else None
    weight = pl.lit(1) if size is None else pl.col(size).first()
    judged = humans.with_columns(text).filter(pl.col("label").is_in(list(labels))).join(golds, on="item")
    wrong = (pl.col("label") != pl.col("truth")).sum()
    counted = {"m": pl.len(), "wrong": wrong, "n": weight.cast(pl.Int64), WEIGHT: pl.col(WEIGHT).first()}
    items = judged.group_by("item").agg(**counted).sort("item")
    items = items.filter(pl.col("m") > 1).with_columns(pl.col("m", "wrong", "n").cast(pl.Float64))
    n_items = int(items["n"].sum())
    if n_items < LEAST_ITEMS:
        return _undefined(n_items, "too_few_items", f"{LEAST_ITEMS} gold items with two ratings or more are needed.")
    m, errors, n, w = (items[name].to_numpy() for name in ("m", "wrong", "n", WEIGHT))
    w = w * n_items / (w * n).sum()
    if (errors * n).sum() in (0.0, (m * n).sum()):
        detail = "The raters are right on all gold items, or wrong on all, so there is nothing to correlate."
        return _undefined(n_items, "zero_denominator", detail)
    sums = np.stack([np.ones_like(m), m, m**2, errors, errors**2 / m]) * w
    total = (sums * n).sum(axis=1)
    rho = float(_correlation(total[:, None])[0])
    without = _correlation(total[:, None] - sums)
    scatter = float((n * (without - np.average(without, weights=n)) ** 2).sum() * (n_items - 1) / n_items)
    if not np.isfinite(scatter):
        return _undefined(n_items, "too_few_items", "Too few gold items show an error.")
    half = float(stdtrit(n_items - 1, (1 + confidence) / 2)) * scatter**0.5
    low, high, mean = max(rho - half, -1.0), min(rho + half, 1.0), float(np.average(m, weights=n * w))
    n_effective, least, most = (effective_raters(mean, value) for value in (rho, high, low))
    return SharedErrors(rho, low, high, mean, n_effective, least, most, n_items)


def _correlation(sums: FloatArray) -> FloatArray:
    """Return the correlation (q,) from the sums of 1, m, m^2, errors and errors^2 / m over the items (5, q)."""
    n, m, m2, errors, squares = sums
    between = (squares - errors**2 / m) / (n - 1)
    within = (errors - squares) / (m - n)
    size = (m - m2 / m) / (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((between - within) / (between + (size - 1) * within))


def _undefined(n_items: int, reason: str, detail: str) -> SharedErrors:
    return SharedErrors(None, None, None, None, None, None, None, n_items, reason, detail)
