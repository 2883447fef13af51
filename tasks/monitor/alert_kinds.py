"""The kinds of alerts that there are: those of the charts, then those of the rules."""

from fnmatch import fnmatchcase

from tasks.monitor.rules import RULES
from warehouse.alerting.alert_matching import CHART_KINDS

RULE_KINDS = tuple(RULES)
KINDS = (*CHART_KINDS, *RULE_KINDS)


def is_known_kind(pattern: str) -> bool:
    """Return whether a kind has this name, or is accepted by this pattern with * and ?.

    >>> is_known_kind("rater*"), is_known_kind("ratre")
    (True, False)
    """
    return any(kind == pattern or fnmatchcase(kind, pattern) for kind in KINDS)
