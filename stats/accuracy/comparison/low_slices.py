"""Find slices of the items on which a system is less accurate than on the others, beyond chance.

A slice is the items with one value of a key, such as `language=de`. An item has one value of a key, so the slices of a
key share no items. Slices of two keys may, and are not compared.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stats.accuracy.comparison.interval_arithmetic import Estimate, difference
from stats.student_t import student_quantile

PREFIX = "slice:"
METHOD = "average"
MIN_ITEMS = 20  # of a slice; with fewer an interval has hardly a meaning
MIN_GOLD = 10  # the same, where gold audits the figures
ERROR = 0.05  # probability that any slice of a question is named by chance
NORMAL = 1e6  # degrees of freedom at which Student's t is the normal distribution
Row = Mapping[str, Any]


@dataclass(frozen=True)
class LowSlice:
    """A slice on which a system is less accurate than on the other slices of the same key.

    - accuracy: on the slice. others: the mean over the other slices, and of the ends of their intervals, by items. The
      intervals are the outer ones, or the audited ones where there is gold.
    - other_values: those slices. gold_origins: where their gold and that of the slice comes from; empty without gold.
    """

    system: str
    key: str
    value: str
    accuracy: Estimate
    others: Estimate
    other_values: tuple[str, ...]
    gold_origins: frozenset[str] = frozenset()

    @property
    def gap(self) -> float:
        """Return how far the intervals lie apart."""
        return self.others.low - self.accuracy.high


def low_slices(rows: Iterable[Row]) -> list[LowSlice]:
    """Return the low slices of one question, those with the widest gap first.

    `rows` are those of `latest_system_accuracy`. A slice is named under two conditions. Its interval lies below that of
    the others. And the interval of the difference lies below 0, if its confidence allows for the number of slices and
    systems (Bonferroni). Slices with fewer than MIN_ITEMS items, or MIN_GOLD gold items, are left out, as are figures
    whose gold came from a worklist.

    >>> row = {"scope": "slice:language=de", "system": "gpt", "system_version": None, "method": "average",
    ...        "accuracy": 0.6, "outer_low": 0.5, "outer_high": 0.7, "confidence": 0.95, "n_items": 90, "n_gold": 0}
    >>> other = row | {"scope": "slice:language=fr", "accuracy": 0.9, "outer_low": 0.8, "outer_high": 0.95}
    >>> [(low.value, round(low.gap, 2)) for low in low_slices([row, other])]
    [('de', 0.1)]
    """
    groups: dict[tuple[str, str | None, str], list[Row]] = defaultdict(list)
    for row in rows:
        if _is_usable(row):
            groups[row["system"], row["system_version"], _key(row)].append(row)
    compared = [group for group in groups.values() if len(group) > 1]
    n_looks = sum(map(len, compared))
    several = [_low_slice(group, place, n_looks) for group in compared for place in range(len(group))]
    return sorted((low for low in several if low is not None), key=lambda low: (-low.gap, low.key, low.value))


def _key(row: Row) -> str:
    return str(row["scope"]).removeprefix(PREFIX).partition("=")[0]


def _value(row: Row) -> str:
    return str(row["scope"]).partition("=")[2]


def _is_usable(row: Row) -> bool:
    if not row["scope"].startswith(PREFIX) or row["method"] != METHOD or row["accuracy"] is None:
        return False
    if None in _ends(row) or row["n_items"] < MIN_ITEMS:
        return False
    return not row["n_gold"] or (row["n_gold"] >= MIN_GOLD and row.get("gold_origin") != "worklist")


def _ends(row: Row) -> tuple[float | None, float | None]:
    return (row["low"], row["high"]) if row["n_gold"] else (row["outer_low"], row["outer_high"])


def _low_slice(group: Sequence[Row], place: int, n_looks: int) -> LowSlice | None:
    """Compare a slice with the others of its group. None if it is not lower beyond chance."""
    row, others = group[place], [*group[:place], *group[place + 1 :]]
    accuracy, mean = _estimate(row), _mean(others)
    if accuracy.high >= mean.low:
        return None
    if difference(_estimate(row, n_looks), _mean(others, n_looks)).high >= 0:
        return None
    key, (value, *other_values) = _key(row), [_value(each) for each in (row, *others)]
    origins = frozenset(each.get("gold_origin") or "unknown" for each in group if each["n_gold"])
    return LowSlice(row["system"], key, value, accuracy, mean, tuple(other_values), origins)


def _mean(rows: Sequence[Row], n_looks: int | None = None) -> Estimate:
    """Return the mean by items of the accuracies and of the ends of their intervals.

    The errors of the slices may be shared, so that they do not cancel in the mean.
    """
    estimates = [_estimate(row, n_looks) for row in rows]
    total = sum(row["n_items"] for row in rows)
    shares = [row["n_items"] / total for row in rows]
    value, low, high = (
        sum(share * getattr(estimate, name) for share, estimate in zip(shares, estimates, strict=True))
        for name in ("value", "low", "high")
    )
    return Estimate(value, low, high)


def _estimate(row: Row, n_looks: int | None = None) -> Estimate:
    """Return the accuracy with its interval; with `n_looks` at the confidence that allows for so many looks."""
    value, (low, high) = row["accuracy"], _ends(row)
    assert low is not None
    assert high is not None
    if n_looks is None:
        return Estimate(value, low, high)
    degrees = row["n_gold"] - 1 if row["n_gold"] else NORMAL
    wanted, now = student_quantile(degrees, [1 - ERROR / n_looks, (1 + row["confidence"]) / 2])
    wider = float(wanted / now)
    return Estimate(value, value - wider * (value - low), value + wider * (high - value))
