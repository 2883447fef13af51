"""How accurate systems and raters are when nobody has the right answers.

`accuracy` and `bins` are about systems, `summary`, `consensus` and `rater_quality` about the human raters,
`plan` about how many items are needed. An estimator is one file and one line in ESTIMATORS.
"""

from stats.accuracy.consensus import Summary, consensus, summary
from stats.accuracy.plan import Plan, plan
from stats.accuracy.rater_quality import rater_quality
from stats.accuracy.systems import DEFAULT_METHODS, ESTIMATORS, accuracy, bins

__all__ = [
    "DEFAULT_METHODS",
    "ESTIMATORS",
    "Plan",
    "Summary",
    "accuracy",
    "bins",
    "consensus",
    "plan",
    "rater_quality",
    "summary",
]
