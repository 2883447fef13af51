"""Add up the sums of units of items (a day, a batch) to sums of windows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stats.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class WindowUnits:
    """How windows consist of units, and units of patterns.

    - members (windows, units): 1 where a unit belongs to a window. No item is in two units of a window.
    - items (units, patterns): items of each unit that show each pattern.
    """

    members: "csr_array"
    items: "csr_array"

    def sum(self, values: FloatArray) -> FloatArray:
        """Sum `values` (patterns, columns), what an item of each pattern counts, over the items of each window.

        The units are added in their order, so that the sums do not depend on the order of anything else.
        """
        sums: FloatArray = self.members @ (self.items @ values)
        return sums


def window_units(
    members: tuple[IntArray, IntArray], counts: tuple[IntArray, IntArray, IntArray], *, n_windows: int, n_patterns: int
) -> WindowUnits:
    """Return the units of windows from members (window, unit) and counts (unit, pattern, n_items).

    >>> units = window_units(
    ...     (np.array([0, 0, 1]), np.array([0, 1, 1])),
    ...     (np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([5, 2, 1])),
    ...     n_windows=2,
    ...     n_patterns=2,
    ... )
    >>> units.sum(np.array([[1.0, 0.0], [1.0, 10.0]])).tolist()
    [[8.0, 10.0], [3.0, 10.0]]
    """
    from scipy.sparse import csr_array  # here, because it takes long to import

    n_units = 1 + int(max(members[1].max(initial=-1), counts[0].max(initial=-1)))
    return WindowUnits(
        csr_array((np.ones(len(members[0])), members), shape=(n_windows, n_units)),
        csr_array((counts[2].astype(np.float64), counts[:2]), shape=(n_units, n_patterns)),
    )
