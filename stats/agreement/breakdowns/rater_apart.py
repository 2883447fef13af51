"""Find the one rater who agrees little with the others, while these agree well with each other.

Such a rater lowers every figure of a question, although its guideline is clear to the others.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from stats.agreement.breakdowns.contradictions import Row, is_usable
from stats.agreement.breakdowns.pairs_by_scale import rows_by_scale
from stats.verdict_interval import POOR, SURE, reaches

ROUNDING = 1e-9


@dataclass(frozen=True)
class RaterApart:
    """A rater whose kappa with each other rater surely lies below POOR, while the others agree with each other.

    kappa: the mean of Cohen's kappa with the others; among_others: that of the others with each other. By items.
    is_by_scale: the kappas have weights by the scale of the labels. is_weighted: they have the weights of the question.
    is_constant: the rater gave one answer to all items that others rated, too.
    """

    rater: str
    kappa: float
    among_others: float
    is_by_scale: bool = False
    is_weighted: bool = False
    is_constant: bool = False

    @property
    def sentence(self) -> str:
        """Say who agrees with whom, and by how much."""
        if self.is_constant:
            others = f"the others agree with each other ({self.among_others:.2f})"
            return f"{self.rater} gives all items that others rated, too, the same answer, and {others}."
        kappa = (
            "kappa with quadratic weights" if self.is_by_scale else "weighted kappa" if self.is_weighted else "kappa"
        )
        severity = " Perhaps this annotator is more severe or more lenient." if self.is_by_scale else ""
        return (
            f"{self.rater} agrees little with the others ({kappa} {self.kappa:.2f}), who agree with each other"
            f" ({self.among_others:.2f}).{severity}"
        )


def rater_apart(pairs: Iterable[Row]) -> RaterApart | None:
    """Return the one rater of a question who agrees little with all others; None if there is not just one.

    `pairs` are rows of `pairwise`. Pairs with fewer than 20 items do not count. The rater has two pairs or more,
    each with an interval below POOR. The mean kappa of the others is SURE or more, and each of their intervals lies
    above POOR. With two raters nothing says who of them is apart. If there is no such rater, the kappas by the scale
    (`pairs_by_scale`) are looked at in the same way.

    A rater who gave all shared items the same answer, such as all labels of a set, has a kappa of 0 without any width
    with everybody. If there is just one, the others need a mean kappa of POOR or more, and intervals above 0.

    >>> pair = {"coefficient": "cohen_kappa", "n_items": 80}
    >>> rows = [pair | {"rater_a": a, "rater_b": b, "estimate": kappa, "low": kappa - 0.1, "high": kappa + 0.1}
    ...         for a, b, kappa in (("ann", "bob", 0.0), ("ann", "cy", 0.9), ("bob", "cy", 0.1))]
    >>> rater_apart(rows).sentence
    'bob agrees little with the others (kappa 0.05), who agree with each other (0.90).'
    """
    rows = [row for row in pairs if is_usable(row)]
    if (constant := _constant_rater(rows)) is not None:
        return constant
    if (apart := _rater_apart(rows)) is not None:
        return apart
    by_scale: list[Row] = [row for row in rows_by_scale(rows) if is_usable(row)]
    if (constant := _constant_rater(by_scale)) is not None:  # numbers are seldom equal: kappa is low between all others
        return constant
    apart = _rater_apart(by_scale)
    return None if apart is None else replace(apart, is_by_scale=True)


def _constant_rater(rows: list[Row]) -> RaterApart | None:
    n_pairs = Counter(row[key] for row in rows for key in ("rater_a", "rater_b"))
    of_no_width = [row for row in rows if row["low"] == row["high"] and abs(row["estimate"]) < ROUNDING]
    n_constant = Counter(row[key] for row in of_no_width for key in ("rater_a", "rater_b"))
    candidates = [rater for rater, n in n_constant.items() if n >= 2 and n == n_pairs[rater]]
    if len(candidates) != 1:
        return None
    (rater,) = candidates
    others = [row for row in rows if rater not in (row["rater_a"], row["rater_b"])]
    if not others or any(row["low"] is None or row["low"] <= 0 for row in others) or not reaches(_mean(others), POOR):
        return None
    return RaterApart(rater, 0.0, _mean(others), is_constant=True)


def _rater_apart(rows: list[Row]) -> RaterApart | None:
    n_pairs = Counter(row[key] for row in rows for key in ("rater_a", "rater_b"))
    n_low = Counter(row[key] for row in rows if not reaches(row["high"], POOR) for key in ("rater_a", "rater_b"))
    candidates = [rater for rater, n in n_low.items() if n >= 2 and n == n_pairs[rater]]
    if len(candidates) != 1:
        return None
    (rater,) = candidates
    others = [row for row in rows if rater not in (row["rater_a"], row["rater_b"])]
    if not others or not all(reaches(row["low"], POOR) for row in others):
        return None
    among = _mean(others)
    if not reaches(among, SURE):
        return None
    return RaterApart(rater, _mean([row for row in rows if rater in (row["rater_a"], row["rater_b"])]), among)


def _mean(rows: list[Row]) -> float:
    return float(sum(row["estimate"] * row["n_items"] for row in rows) / sum(row["n_items"] for row in rows))
