"""What a rule is, and what it finds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

Row = Mapping[str, Any]
Rows = Iterable[Row]
DAY_SECONDS = 86_400
RECENT_DEFAULT = "krippendorff_alpha"  # of the last items, where they have no other coefficient


@dataclass(frozen=True)
class RuleContext:
    """What rules know besides the limits: the time, and the coefficients of agreement over all and the last items."""

    now: datetime
    coefficient: str
    recent_coefficient: str


@dataclass(frozen=True)
class RuleFinding:
    """A limit that is not met.

    - subject: the rater, label or source; None for the whole question. value: the figure. n_items: what it rests on.
    - detail: a sentence. evidence: the figures. severity: where the settings do not say another one.
    """

    question: str
    detail: str
    evidence: str
    subject: str | None = None
    value: float | None = None
    n_items: int | None = None
    severity: str = "warning"


@dataclass(frozen=True)
class AlertRule:
    """A rule.

    - query: the rule's query, queries/rules/<query>.sql. values: its parameters besides the limits.
    - judge: returns the findings among its rows.
    - look_at: what to look at; {subject} is the subject.
    - can_judge: of a rule on a figure, whether a row has enough to judge it. Without such a row nothing is known: an
      alert is then not over because its limit is met. None if no row means that the condition does not hold.
    """

    query: str
    judge: Callable[[Rows, RuleContext], Iterable[RuleFinding]]
    look_at: str
    values: Callable[[RuleContext], Mapping[str, object]] = lambda _: {}
    can_judge: Callable[[Row], bool] | None = None


def length_of_time(seconds: float) -> str:
    """Return a length of time in days, else in hours or minutes.

    >>> length_of_time(259200), length_of_time(5400), length_of_time(86400)
    ('3 days', '90 minutes', '1 day')
    """
    for name, size in (("day", DAY_SECONDS), ("hour", 3600), ("minute", 60)):
        number = seconds / size
        if number >= 1 and (number == round(number) or name == "minute"):
            return f"{number:.0f} {name}{'' if round(number) == 1 else 's'}"
    return f"{seconds:.0f} seconds"
