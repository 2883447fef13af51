"""Accuracy of systems and raters without right answers.

`accuracy` and `bins` are about systems. `annotators`, `rater_quality`, `summary` and `consensus` are about human
raters. `plan` tells how many items are needed. An estimator is one file and one line in ESTIMATORS.
"""

from stats.accuracy.checks import CHECKS, assumption_checks
from stats.accuracy.comparison.alternative_annotator import alternative_annotator_raters, alternative_annotator_test
from stats.accuracy.comparison.better_than_raters import better_than_raters
from stats.accuracy.comparison.system_comparison import compare_systems
from stats.accuracy.items.consensus import RaterSummary, consensus, summary
from stats.accuracy.items.rating_queue import rating_queue
from stats.accuracy.labels.per_label import label_quality
from stats.accuracy.planning import StudyPlan, plan
from stats.accuracy.prepared_ratings import PreparedRatings, prepared
from stats.accuracy.raters.annotators import Annotators, annotators
from stats.accuracy.raters.rater_quality import rater_quality
from stats.accuracy.systems import DEFAULT_METHODS, ESTIMATORS, accuracy, bins

__all__ = [
    "CHECKS",
    "DEFAULT_METHODS",
    "ESTIMATORS",
    "Annotators",
    "PreparedRatings",
    "RaterSummary",
    "StudyPlan",
    "accuracy",
    "alternative_annotator_raters",
    "alternative_annotator_test",
    "annotators",
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
