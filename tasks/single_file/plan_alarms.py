"""Plan the alarms of a question: how soon a drop of agreement, of a rater or of a system is found."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from stats.accuracy.planning.items_needed import check_shares, check_whole
from stats.accuracy.planning.one_coin_information import rater_accuracy
from stats.defaults import FALSE_ALARMS_PER_YEAR, LOOKS_PER_YEAR, REFERENCE_DAYS, REFERENCE_ITEMS
from stats.monitoring import (
    AlarmBudget,
    AlarmPlan,
    agreement_variance,
    plan_alarm,
    project_alarms,
    rater_variance,
    system_variance,
)
from stats.monitoring.chart_groups import PRIOR_CORRELATION, PRIOR_CORRELATIONS, RATER_CHANGE, SMALLEST_CHANGES
from tasks.counted_words import counted
from tasks.errors import InputError

MAX_LABELS, MAX_RATERS = 50, 40
DAYS_BEFORE = 50  # ten weeks before the drop, unless the user names the items
COMPARED = (0.25, 0.5, 1.0, 2.0, 4.0)  # times the false alarms that are accepted


@dataclass(frozen=True)
class AlarmDesign:
    """What a user expects of a question, and wishes of its alarms.

    - alarm: the chart, one of ALARMS. n_labels, n_raters (per item), kappa: of the question. system_accuracy: of a
      system, before the drop.
    - drop: of kappa, of a rater's agreement with the others, or of a system's accuracy. If None, the smallest change
      that the chart seeks.
    - within: items in which the drop ought to be found, if there is a wish.
    - false_alarms_per_year: accepted for all charts of the question. looks_per_year: days with ratings.
    - items_per_day, items_before: items that get ratings on a day, and before the drop; those of 50 days if None.
    - correlation: of the scores of a day's items. If None, what the chart expects at first.
    - n_annotators: of the question; n_raters if None. n_systems, n_questions: their numbers.
    """

    alarm: str
    n_labels: int
    n_raters: int
    kappa: float
    system_accuracy: float = 0.9
    drop: float | None = None
    within: int | None = None
    false_alarms_per_year: float = FALSE_ALARMS_PER_YEAR
    looks_per_year: float = LOOKS_PER_YEAR
    items_per_day: int = 20
    items_before: int | None = None
    correlation: float | None = None
    n_annotators: int | None = None
    n_systems: int = 1
    n_questions: int = 1

    @property
    def past_items(self) -> int:
        """Return the items before the drop."""
        return DAYS_BEFORE * self.items_per_day if self.items_before is None else self.items_before

    @property
    def budget(self) -> AlarmBudget:
        """Return what the user accepts."""
        return AlarmBudget(self.false_alarms_per_year, self.looks_per_year)


@dataclass(frozen=True)
class ChartDesign:
    """A chart as it is expected: variance of its scores, level before the drop, changes that it seeks.

    - max_drop: no drop can be larger. share: of the items of a day that have a score.
    """

    variance: float
    level: float
    max_drop: float
    smallest_change: float
    larger_change: float | None = None
    share: float = 1.0


def _agreement_chart(design: AlarmDesign) -> ChartDesign:
    variance = agreement_variance(design.n_labels, design.n_raters, design.kappa)
    return ChartDesign(variance, design.kappa, design.kappa, SMALLEST_CHANGES["agreement"])


def _rater_chart(design: AlarmDesign) -> ChartDesign:
    """Return the chart of a rater, who rates his share of the items."""
    if design.n_raters < 3:
        raise InputError(
            "With two raters per item an alarm cannot say which of them changed: it needs three raters per item.",
            "Plan with --n-raters 3 or more, or for --alarm agreement.",
        )
    n_annotators = design.n_annotators or design.n_raters
    if n_annotators < design.n_raters:
        raise InputError(
            f"{counted(n_annotators, 'annotator')} cannot be {design.n_raters} raters of one item.",
            "Give --n-annotators for all annotators of the question, and --n-raters for those of an item.",
        )
    variance = rater_variance(design.n_labels, design.n_raters, design.kappa)
    span = design.kappa * (1 - 1 / design.n_labels)
    return ChartDesign(variance, 0.0, span, RATER_CHANGE * span, span, design.n_raters / n_annotators)


def _system_chart(design: AlarmDesign) -> ChartDesign:
    check_shares(system_accuracy=design.system_accuracy)
    variance = system_variance(design.n_labels, design.n_raters, design.kappa, design.system_accuracy)
    accuracy = design.system_accuracy
    return ChartDesign(variance, accuracy, accuracy, SMALLEST_CHANGES["system"])


ALARMS: dict[str, Callable[[AlarmDesign], ChartDesign]] = {
    "agreement": _agreement_chart,
    "rater": _rater_chart,
    "system": _system_chart,
}


def check_alarm(name: str) -> None:
    """Raise InputError unless there is an alarm of this name."""
    if name not in ALARMS:
        raise InputError(f"--alarm {name!r} is unknown.", f"Use one of {', '.join(ALARMS)}.")


def plan_alarms(design: AlarmDesign) -> dict[str, Any]:
    """Plan an alarm, in the shape of `plan --alarm --json`.

    `budgets` has the same plan for fewer and for more false alarms. Items are those with a score: for a rater, his own
    ratings. Raises InputError for an unknown alarm and for numbers that contradict each other, StatsError for a number
    out of range.
    """
    check_alarm(design.alarm)
    check_whole(n_labels=(design.n_labels, MAX_LABELS), n_raters=(design.n_raters, MAX_RATERS))
    check_shares(kappa=design.kappa)
    for name in ("n_annotators", "n_systems", "n_questions"):
        if getattr(design, name) is not None and getattr(design, name) < 1:
            raise InputError(f"--{name.replace('_', '-')} must be 1 or more.", "Leave it out for the usual number.")
    chart = ALARMS[design.alarm](design)
    drop = chart.smallest_change if design.drop is None else design.drop
    if drop > chart.max_drop:
        raise InputError(f"--drop {drop:g} is too large: {chart.max_drop:.2f} is the most.", "Plan for a smaller drop.")
    plan = _plan(design, chart, drop)
    budgets = [replace(design, false_alarms_per_year=design.false_alarms_per_year * times) for times in COMPARED]
    rows = [_budget_row(budget, chart, _plan(budget, chart, drop)) for budget in budgets if _threshold(budget) > 2]
    return {
        "alarm": design.alarm,
        "n_labels": design.n_labels,
        "n_raters": design.n_raters,
        "n_annotators": (design.n_annotators or design.n_raters) if design.alarm == "rater" else None,
        "n_systems": design.n_systems if design.alarm == "system" else None,
        "kappa": design.kappa,
        "rater_accuracy": rater_accuracy(design.n_labels, design.kappa),
        "level": chart.level,
        "drop": drop,
        "smallest_change": chart.smallest_change,
        "largest_drop": chart.max_drop,
        "score_variance": chart.variance,
        "correlation": _correlation(design),
        "items_per_day": _scored(design.items_per_day, chart),
        "items_before": _scored(design.past_items, chart),
        "looks_per_year": design.looks_per_year,
        "n_questions": design.n_questions,
        "project_alarms_per_year": project_alarms([design.budget] * design.n_questions),
        **_budget_row(design, chart, plan),
        "within": design.within,
        "best_items_80": plan.best_items_80,
        "reason": plan.reason,
        "detail": plan.detail,
        "warnings": [*plan.warnings, *_on_reference(design)],
        "budgets": rows,
    }


def _on_reference(design: AlarmDesign) -> tuple[str, ...]:
    """Return a warning if the drop comes before there is a chart."""
    needed = max(REFERENCE_ITEMS, REFERENCE_DAYS * design.items_per_day)
    if design.past_items >= needed:
        return ()
    return (
        f"A chart begins after its reference, the first {REFERENCE_ITEMS} items and {REFERENCE_DAYS} days, here"
        f" {needed:,} items: plan with --items-before {needed} or more.",
    )


def _plan(design: AlarmDesign, chart: ChartDesign, drop: float) -> AlarmPlan:
    return plan_alarm(
        variance=chart.variance,
        drop=drop,
        smallest_change=chart.smallest_change,
        larger_change=chart.larger_change,
        threshold=_threshold(design),
        looks_per_year=design.looks_per_year,
        items_per_day=_scored(design.items_per_day, chart),
        items_before=_scored(design.past_items, chart),
        correlation=_correlation(design),
        within_items=design.within,
    )


def _budget_row(design: AlarmDesign, chart: ChartDesign, plan: AlarmPlan) -> dict[str, Any]:
    per_day = _scored(design.items_per_day, chart)
    return {
        "false_alarms_per_year": design.false_alarms_per_year,
        "chart_alarms_per_year": plan.false_alarms_per_year,
        "threshold": plan.threshold,
        "median_items": plan.median_items,
        "median_days": plan.median_items and plan.median_items // per_day,
        "items_80": plan.items_80,
        "days_80": plan.items_80 and plan.items_80 // per_day,
        "power": plan.power,
        "best_power": plan.best_power,
    }


def _threshold(design: AlarmDesign) -> float:
    n_annotators = design.n_annotators or design.n_raters
    return design.budget.threshold(design.alarm, n_raters=n_annotators, n_systems=design.n_systems)


def _correlation(design: AlarmDesign) -> float:
    if design.correlation is not None:
        return design.correlation
    return PRIOR_CORRELATIONS.get(design.alarm, PRIOR_CORRELATION)


def _scored(n_items: int, chart: ChartDesign) -> int:
    """Return how many of so many items have a score; 1 at least of any number above 0."""
    return max(round(n_items * chart.share), 1) if n_items > 0 else n_items
