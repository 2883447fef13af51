"""Raters per item for a budget: many items with few raters each, or few items with many."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from stats.accuracy.planning.items_needed import (
    FEW_ITEMS,
    MAX_LABELS,
    MAX_RATERS,
    check_shares,
    check_whole,
    on_kappa,
    z_value,
)
from stats.accuracy.planning.one_coin_information import rater_accuracy, sd_per_item
from stats.errors import StatsError

RATERS = tuple(range(2, 11))
MOST = 10**12  # limit on the ratings of a budget


@dataclass(frozen=True)
class BudgetOption:
    """One way to spend the budget: n_raters ratings on each of n_items items, and the half-width that results."""

    n_raters: int
    n_items: int
    n_ratings: int
    half_width: float
    best: bool


@dataclass(frozen=True)
class BudgetPlan:
    """The half-widths by number of raters, one row each. `best` is the row with the smallest half-width."""

    budget: int
    confidence: float
    n_labels: int
    kappa: float
    rater_accuracy: float
    system_accuracy: float
    shares: tuple[BudgetOption, ...]
    warnings: tuple[str, ...]

    @property
    def best(self) -> BudgetOption:
        """Return the row with the smallest half-width."""
        return next(share for share in self.shares if share.best)


def raters_for_budget(
    *,
    n_labels: int,
    budget: int,
    kappa: float,
    confidence: float,
    system_accuracy: float = 0.9,
    n_raters: Sequence[int] = RATERS,
) -> BudgetPlan:
    """Return the half-width of a system's accuracy by raters per item, for `budget` human ratings in total.

    Items are whole: budget // raters. Where two numbers of raters are equally good, the smaller one is marked. Numbers
    of raters beyond the budget have no row. The half-width is the one of `plan`, z sd / sqrt(n_items). A half-width
    above .5 means nothing.

    Raises StatsError as `plan`, and for a budget below two ratings of one item or above 10^12.

    >>> result = raters_for_budget(n_labels=5, budget=600, kappa=0.3, confidence=0.9)
    >>> result.best.n_raters, result.best.n_items, round(result.best.half_width, 3)
    (3, 200, 0.052)
    """
    check_whole(n_labels=(n_labels, MAX_LABELS), **{f"n_raters {m}": (m, MAX_RATERS) for m in n_raters})
    check_shares(kappa=kappa, confidence=confidence, system_accuracy=system_accuracy)
    least = min(n_raters)
    if budget < least:
        raise StatsError(
            f"A budget must pay for at least the {least} ratings of one item, found {budget}."
            f" Plan for some hundred ratings: the formula needs at least {FEW_ITEMS * least}."
        )
    if budget > MOST:
        raise StatsError(f"A budget must be {MOST:,} ratings or less, found more. Plan for fewer.")
    c, z = rater_accuracy(n_labels, kappa), z_value(confidence)
    widths = {
        m: z * sd_per_item(n_labels, m, c, system_accuracy) / (budget // m) ** 0.5
        for m in sorted(set(n_raters))
        if m <= budget
    }
    best = min(widths, key=lambda m: (round(widths[m], 9), m))
    shares = tuple(BudgetOption(m, budget // m, budget // m * m, width, m == best) for m, width in widths.items())
    warnings = (*on_kappa(kappa), *_on_best(budget // best, widths[best]))
    return BudgetPlan(budget, confidence, n_labels, kappa, c, system_accuracy, shares, warnings)


def cheapest(
    *,
    n_labels: int,
    kappa: float,
    half_width: float,
    confidence: float,
    system_accuracy: float = 0.9,
    n_raters: Sequence[int] = RATERS,
) -> BudgetOption:
    """Return the option with the fewest human ratings that reaches a half-width, over these numbers of raters per item.

    Raises StatsError as `plan`.

    >>> cheapest(n_labels=5, kappa=0.3, half_width=0.05, confidence=0.9).n_ratings
    639
    """
    check_whole(n_labels=(n_labels, MAX_LABELS), **{f"n_raters {m}": (m, MAX_RATERS) for m in n_raters})
    check_shares(kappa=kappa, half_width=half_width, confidence=confidence, system_accuracy=system_accuracy)
    c, z = rater_accuracy(n_labels, kappa), z_value(confidence)
    items = {m: ceil((z * sd_per_item(n_labels, m, c, system_accuracy) / half_width) ** 2) for m in n_raters}
    m = min(items, key=lambda m: (items[m] * m, m))
    return BudgetOption(m, items[m], items[m] * m, half_width, True)


def _on_best(n_items: int, half_width: float) -> tuple[str, ...]:
    notes = []
    if n_items < FEW_ITEMS:
        notes.append(
            f"The formula holds for many items. With {n_items} the real interval is wider: plan for {FEW_ITEMS} items"
            " or more."
        )
    if half_width >= 0.5:
        notes.append(
            f"So few ratings say nothing: the half-width would be {half_width:.2f}, and accuracy lies between 0 and 1"
            " anyway. Raise the budget."
        )
    return tuple(notes)
