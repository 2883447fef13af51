"""How accurate systems and raters are when nobody has the right answers.

`accuracy` and `bins` are about systems, `summary`, `consensus` and `rater_quality` about the human raters,
`plan` about how many items are needed. An estimator is one file and one line in ESTIMATORS.
"""

from stats.accuracy.checks import CHECKS, assumption_checks
from stats.accuracy.compare.alternative_annotator import alternative_annotator_raters, alternative_annotator_test
from stats.accuracy.compare.better_than_raters import better_than_raters
from stats.accuracy.compare.comparison import compare_systems
from stats.accuracy.consensus import Summary, consensus, summary
from stats.accuracy.per_label import label_quality
from stats.accuracy.planner import Plan, plan
from stats.accuracy.prepared import Prepared, prepared
from stats.accuracy.queue import rating_queue
from stats.accuracy.rater_quality import rater_quality
from stats.accuracy.systems import DEFAULT_METHODS, ESTIMATORS, accuracy, bins

__all__ = [
    "CHECKS",
    "DEFAULT_METHODS",
    "ESTIMATORS",
    "Plan",
    "Prepared",
    "Summary",
    "accuracy",
    "alternative_annotator_raters",
    "alternative_annotator_test",
    "assumption_checks",
    "better_than_raters",
    "bins",
    "compare_systems",
    "consensus",
    "label_quality",
    "plan",
    "prepared",
    "rater_quality",
    "rating_queue",
    "summary",
]
