"""Draw all charts of a question, from its counts by day to alarms and incidents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice
from typing import Any

import polars as pl

from stats.defaults import CHARTED_COEFFICIENT, REFERENCE_DAYS, REFERENCE_ITEMS
from stats.monitoring.chart_group import ChartAlarm, ChartGroup
from stats.monitoring.chart_groups import chart_groups
from stats.monitoring.chart_history import ChartHistory, KnownLooks
from stats.monitoring.daily_counts import DailyCounts
from stats.monitoring.day_sums import day_sums
from stats.monitoring.detector import run_detector
from stats.monitoring.incidents import Incident, incidents
from stats.monitoring.question_reference import MissingChart, QuestionReference, fit_reference
from stats.monitoring.reference_period import (
    ReferencePeriod,
    period_between,
    reference_period,
)
from stats.monitoring.thresholds import AlarmBudget
from stats.monitoring.version_comparison import VersionComparison, compare_versions, version_sums


@dataclass(frozen=True)
class ReferenceSettings:
    """Which days the charts compare with.

    - n_items, n_days: the first whole days that hold so many items and looks. start: the day on which the search
      begins, such as the date of a change that was accepted as the new normal.
    - first, last: the days that a user named instead, both or none.
    - coefficient: what the agreement chart follows.
    """

    n_items: int = REFERENCE_ITEMS
    n_days: int = REFERENCE_DAYS
    start: date | None = None
    first: date | None = None
    last: date | None = None
    coefficient: str = CHARTED_COEFFICIENT

    def period(self, items: pl.DataFrame) -> ReferencePeriod | None:
        """Return the reference days of items (day, n_items), None while there are too few."""
        if self.first is not None and self.last is not None:
            return period_between(items, first=self.first, last=self.last)
        return reference_period(items, n_items=self.n_items, n_days=self.n_days, start=self.start)


@dataclass(frozen=True)
class QuestionCharts:
    """All charts of a question.

    - reference: what the charts compare with, None while there are too few items.
    - histories: one for each group of charts. versions: the comparisons of versions of systems.
    - incidents: all alarms of the charts, put together by cause. missing: charts that cannot be drawn, with a reason.
    """

    reference: QuestionReference | None
    histories: tuple[ChartHistory, ...]
    versions: tuple[VersionComparison, ...]
    incidents: tuple[Incident, ...]
    missing: tuple[MissingChart, ...]

    @property
    def alarms(self) -> tuple[ChartAlarm, ...]:
        """Return all alarms of the charts, in the order of the charts."""
        return tuple(alarm for history in self.histories for alarm in history.alarms)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "reference": self.reference.to_json() if self.reference else None,
            "charts": [history.to_json() for history in self.histories],
            "versions": [version.to_json() for version in self.versions],
            "incidents": [incident.to_json() for incident in self.incidents],
            "missing": [dict(vars(chart)) for chart in self.missing],
        }


def question_charts(
    counts: DailyCounts, *, settings: ReferenceSettings | None = None, budget: AlarmBudget | None = None
) -> QuestionCharts:
    """Draw all charts of a question from all its counts.

    The same counts always give the same charts. `charts_from_sums` does the same from stored day sums. Raises
    StatsError as `coded_counts`.
    """
    settings = settings or ReferenceSettings()
    period = settings.period(counts.items)
    if period is None:
        return QuestionCharts(None, (), (), (), (too_few(counts.items, settings),))
    reference = fit_reference(counts, period=period, coefficient=settings.coefficient)
    sums = day_sums(counts, reference=reference)
    versions = version_sums(counts, reference=reference)
    return charts_from_sums([QuestionSums(sums, versions, reference, budget or AlarmBudget())])[0]


@dataclass(frozen=True)
class QuestionSums:
    """What the charts of a question need, and a warehouse may store.

    - sums: from `day_sums`. versions: from `version_sums`. reference: that both were made with.
    - budget: the false alarms that the user accepts for this question.
    - n_raters, n_systems: among how many the budget is divided; by default those with a chart in `reference`.
    - first_answers: when each version of a system first answered, as for `compare_versions`.
    - known: what an earlier run found, by chart and subject. The detector goes on from there.
    """

    sums: pl.DataFrame
    versions: pl.DataFrame
    reference: QuestionReference
    budget: AlarmBudget = field(default_factory=AlarmBudget)
    n_raters: int | None = None
    n_systems: int | None = None
    first_answers: Mapping[tuple[str, str], datetime] = field(default_factory=dict)
    known: Mapping[tuple[str, str | None], KnownLooks] = field(default_factory=dict)

    def groups(self) -> tuple[ChartGroup, ...]:
        """Return the groups of charts."""
        return chart_groups(
            self.sums,
            reference=self.reference,
            budget=self.budget,
            n_raters=self.n_raters,
            n_systems=self.n_systems,
        )


def charts_from_sums(questions: Sequence[QuestionSums]) -> tuple[QuestionCharts, ...]:
    """Draw all charts of questions from their sums, one result for each question.

    The cost depends on the number of days and charts alone. Several questions together take less time than one after
    the other; the charts are the same.
    """
    groups = [question.groups() for question in questions]
    known_looks = [
        question.known.get((group.chart, group.subject))
        for question, of_question in zip(questions, groups, strict=True)
        for group in of_question
    ]
    histories = iter(run_detector([group for of_question in groups for group in of_question], known_looks))
    results = []
    for question, of_question in zip(questions, groups, strict=True):
        own = tuple(islice(histories, len(of_question)))
        alarms = [alarm for history in own for alarm in history.alarms]
        versions = compare_versions(question.versions, question.first_answers)
        results.append(QuestionCharts(question.reference, own, versions, incidents(alarms), question.reference.missing))
    return tuple(results)


def too_few(items: pl.DataFrame, settings: ReferenceSettings) -> MissingChart:
    """Say of items (day, n_items) that they are too few for a reference."""
    items = items if settings.start is None else items.filter(pl.col("day") >= settings.start)
    n_items, n_days = int(items["n_items"].sum()), items["day"].n_unique()
    detail = (
        f"The reference needs {settings.n_items} items on {settings.n_days} days, and so far there are {n_items}"
        f" on {n_days}."
    )
    if settings.first is not None:
        detail = f"There are no items between {settings.first} and {settings.last}."
    return MissingChart("agreement", None, "too_few_items", detail)
