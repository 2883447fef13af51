"""Find raters whose labels contradict those of the others: kappa is below 0, as if the labels were mixed up.

A rater who says yes where the others say no has a negative kappa with each of them. It also lowers every figure of the
others, and no accuracy can be estimated, so that the figures alone do not show who it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist  # SciPy's takes a quarter of the time of `kappaflow agree` to import
from typing import Any

import numpy as np

from stats.agreement.breakdowns.pairs_by_scale import rows_by_scale
from stats.arrays import BoolArray, FloatArray

MAX_RATERS = 300  # with more, nobody looks at their pairs one by one
MIN_ITEMS = 20  # items that a pair has rated together; with fewer an interval has hardly a meaning
CLEARLY = -0.1  # the upper end of the interval must lie below; two raters of a rare label miss each other slightly
OPPOSITE = -0.4  # the same for the lowest of several pairs
TAIL = 0.025  # of the intervals of 95 %
COEFFICIENT = "cohen_kappa"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Contradiction:
    """A rater who contradicts the others, or two raters who contradict each other.

    - raters: the one, or the two.
    - kappa, low, high: the mean of Cohen's kappa with the others, and of the ends of its intervals.
    - among_others: the mean of the kappas of the others with each other; None for two raters.
    - is_by_scale: the kappas have weights by the scale of the labels.
    """

    raters: tuple[str, ...]
    kappa: float
    low: float
    high: float
    among_others: float | None = None
    is_by_scale: bool = False

    @property
    def sentence(self) -> str:
        """Say who contradicts whom, by how much, and what may be the cause."""
        return self._sentence(" and ".join(self.raters))

    @property
    def sentence_without_names(self) -> str:
        """Say the same in the row of a rater, without names: forgetting a rater does not change stored sentences."""
        return self._sentence("The two raters" if len(self.raters) > 1 else "This rater")

    def _sentence(self, who: str) -> str:
        kappa = "kappa with quadratic weights" if self.is_by_scale else "kappa"
        figures = f"{kappa} {self.kappa:.2f} [{self.low:.2f}, {self.high:.2f}]"
        if self.among_others is None:
            cause = "has the scale upside down" if self.is_by_scale else "mixed up the labels"
            return f"{who} contradict each other ({figures}). Perhaps one of them {cause}."
        others = f"that of the others among themselves is {self.among_others:.2f}"
        return f"{who} contradicts the others ({figures}; {others}). Perhaps {self._cause(self.among_others)}."

    def _cause(self, among_others: float) -> str:
        """Say what may be the cause. Where only one label is read differently, kappa is not as far below 0 as that of
        the others is above."""
        if not self.is_by_scale:
            return "the labels were mixed up"
        upside_down = "the scale was taken upside down"
        return upside_down if 2 * self.kappa <= -among_others else f"one label is read differently, or {upside_down}"


def contradictions(pairs: Iterable[Row]) -> list[Contradiction]:
    """Return the raters of one question who contradict the others, the lowest kappa first.

    `pairs` are rows of `pairwise`. Raters whose mean kappa with the others is below 0 are left out, the lowest first.
    If those who remain are the majority and agree with each other (their mean kappa is above 0), each of the left out
    is compared with them, and named if the mean of the upper ends of the intervals is below CLEARLY, and below 0 also
    at the confidence that allows for the number of raters. If nobody is named, the pair with the lowest kappa is, if it
    is as clear; among more than two raters its interval must lie below OPPOSITE. So two raters are named together:
    nothing says which of them is right.

    Kappas by the scale (`pairs_by_scale`) are looked at first, if there are any, and the others if nobody is named.

    >>> pair = {"coefficient": "cohen_kappa", "n_items": 80}
    >>> rows = [pair | {"rater_a": a, "rater_b": b, "estimate": kappa, "low": kappa - 0.1, "high": kappa + 0.1}
    ...         for a, b, kappa in (("ann", "bob", -0.8), ("ann", "cy", 0.9), ("bob", "cy", -0.7))]
    >>> [each.raters for each in contradictions(rows)]
    [('bob',)]
    """
    rows = [row for row in pairs if is_usable(row)]
    by_scale = _contradictions([row for row in rows_by_scale(rows) if is_usable(row)])
    return [replace(each, is_by_scale=True) for each in by_scale] or _contradictions(rows)


def _contradictions(rows: list[Row]) -> list[Contradiction]:
    table = _table(rows)
    majority = _majority(table)
    results = []
    among = table.mean(majority, majority)["estimate"]
    if 2 * majority.sum() > len(majority) and among > 0:
        against = [_of_rater(table, int(number), majority, among) for number in np.flatnonzero(~majority)]
        results = [each for each in against if each is not None]
    if not results:
        of_two = [_of_pair(row, len(table.raters), len(rows)) for row in rows]
        results = sorted([each for each in of_two if each is not None], key=lambda each: each.kappa)[:1]
    return sorted(results, key=lambda each: each.kappa)


@dataclass(frozen=True)
class _PairTable:
    """The pairs as symmetric matrices (r, r): estimate, low, high, and items (0 where there is no pair)."""

    raters: list[str]
    figures: dict[str, FloatArray]
    items: FloatArray

    def mean(self, some: BoolArray, others: BoolArray) -> dict[str, float]:
        """Return the mean figures over the pairs of the ones with the others, by items; NaN without a pair."""
        items = self.items[np.ix_(some, others)]
        total = items.sum()
        return {
            name: float((values[np.ix_(some, others)] * items).sum() / total) if total else float("nan")
            for name, values in self.figures.items()
        }


def _table(rows: Sequence[Row]) -> _PairTable:
    raters = sorted({row[key] for row in rows for key in ("rater_a", "rater_b")})
    number = {rater: i for i, rater in enumerate(raters)}
    a = np.array([number[row["rater_a"]] for row in rows], dtype=np.int64)
    b = np.array([number[row["rater_b"]] for row in rows], dtype=np.int64)

    def matrix(name: str) -> FloatArray:
        values = np.zeros((len(raters), len(raters)))
        values[a, b] = values[b, a] = [row[name] for row in rows]
        return values

    return _PairTable(raters, {name: matrix(name) for name in ("estimate", "low", "high")}, matrix("n_items"))


def _majority(table: _PairTable) -> BoolArray:
    """Mark the raters (r,) without those whose mean kappa with the rest is below 0, the lowest taken first."""
    majority = np.ones(len(table.raters), dtype=bool)
    weighted = table.figures["estimate"] * table.items
    while majority.sum() > 2:
        items = table.items[:, majority].sum(axis=1)
        means = np.where(majority & (items > 0), weighted[:, majority].sum(axis=1) / np.maximum(items, 1), 0.0)
        if means.min() >= 0:
            break
        majority[means.argmin()] = False
    return majority


def is_usable(row: Row) -> bool:
    """Check whether a row of `pairwise` is Cohen's kappa of enough items, with an interval."""
    return row["coefficient"] == COEFFICIENT and row["n_items"] >= MIN_ITEMS and row["high"] is not None


def _of_rater(table: _PairTable, number: int, majority: BoolArray, among: float) -> Contradiction | None:
    """Return how a rater contradicts the majority; None if that is not clear, or there is no pair."""
    means = table.mean(np.arange(len(majority)) == number, majority)
    if not _is_clear(means["estimate"], means["high"], len(majority)):
        return None
    return Contradiction((table.raters[number],), means["estimate"], means["low"], means["high"], among)


def _of_pair(row: Row, n_raters: int, n_pairs: int) -> Contradiction | None:
    if not _is_clear(row["estimate"], row["high"], n_pairs) or (n_raters > 2 and row["high"] >= OPPOSITE):
        return None
    return Contradiction((row["rater_a"], row["rater_b"]), row["estimate"], row["low"], row["high"])


def _is_clear(kappa: float, high: float, n_looks: int) -> bool:
    """Check whether kappa lies below 0 for sure, also if it is one of `n_looks` that chance may make low."""
    normal = NormalDist()
    wider = normal.inv_cdf(1 - TAIL / n_looks) / normal.inv_cdf(1 - TAIL)
    return high < CLEARLY and kappa + wider * (high - kappa) < 0
