"""Read what the charts of a question need: counts of the days that changed, and stored sums of all others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import duckdb
import polars as pl

from stats.monitoring import DailyCounts, QuestionReference
from tasks.evaluate.labels import declared_or_inferred
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
class ChartInputs:
    """What the charts of one question are computed from.

    - settings: a text that changes with them. until: the last closed day.
    - points_from: points before this day stay as they are. sections: those that have reference days.
    - waiting: those that have too few items so far. n_future: items that were rated after today, as it seems.
    - detector: for each section what the detector knew of its charts, as JSON; empty where all looks are computed.
    """

    question: StoredQuestion
    config: MonitorConfig
    settings: str
    until: date
    points_from: date
    sections: tuple[SectionInputs, ...]
    waiting: tuple[ChartSection, ...]
    detector: Mapping[str, Any]
    n_future: int = 0


def read_chart_inputs(
    con: duckdb.DuckDBPyConnection,
    question: StoredQuestion,
    config: QuestionConfig,
    monitor: MonitorConfig,
    *,
    until: date,
    rebuild: bool = False,
) -> ChartInputs | None:
    """Read the inputs of the charts of a question; None if the stored charts are up to date.

    `until` is the last closed day. With `rebuild`, read the counts of all days as if nothing were stored. Raises
    InputError as `declared_or_inferred`.
    """
    name = question.question
    state = None if rebuild else stored.chart_state(con, name)
    labels = declared_or_inferred(stored.labels_in_use(con, name), config.labels, config.scale, name).names
    settings = chart_settings(config, monitor)
    days, rater_days = stored.day_items(con, name, until), stored.rater_days(con, name, until)
    batches = stored.batch_days(con, name, monitor.reference_batches) if monitor.reference_batches else None
    sections = plan_sections(days, rater_days, stored.accepted_changes(con, name), monitor.reference(batches))
    if state is not None and (state.settings != settings or state.charted_until > until):
        state = None
    changed = _changed_days(con, name, state, days, until)
    if state is not None and not changed and state.sections.keys() == _drawn(sections).keys():
        return None
    drawn = _drawn(sections)
    references = {one.name: _stored_reference(one, state, changed, labels) for one in drawn.values()}
    to_score = {
        one.name: _days_to_score(one, references[one.name], days["day"].to_list(), changed) for one in drawn.values()
    }
    tables = stored.day_tables(con, name, sorted({day for those in to_score.values() for day in those}))
    sums = stored.stored_sums(con, name)
    inputs = tuple(
        _section_inputs(one, references[one.name], tables, labels, to_score[one.name], sums) for one in drawn.values()
    )
    refitted = state is None or any(one.reference is None for one in inputs)
    stays = not refitted and not state.sections.keys() - drawn.keys() if state else False
    return ChartInputs(
        question=question,
        config=monitor,
        settings=settings,
        until=until,
        points_from=min(changed) if stays else FIRST_DAY,
        sections=inputs,
        waiting=tuple(section for section in sections if section.period is None),
        detector=state.detector if state and stays else {},
        n_future=_n_future(con, name, until + timedelta(days=monitor.closing_lag_days)),
    )


def _n_future(con: duckdb.DuckDBPyConnection, question: str, today: date) -> int:
    """Count the items of the days after today."""
    days = stored.day_items(con, question, date.max)
    return int(days.filter(pl.col("day") > today)["n_items"].sum())


def _drawn(sections: Sequence[ChartSection]) -> dict[str, ChartSection]:
    return {section.name: section for section in sections if section.period}


def _changed_days(
    con: duckdb.DuckDBPyConnection, question: str, state: stored.ChartState | None, days: pl.DataFrame, until: date
) -> list[date]:
    """List the closed days whose counts changed since the stored charts, or that were closed since."""
    if state is None:
        return list(days["day"])
    changed = {day for day in stored.changed_days(con, question, state.revision) if day <= until}
    return sorted(changed | {day for day in days["day"] if day > state.charted_until})


def _days_to_score(
    section: ChartSection, reference: QuestionReference | None, days: list[date], changed: list[date]
) -> list[date]:
    """List the days that a section must score: those that changed, or all if its reference is to be fitted."""
    assert section.period is not None
    return [day for day in (days if reference is None else changed) if day >= section.period.first]


def _stored_reference(
    section: ChartSection, state: stored.ChartState | None, changed: list[date], labels: tuple[str, ...]
) -> QuestionReference | None:
    """Return what the reference fixed, if its days and labels are the same and no count of them has changed."""
    known = state.sections.get(section.name) if state else None
    if known is None or section.period is None or known["period"] != section.period.to_json():
        return None
    if tuple(known["labels"]) != labels:
        return None
    inside = any(section.period.first <= day <= section.period.last for day in changed)
    return None if inside else QuestionReference.from_json(known)


def _section_inputs(
    section: ChartSection,
    reference: QuestionReference | None,
    tables: stored.DayTables,
    labels: tuple[str, ...],
    days: list[date],
    stored_sums: tuple[pl.DataFrame, pl.DataFrame],
) -> SectionInputs:
    is_kept = pl.lit(reference is not None) & (pl.col("section") == section.name) & ~pl.col("day").is_in(days)
    sums, version_sums = (table.filter(is_kept).drop("section") for table in stored_sums)
    counts = _counts(tables, labels, days, section.rater)
    return SectionInputs(section, reference, counts, tuple(days), sums, version_sums)


def _counts(tables: stored.DayTables, labels: tuple[str, ...], days: list[date], rater: str | None) -> DailyCounts:
    """Return the counts of some days; with `rater`, of the items that this rater rated."""
    kept = tables.ratings.filter(pl.col("label").is_in(labels))
    human, answers = kept.filter(rater_kind="human"), kept.filter(rater_kind="system")
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
