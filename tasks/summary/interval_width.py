"""Say what an interval without width means, below a table that shows one."""

from collections.abc import Mapping, Sequence
from typing import Any

from stats.verdict_interval import has_no_width

ALL_ALIKE = "An interval without width says that these items are all alike. That does not make the figure certain."


def width_note(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the sentence if one of these rows has such an interval, else ''.

    >>> width_note([{"low": 1.0, "high": 1.0}]) == ALL_ALIKE, width_note([{"low": 0.5, "high": 1.0}])
    (True, '')
    """
    return ALL_ALIKE if any(has_no_width(row) for row in rows) else ""
