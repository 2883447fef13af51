"""Find lasting changes of agreement, labels, raters and systems, and keep false alarms rare.

The way of the data, one module each:

1. `DailyCounts`: counts of one question by day and pattern (`daily_counts`).
2. `reference_period` and `fit_reference`: the days that all others are compared with, and what the scores take from
   them (`reference_period`, `question_reference`, `scores/`).
3. `day_sums`: scores of the items added up by chart and day, in whole 1e-6. Sums of disjoint sets of items add up.
4. `chart_groups` and `AlarmBudget`: charts with their thresholds.
5. `run_detector`: the statistic of each look, alarms, the date of the change, and the end of it (`detector`).
6. `compare_versions`, `incidents`: new versions of systems, and alarms that have one cause.

`question_charts` does all of it. `charts_from_sums` does steps 4 to 6 from sums that were stored. `plan_alarm` tells
beforehand how soon a change is found.

Tables of one question that a warehouse supplies, all without nulls:

| table | columns | one row for |
| --- | --- | --- |
| items | day, pattern, n_items | a day and a pattern: items whose latest human rating is of this day |
| ratings | pattern, rater, label | a human rating in a pattern (annotators only: no gold, no systems) |
| answers | pattern, system, label | a system's label in a pattern |
| durations | day, rater, duration_s, n_ratings | a day of items, a rater and a duration: ratings that took so long |
| versions | day, pattern, system, version, n_items | as items, by the version of a system that answered them |

To update charts, add and subtract: score the items that entered or left a day with `day_sums`, and add the difference
to the stored sums. The result equals a rebuild exactly, as long as the reference is the same (`to_json` tells). An
item that was rated again leaves its old day and pattern and enters new ones.
"""

from stats.monitoring.alarm_plan import AlarmPlan, plan_alarm
from stats.monitoring.chart_group import ChartAlarm, ChartGroup
from stats.monitoring.chart_groups import chart_groups
from stats.monitoring.chart_history import ChartHistory, DetectorState, KnownLooks
from stats.monitoring.daily_counts import DailyCounts
from stats.monitoring.day_sums import add_day_sums, day_sums
from stats.monitoring.detector import run_detector
from stats.monitoring.incidents import Incident, incidents
from stats.monitoring.question_charts import (
    QuestionCharts,
    QuestionSums,
    ReferenceSettings,
    charts_from_sums,
    question_charts,
)
from stats.monitoring.question_reference import MissingChart, QuestionReference, fit_reference
from stats.monitoring.reference_period import ReferencePeriod, reference_period
from stats.monitoring.score_chart import ScoreChart, score_chart
from stats.monitoring.score_variance import agreement_variance, rater_variance, system_variance
from stats.monitoring.thresholds import CHART_SHARES, AlarmBudget, project_alarms
from stats.monitoring.version_comparison import VersionComparison, compare_versions, version_sums

__all__ = [
    "CHART_SHARES",
    "AlarmBudget",
    "AlarmPlan",
    "ChartAlarm",
    "ChartGroup",
    "ChartHistory",
    "DailyCounts",
    "DetectorState",
    "Incident",
    "KnownLooks",
    "MissingChart",
    "QuestionCharts",
    "QuestionReference",
    "QuestionSums",
    "ReferencePeriod",
    "ReferenceSettings",
    "ScoreChart",
    "VersionComparison",
    "add_day_sums",
    "agreement_variance",
    "chart_groups",
    "charts_from_sums",
    "compare_versions",
    "day_sums",
    "fit_reference",
    "incidents",
    "plan_alarm",
    "project_alarms",
    "question_charts",
    "rater_variance",
    "reference_period",
    "run_detector",
    "score_chart",
    "system_variance",
    "version_sums",
]
