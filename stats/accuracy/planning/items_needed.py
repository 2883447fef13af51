"""Items needed to know a system's accuracy to within a half-width, before anything is rated.

The calculation uses the Fisher information of the one-coin model (equally accurate raters, errors spread evenly,
independent raters and system, uniform base rates). It enumerates all ratings that an item can get, so it needs no
simulation. The standard deviation lies within 7 % of the simulated one for kappa >= .3 (5 labels, 3 raters).
"""

from dataclasses import dataclass
from math import ceil

from stats.accuracy.planning.one_coin_information import rater_accuracy, sd_per_item
from stats.errors import StatsError, check_numbers, check_whole_numbers
from stats.special_functions import ndtri

MAX_RATERS = 40  # 37,338 partitions to enumerate
MAX_LABELS = 50
MARGIN = 1e-6  # shares nearer to 0 or 1 need more items than anyone has, and more digits than floats have
LOW_KAPPA = 0.3
FEW_ITEMS = 30


@dataclass(frozen=True)
class StudyPlan:
    """The items and human ratings that a study needs, with the values they were computed from.

    n_ratings = n_items * n_raters; the system's answers are not counted. rater_accuracy is the accuracy that
    corresponds to kappa. sd is the standard deviation of the estimated accuracy, times the root of the number of
    items.
    """

    n_items: int
    n_ratings: int
    half_width: float
    confidence: float
    n_labels: int
    n_raters: int
    kappa: float
    rater_accuracy: float
    system_accuracy: float
    sd: float
    warnings: tuple[str, ...]


def plan(
    *,
    n_labels: int,
    n_raters: int,
    kappa: float,
    half_width: float,
    confidence: float,
    system_accuracy: float = 0.9,
) -> StudyPlan:
    """Return the items needed for an interval estimate +- half_width of a system's accuracy.

    The number is ceil((z sd / half_width)^2). kappa is the agreement among the raters corrected for chance 1/N, in (0,
    1). z is rounded up to three decimals, as in printed tables (1.645, 1.960, 2.576). This can only add an item.

    Raises StatsError for values outside their range: 2 to 50 labels, 2 to 40 raters; kappa, half_width, confidence and
    system_accuracy between 0 and 1, at least a millionth from both ends.

    >>> plan(n_labels=5, n_raters=3, kappa=0.3, half_width=0.1, confidence=0.9).n_items
    54
    """
    check_whole(n_labels=(n_labels, MAX_LABELS), n_raters=(n_raters, MAX_RATERS))
    check_shares(kappa=kappa, half_width=half_width, confidence=confidence, system_accuracy=system_accuracy)
    c = rater_accuracy(n_labels, kappa)
    sd = sd_per_item(n_labels, n_raters, c, system_accuracy)
    n_items = ceil((z_value(confidence) * sd / half_width) ** 2)
    return StudyPlan(
        n_items=n_items,
        n_ratings=n_items * n_raters,
        half_width=half_width,
        confidence=confidence,
        n_labels=n_labels,
        n_raters=n_raters,
        kappa=kappa,
        rater_accuracy=c,
        system_accuracy=system_accuracy,
        sd=sd,
        warnings=(*on_kappa(kappa), *on_width(half_width), *on_few(n_items)),
    )


def z_value(confidence: float) -> float:
    """Return the normal quantile of a two-sided interval, rounded up to three decimals.

    >>> z_value(0.9), z_value(0.95)
    (1.645, 1.96)
    """
    return ceil(1000 * float(ndtri((1 + confidence) / 2))) / 1000


def check_whole(**numbers: tuple[int, int]) -> None:
    """Raise StatsError unless each number lies between 2 and its limit."""
    for name, (value, most) in numbers.items():
        check_whole_numbers(**{name: value})
        if not 2 <= value <= most:
            raise StatsError(f"{name} lies between 2 and {most}, found {value}. Plan for a number in that range.")


def check_shares(**shares: float) -> None:
    """Raise StatsError unless each share lies between MARGIN and 1 - MARGIN."""
    check_numbers(**shares)
    for name, share in shares.items():
        if not 0 < share < 1:
            raise StatsError(f"{name} lies between 0 and 1, both excluded, found {share}. Write .3 for 30 %.")
        if not MARGIN <= share <= 1 - MARGIN:
            raise StatsError(f"{name} lies between {MARGIN:g} and {1 - MARGIN:g}, found {share}. Correct it.")


def on_kappa(kappa: float) -> tuple[str, ...]:
    """Return a warning if kappa is so low that the formula is too optimistic."""
    if kappa >= LOW_KAPPA:
        return ()
    return (
        f"With kappa {kappa:.2f} (below {LOW_KAPPA}) the estimate is biased in small samples and varies more than the"
        " formula says: take more raters for each item, or more items than this.",
    )


def on_width(half_width: float) -> tuple[str, ...]:
    """Return a warning if the interval would be too wide to mean anything."""
    if half_width < 0.5:
        return ()
    return (f"A half-width of {half_width:g} says nothing: accuracy lies between 0 and 1 anyway. Ask for .1 or .05.",)


def on_few(n_items: int) -> tuple[str, ...]:
    """Return a warning if there are too few items for the formula."""
    if n_items >= FEW_ITEMS:
        return ()
    return (
        f"The formula holds for many items, and here it gives {n_items}. Take {FEW_ITEMS} or more: with fewer, the real"
        " interval is wider.",
    )
