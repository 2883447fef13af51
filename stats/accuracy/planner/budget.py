"""Many items with few raters each, or few items with many? What a fixed number of ratings buys."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from stats.accuracy.planner.items import (
    FEW_ITEMS,
    MAX_LABELS,
    MAX_RATERS,
    check_shares,
    check_whole,
    on_kappa,
    z_value,
)
from stats.accuracy.planner.one_coin import rater_accuracy, sd_per_item
from stats.errors import StatsError

RATERS = tuple(range(2, 11))
MOST = 10**12  # ratings: nobody can pay so many


@dataclass(frozen=True)
class Share:
    """The budget spent with n_raters ratings on each of n_items items, and the half-width that comes of it."""

    n_raters: int
    n_items: int
    n_ratings: int
    half_width: float
    best: bool


@dataclass(frozen=True)
class Budget:
    """A row per number of raters; `best` is the one with the smallest half-width."""

    budget: int
    confidence: float
    n_labels: int
    kappa: float
    rater_accuracy: float
    system_accuracy: float
    shares: tuple[Share, ...]
    warnings: tuple[str, ...]

    @property
    def best(self) -> Share:
        return next(share for share in self.shares if share.best)


def raters_for_budget(
    *,
    n_labels: int,
    budget: int,
    kappa: float,
    confidence: float,
    system_accuracy: float = 0.9,
    n_raters: Sequence[int] = RATERS,
) -> Budget:
    """Half-width of a system's accuracy by raters per item, for `budget` human ratings in all.

    Items are whole: budget // raters. Where two numbers of raters do equally well the smaller is marked, and numbers
    beyond the budget have no row. The half-width is that of `plan`, z sd / sqrt(n_items); one above .5 tells nothing.
    Raises StatsError as `plan`, and for a budget that does not pay two ratings of one item, or is above 10^12.

    >>> found = raters_for_budget(n_labels=5, budget=600, kappa=0.3, confidence=0.9)
    >>> found.best.n_raters, found.best.n_items, round(found.best.half_width, 3)
    (3, 200, 0.052)
    """
    check_whole(n_labels=(n_labels, MAX_LABELS), **{f"n_raters {m}": (m, MAX_RATERS) for m in n_raters})
    check_shares(kappa=kappa, confidence=confidence, system_accuracy=system_accuracy)
    least = min(n_raters)
    if budget < least:
        raise StatsError(
            f"A budget pays {least} ratings of one item or more, found {budget}."
            f" Plan for some hundred ratings; {FEW_ITEMS * least} are the least that the formula is good for."
        )
    if budget > MOST:
        raise StatsError(f"A budget pays {MOST:,} ratings at most, found more. Plan for fewer.")
    c, z = rater_accuracy(n_labels, kappa), z_value(confidence)
    widths = {
        m: z * sd_per_item(n_labels, m, c, system_accuracy) / (budget // m) ** 0.5
        for m in sorted(set(n_raters))
        if m <= budget
    }
    best = min(widths, key=lambda m: (round(widths[m], 9), m))
    shares = tuple(Share(m, budget // m, budget // m * m, width, m == best) for m, width in widths.items())
    warnings = (*on_kappa(kappa), *_on_best(budget // best, widths[best]))
    return Budget(budget, confidence, n_labels, kappa, c, system_accuracy, shares, warnings)


def cheapest(
    *, n_labels: int, kappa: float, half_width: float, confidence: float, system_accuracy: float = 0.9
) -> Share:
    """The fewest human ratings that give a half-width, over 2 to 10 raters per item. Raises StatsError as `plan`.

    >>> cheapest(n_labels=5, kappa=0.3, half_width=0.05, confidence=0.9).n_ratings
    639
    """
    check_whole(n_labels=(n_labels, MAX_LABELS))
    check_shares(kappa=kappa, half_width=half_width, confidence=confidence, system_accuracy=system_accuracy)
    c, z = rater_accuracy(n_labels, kappa), z_value(confidence)
    items = {m: ceil((z * sd_per_item(n_labels, m, c, system_accuracy) / half_width) ** 2) for m in RATERS}
    m = min(items, key=lambda m: (items[m] * m, m))
    return Share(m, items[m], items[m] * m, half_width, True)


def _on_best(n_items: int, half_width: float) -> tuple[str, ...]:
    notes = []
    if n_items < FEW_ITEMS:
        notes.append(
            f"The formula is one for many items; with {n_items} the real interval is wider than it says. Plan for"
            f" {FEW_ITEMS} items or more."
        )
    if half_width >= 0.5:
        notes.append(
            f"So few ratings tell nothing: the half-width would be {half_width:.2f}, and accuracy lies between 0 and 1"
            " anyway. Raise the budget."
        )
    return tuple(notes)
