"""Choose the interval of an agreement that verdicts go by: never one of width 0, which would be surer than the data."""

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]


def judged_agreement(row: Row) -> tuple[float | None, float | None]:
    """Return the interval of a row of `latest_agreement`, widened where the formula has a standard error of 0.

    There all items speak alike, as if all agree, and more items might not. The share of other items may be as high as
    the one that shows none among n items with a probability of 1 - confidence. They may agree wholly, or not at all.
    Both ends are None where that cannot be computed.

    >>> perfect = {"estimate": 1.0, "low": 1.0, "high": 1.0, "observed": 1.0, "expected": 0.5, "confidence": 0.95}
    >>> [tuple(round(end, 3) for end in judged_agreement({**perfect, "n_items": n})) for n in (5, 1000)]
    [(0.099, 1.0), (0.994, 1.0)]
    """
    low, high, estimate = (row.get(name) for name in ("low", "high", "estimate"))
    if low is None or high is None or low < high:
        return low, high
    n_items, confidence, expected = row.get("n_items"), row.get("confidence"), row.get("expected") or 0.0
    if not n_items or not confidence or estimate is None or expected >= 1:
        return None, None
    others = 1 - (1 - confidence) ** (1 / n_items)
    observed = row.get("observed")
    observed = expected + estimate * (1 - expected) if observed is None else observed
    return estimate - others * observed / (1 - expected), estimate + others * (1 - observed) / (1 - expected)
