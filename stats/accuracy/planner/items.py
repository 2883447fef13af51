"""How many items it takes to know a system's accuracy to within a half-width, before anything is rated.

Fisher information of the one-coin model (equally accurate raters, errors spread evenly, independent raters
and system, uniform base rates), by enumerating what ratings an item can get. Without simulation: the standard
deviation lies within 7 % of the simulated one for kappa >= .3 (5 labels, 3 raters).
"""

from dataclasses import dataclass
from math import ceil

from scipy.special import ndtri

from stats.accuracy.planner.one_coin import rater_accuracy, sd_per_item
from stats.errors import StatsError

MAX_RATERS = 40  # 37,338 partitions to enumerate
MAX_LABELS = 50
MARGIN = 1e-6  # nearer to 0 or 1 a share asks for numbers that nobody has, and that floats do not hold
LOW_KAPPA = 0.3
FEW_ITEMS = 30


@dataclass(frozen=True)
class Plan:
    """Items and human ratings needed, with what they were computed from.

    n_ratings = n_items * n_raters (the system's answers not counted); rater_accuracy is what kappa amounts
    to; sd is the standard deviation of the estimated accuracy times the root of the number of items.
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
) -> Plan:
    """Items needed so that the interval of a system's accuracy is estimate +- half_width: ceil((z sd /
    half_width)^2).

    kappa is agreement among the raters corrected for chance 1/N, in (0, 1). z is rounded up to three
    decimals, as tables print it (1.645, 1.960, 2.576), which can only add an item. Raises StatsError for
    values outside their range: 2 to 50 labels, 2 to 40 raters, kappa, half_width, confidence and
    system_accuracy between 0 and 1, and a millionth from both.

    >>> plan(n_labels=5, n_raters=3, kappa=0.3, half_width=0.1, confidence=0.9).n_items
    54
    """
    check_whole(n_labels=(n_labels, MAX_LABELS), n_raters=(n_raters, MAX_RATERS))
    check_shares(kappa=kappa, half_width=half_width, confidence=confidence, system_accuracy=system_accuracy)
    c = rater_accuracy(n_labels, kappa)
    sd = sd_per_item(n_labels, n_raters, c, system_accuracy)
    n_items = ceil((z_value(confidence) * sd / half_width) ** 2)
    return Plan(
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
    """Normal quantile of a two-sided interval, rounded up to three decimals.

    >>> z_value(0.9), z_value(0.95)
    (1.645, 1.96)
    """
    return ceil(1000 * float(ndtri((1 + confidence) / 2))) / 1000


def check_whole(**numbers: tuple[int, int]) -> None:
    """Raises StatsError unless each number lies between 2 and its limit."""
    for name, (value, most) in numbers.items():
        if not 2 <= value <= most:
            raise StatsError(f"{name} lies between 2 and {most}, found {value}. Plan for a number in that range.")


def check_shares(**shares: float) -> None:
    """Raises StatsError unless each share lies between 0 and 1, and no nearer to them than MARGIN."""
    for name, share in shares.items():
        if not 0 < share < 1:
            raise StatsError(f"{name} lies between 0 and 1, both excluded, found {share}. Write .3 for 30 %.")
        if not MARGIN <= share <= 1 - MARGIN:
            raise StatsError(f"{name} lies between {MARGIN:g} and {1 - MARGIN:g}, found {share}. Take a usual one.")


def on_kappa(kappa: float) -> tuple[str, ...]:
    """Warning that the formula is too hopeful."""
    if kappa >= LOW_KAPPA:
        return ()
    return (
        f"With kappa {kappa:.2f} (below {LOW_KAPPA}) the estimate is biased in small samples and varies more than the"
        " formula says: take more raters for each item, or more items than this.",
    )


def on_width(half_width: float) -> tuple[str, ...]:
    """Warning that such an interval would tell nothing."""
    if half_width < 0.5:
        return ()
    return (f"A half-width of {half_width:g} tells nothing: accuracy lies between 0 and 1 anyway. Ask for .1 or .05.",)


def on_few(n_items: int) -> tuple[str, ...]:
    """Warning that the formula is one for many items."""
    if n_items >= FEW_ITEMS:
        return ()
    return (
        f"The formula is one for many items and says {n_items} here: take {FEW_ITEMS} or more, since with fewer an"
        " interval is wider than the formula says.",
    )
