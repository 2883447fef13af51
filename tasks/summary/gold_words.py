"""Say what kind of gold a figure is audited with."""

from collections.abc import Iterable

GOLD_ORIGINS = ("drawn", "worklist", "unknown")


def gold_words(origins: Iterable[str | None]) -> str:
    """Return the gold and its condition, by where it came from in each row; None is a row without gold.

    >>> gold_words(["drawn", None])
    'gold of known probabilities'
    >>> gold_words(["unknown", "drawn"]), gold_words(["worklist", "unknown"])
    ('gold, if it is a random sample', 'gold that is no random sample (it has items of a worklist)')
    """
    distinct = {origin for origin in origins if origin}
    if "worklist" in distinct:
        return "gold that is no random sample (it has items of a worklist)"
    return "gold of known probabilities" if distinct == {"drawn"} else "gold, if it is a random sample"
