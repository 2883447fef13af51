"""Read a figure from a row of a result."""

import math
from typing import Any


def finite(value: Any) -> float | None:
    """Return the value as a float, None for null, NaN and infinities."""
    if value is None:
        return None
    figure = float(value)
    return figure if math.isfinite(figure) else None
