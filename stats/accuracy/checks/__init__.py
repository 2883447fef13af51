"""Check the estimators' assumptions on the ratings. A check is one file and one line in CHECKS."""

from stats.accuracy.checks.check_registry import CHECKS, assumption_checks

__all__ = ["CHECKS", "assumption_checks"]
