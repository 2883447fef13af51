"""Measure the intervals of agreement, and say what one without width means, below a table that shows one."""

from collections.abc import Mapping, Sequence
from typing import Any

from stats.verdict_interval import has_no_width
from tasks.summary.finite import finite

SAYS_NOTHING = 1.0  # an interval that reaches as far from the estimate leaves nothing to say or to plan by
ALL_ALIKE = "An interval without width says that these items are all alike. That does not make the figure certain."


def width_note(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the sentence if one of these rows has such an interval, else ''.

    >>> width_note([{"low": 1.0, "high": 1.0}]) == ALL_ALIKE, width_note([{"low": 0.5, "high": 1.0}])
    (True, '')
    """
    return ALL_ALIKE if any(has_no_width(row) for row in rows) else ""


def longer_side(row: Mapping[str, Any]) -> float | None:
    """Return the width of the longer side of an interval of agreement. The other one may be cut at the highest value.

    >>> longer_side({"estimate": 0.9, "low": 0.6, "high": 1.0}) == 0.9 - 0.6, longer_side({"low": None, "high": 1.0})
    (True, None)
    """
    low, estimate, high = (finite(row.get(name)) for name in ("low", "estimate", "high"))
    if low is None or estimate is None or high is None:
        return None
    return max(estimate - low, high - estimate)


def says_nothing(row: Mapping[str, Any]) -> bool:
    """Check whether a figure of agreement has an interval so wide that it may be nearly anything.

    >>> says_nothing({"estimate": 0.0, "low": -1.0, "high": 1.0}), says_nothing({"low": None})
    (True, False)
    """
    width = longer_side(row)
    return width is not None and width >= SAYS_NOTHING
