"""Say in a few words what a check of an assumption found."""

from collections.abc import Mapping
from typing import Any

from stats.defaults import CHECK_LEVEL


def check_verdict(row: Mapping[str, Any]) -> str:
    """Return the verdict on a row of `assumption_checks` that has one.

    With many items a difference that does not matter is certain, too.

    >>> [check_verdict({"violated": violated, "p_adjusted": p}) for violated, p in
    ...  ((True, 0.01), (None, 0.01), (False, 0.01), (False, 0.2))]
    ['violated', 'unclear', 'too small to matter', 'nothing found']
    """
    if row["violated"] is None:
        return "unclear"
    if row["violated"]:
        return "violated"
    p = row["p_adjusted"]
    return "too small to matter" if p is not None and p < CHECK_LEVEL else "nothing found"
