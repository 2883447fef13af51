"""Items that a running study still needs: its interval narrows with the root of the number of items."""

from dataclasses import dataclass
from math import ceil

from stats.accuracy.planning.items_needed import check_shares
from stats.errors import StatsError


@dataclass(frozen=True)
class MissingItems:
    """The items that a half-width needs in total, and how many of them are missing; 0 where it is reached."""

    n_needed: int
    n_more: int

    @property
    def enough(self) -> bool:
        """Tell whether no item is missing."""
        return self.n_more == 0


def more_items(*, half_width_now: float, n_now: int, half_width: float) -> MissingItems:
    """Return how many items a half-width needs: ceil(n_now (half_width_now / half_width)^2).

    `half_width_now` is the half-width that n_now items gave. The standard error is assumed to fall as 1 / sqrt(n): the
    next items are like those so far and get as many raters. Raises StatsError for a half-width outside (0, 1), a
    negative current half-width, and fewer than one item.

    >>> more_items(half_width_now=0.1, n_now=100, half_width=0.05)
    MissingItems(n_needed=400, n_more=300)
    """
    check_shares(half_width=half_width)
    if half_width_now < 0 or n_now < 1:
        raise StatsError(
            f"A running study has one item or more and an interval, found {n_now} items and a half-width of"
            f" {half_width_now}. Evaluate the question first."
        )
    # 1e-9: a half-width that is reached exactly must not ask for one more item
    needed = ceil(n_now * (half_width_now / half_width) ** 2 - 1e-9)
    return MissingItems(needed, max(needed - n_now, 0))
