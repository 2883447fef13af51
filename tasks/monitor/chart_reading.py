"""Read what the charts of a question need: counts of the days that changed, and stored sums of all others."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import duckdb
import polars as pl

from schemas.rating_columns import IS_HUMAN, IS_SYSTEM
from stats.monitoring import DailyCounts, QuestionReference
from tasks.evaluate.labels import QuestionLabels, declared_or_inferred, labels_of_question
from tasks.evaluate.question_config import QuestionConfig
from tasks.monitor.chart_sections import ChartSection, plan_sections
from tasks.monitor.monitor_config import MonitorConfig
from tasks.monitor.pending_charts import chart_settings
from warehouse import charts as stored
from warehouse.questions import StoredQuestion

FIRST_DAY = date(1, 1, 1)


@dataclass(frozen=True)
class SectionInputs:
    """What one section is computed from.

    - reference: what was fixed before and still holds; None if it is to be fitted to `counts`.
    - counts: of `days`, the days to be scored. sums, version_sums: stored for all other days.
    """

    section: ChartSection
    reference: QuestionReference | None
    counts: DailyCounts
    days: tuple[date, ...]
    sums: pl.DataFrame
    version_sums: pl.DataFrame


@dataclass(frozen=True)
class ChartPlan:
    """Which days the charts of one question must score.

    - sections: all of them, also those that wait for items.
    - references: of each that is drawn, what was fixed before and still holds; None if it is to be fitted. days: of
      each that is drawn, the days to be scored. left_out: systems with other spellings, as in the figures.
    - settings: a text that changes with them. until: the last closed day.
    - points_from: points before this day stay as they are. detector: for each section what the detector knew of its
      charts, as JSON; empty where all looks are computed.
    """

    question: StoredQuestion
    config: MonitorConfig
    settings: str
    until: date
    labels: tuple[str, ...]
    left_out: tuple[str, ...]
    progress: stored.ChartProgress
    sections: tuple[ChartSection, ...]
    references: Mapping[str, QuestionReference | None]
    days: Mapping[str, list[date]]
    points_from: date
    detector: Mapping[str, Any]

    @property
    def all_days(self) -> list[date]:
        """Return the days that any section must score."""
        return sorted({day for days in self.days.values() for day in days})


@dataclass(frozen=True)
class ChartInputs:
    """What the charts of one question are computed from.

    - sections: those that have reference days. waiting: those that have too few items so far.
    - n_future: items that were rated after today, as it seems.
    """

    plan: ChartPlan
    sections: tuple[SectionInputs, ...]
    waiting: tuple[ChartSection, ...]
    n_future: int


def read_chart_inputs(con: duckdb.DuckDBPyConnection, plans: Sequence[ChartPlan]) -> list[ChartInputs]:
    """Read the inputs of the charts that were planned."""
    tables = stored.day_tables(con, {plan.question.question: plan.all_days for plan in plans})
    return [_inputs(plan, tables[plan.question.question]) for plan in plans]


def plan_charts(
    con: duckdb.DuckDBPyConnection,
    question: StoredQuestion,
    progress: stored.ChartProgress,
    config: QuestionConfig,
    monitor: MonitorConfig,
    *,
    until: date,
    rebuild: bool = False,
) -> ChartPlan | None:
    """Plan which days the charts of a question must score; None if the stored charts are up to date.

    `until` is the last closed day. With `rebuild`, plan all days as if nothing were stored. Raises InputError as
    `declared_or_inferred`.
    """
    name = question.question
    all_labels = _labels(con, name, progress, config)
    labels = all_labels.names
    settings = chart_settings(config, monitor)
    is_closed = pl.col("day") <= until
    days, rater_days = progress.days.filter(is_closed), progress.rater_days.filter(is_closed)
    batches = stored.batch_days(con, name, monitor.reference_batches) if monitor.reference_batches else None
    sections = plan_sections(days, rater_days, progress.accepted, monitor.reference(batches))
    drawn = {section.name: section for section in sections if section.period}
    state = None if rebuild else progress.state
    if state is not None and (state.settings != settings or state.charted_until > until):
        state = None
    changed = _changed_days(progress, state, list(days["day"]), until)
    if state is not None and not changed and state.sections.keys() == drawn.keys():
        return None
    references = {section.name: _stored_reference(section, state, changed, labels) for section in drawn.values()}
    refitted = state is None or None in references.values()
    stays = state is not None and bool(state.sections) and not refitted and not state.sections.keys() - drawn.keys()
    return ChartPlan(
        question=question,
        config=monitor,
        settings=settings,
        until=until,
        labels=labels,
        left_out=all_labels.misspelling,
        progress=progress,
        sections=sections,
        references=references,
        days={
            section.name: _days_to_score(section, references[section.name], days["day"], changed)
            for section in drawn.values()
        },
        points_from=min(changed) if stays else FIRST_DAY,
        detector=state.detector if state and stays else {},
    )


def _labels(
    con: duckdb.DuckDBPyConnection, question: str, progress: stored.ChartProgress, config: QuestionConfig
) -> QuestionLabels:
    """Return the labels that the figures of the question have, too."""
    if config.labels is not None or config.scale not in ("nominal", "ordinal"):
        return declared_or_inferred(progress.labels, config.labels, config.scale, question)
    return labels_of_question(stored.rater_labels(con, question), None, config.scale, question)


def _inputs(plan: ChartPlan, tables: stored.DayTables) -> ChartInputs:
    return ChartInputs(
        plan,
        sections=tuple(_section_inputs(plan, section, tables) for section in plan.sections if section.period),
        waiting=tuple(section for section in plan.sections if section.period is None),
        n_future=_n_future(plan.progress.days, plan.until + timedelta(days=plan.config.closing_lag_days)),
    )


def _n_future(days: pl.DataFrame, today: date) -> int:
    """Count the items of the days after today."""
    return int(days.filter(pl.col("day") > today)["n_items"].sum())


def _changed_days(
    progress: stored.ChartProgress, state: stored.ChartState | None, days: list[date], until: date
) -> list[date]:
    """List the closed days whose counts changed since the stored charts, or that were closed since."""
    if state is None:
        return days
    changed = {day for day in progress.changed_days if day <= until}
    return sorted(changed | {day for day in days if day > state.charted_until})


def _days_to_score(
    section: ChartSection, reference: QuestionReference | None, days: Iterable[date], changed: list[date]
) -> list[date]:
    """List the days that a section must score: those that changed, or all if its reference is to be fitted."""
    assert section.period is not None
    return [day for day in (days if reference is None else changed) if day >= section.period.first]


def _stored_reference(
    section: ChartSection, state: stored.ChartState | None, changed: list[date], labels: tuple[str, ...]
) -> QuestionReference | None:
    """Return what the reference fixed, if its days and labels are the same and no count of them has changed."""
    stored_reference = state.sections.get(section.name) if state else None
    if stored_reference is None or section.period is None or stored_reference["period"] != section.period.to_json():
        return None
    if tuple(stored_reference["labels"]) != labels:
        return None
    inside = any(section.period.first <= day <= section.period.last for day in changed)
    return None if inside else QuestionReference.from_json(stored_reference)


def _section_inputs(plan: ChartPlan, section: ChartSection, tables: stored.DayTables) -> SectionInputs:
    reference, days = plan.references[section.name], plan.days[section.name]
    is_kept = pl.lit(reference is not None) & (pl.col("section") == section.name) & ~pl.col("day").is_in(days)
    stored_tables = (plan.progress.sums, plan.progress.version_sums)
    sums, version_sums = (table.filter(is_kept).drop("section") for table in stored_tables)
    ratings = tables.ratings.filter(~pl.col("rater").is_in(plan.left_out))
    counts = _counts(replace(tables, ratings=ratings), plan.labels, days, section.rater)
    return SectionInputs(section, reference, counts, tuple(days), sums, version_sums)


def _counts(tables: stored.DayTables, labels: tuple[str, ...], days: list[date], rater: str | None) -> DailyCounts:
    """Return the counts of some days; with `rater`, of the items that this rater rated."""
    kept = tables.ratings.filter(pl.col("label").is_in(labels))
    human, answers = kept.filter(IS_HUMAN), kept.filter(IS_SYSTEM)
    rated = human if rater is None else human.filter(rater=rater)
    items = tables.items.filter(pl.col("day").is_in(days)).join(rated, on="pattern", how="semi")
    durations = tables.durations.filter(pl.col("day").is_in(days))
    versions = tables.versions.filter(pl.col("day").is_in(days)).join(items, on=["day", "pattern"], how="semi")
    return DailyCounts(
        labels=labels,
        items=items.select("day", "pattern", "n_items"),
        ratings=human.select("pattern", "rater", "label").join(items, on="pattern", how="semi"),
        answers=answers.select("pattern", pl.col("rater").alias("system"), "label").join(
            items, on="pattern", how="semi"
        ),
        durations=durations if rater is None else durations.filter(rater=rater),
        versions=versions.join(answers.select("pattern", system="rater"), on=["pattern", "system"], how="semi"),
    )
