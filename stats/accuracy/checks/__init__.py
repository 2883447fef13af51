"""Do the ratings look as the estimators assume? A check is one file and one line in CHECKS."""

from stats.accuracy.checks.registry import CHECKS, assumption_checks

__all__ = ["CHECKS", "assumption_checks"]
