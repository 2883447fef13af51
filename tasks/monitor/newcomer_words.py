"""Write names in the evidence of an alert, and read what it says of newcomers.

This module computes nothing and loads nothing that does.
"""

import re
from dataclasses import dataclass
from datetime import date

_SHARE = r"(\d\.\d\d\d \[\d\.\d\d\d, \d\.\d\d\d\])"
_NEWCOMER = re.compile(
    rf"; newcomer (.+?) from (\d{{4}}-\d\d-\d\d), pairs that agree: {_SHARE} with, {_SHARE} without", re.DOTALL
)
_WITHOUT = re.compile(r"; without (\d+) newcomers? (\w+) (-?\d\.\d+(?: \[[^\]]*\])?) since$")


_AMBIGUOUS = re.compile(r"; |, pairs that agree")
UNNAMED = "(a name that looks like figures)"


def name_in_evidence(name: str) -> str:
    """Return a name as evidence has it. One with the signs by which the figures around it are read is not written.

    >>> name_in_evidence("Smith, Ann"), name_in_evidence("x; f1_exact 0.900 before, 0.100 since 2026-01-05")
    ('Smith, Ann', '(a name that looks like figures)')
    """
    return UNNAMED if _AMBIGUOUS.search(name) else name


@dataclass(frozen=True)
class Newcomer:
    """A rater who began when agreement fell: the share of pairs that agree with and without the rater, as text."""

    rater: str
    first_day: date
    pairs_with: str
    pairs_without: str


@dataclass(frozen=True)
class NewcomerFigures:
    """What the evidence of an alert says of newcomers: those it names, how many there are, the figure without them."""

    newcomers: tuple[Newcomer, ...]
    n_newcomers: int
    coefficient: str
    without: str


def read_newcomers(evidence: str | None) -> NewcomerFigures | None:
    """Read what `newcomer_evidence` wrote at the end of the evidence. None if no newcomer is named there."""
    without = _WITHOUT.search(evidence or "")
    rows = _NEWCOMER.findall(evidence or "")
    if without is None or not rows:
        return None
    newcomers = tuple(Newcomer(name, date.fromisoformat(day), *shares) for name, day, *shares in rows)
    return NewcomerFigures(newcomers, int(without[1]), without[2], without[3])


def newcomer_names(evidence: str | None) -> list[str]:
    """Return the newcomers that the evidence of an alert names."""
    figures = read_newcomers(evidence)
    return [newcomer.rater for newcomer in figures.newcomers] if figures else []
