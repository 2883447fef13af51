"""Score the days that changed, and draw the charts of questions from all sums."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import numpy as np
import polars as pl

from stats.monitoring import (
    ChartHistory,
    DetectorState,
    Incident,
    KnownLooks,
    QuestionCharts,
    QuestionReference,
    QuestionSums,
    VersionComparison,
    charts_from_sums,
    day_sums,
    fit_reference,
    incidents,
    version_sums,
)
from tasks.counted_words import counted
from tasks.monitor.chart_reading import ChartInputs, SectionInputs
from tasks.monitor.chart_sections import Chart, ChartSection, serving_section
from warehouse.charts import MISSING, POINTS, SUMS, VERSION_SUMS, VERSIONS, ChartState, StoredCharts

NORMAL_95 = 1.959963984540054
OF_LABELS = "labels"
RANGES = {
    "agreement": (-1.0, 1.0),
    OF_LABELS: (0.0, 1.0),
    "rater": (-1.0, 1.0),
    "rater_labels": (-1.0, 1.0),
    "rater_speed": (0.0, 1.0),
    "system": (0.0, 1.0),
}
"""The lowest and the highest value of the quantity of each chart."""


@dataclass(frozen=True)
class DrawnCharts:
    """The charts of one question: what is to be stored, and the alarms.

    - incidents: the alarms of all charts, put together by cause. versions: comparisons of systems' versions.
    - references: by name of the section.
    """

    inputs: ChartInputs
    stored: StoredCharts
    incidents: tuple[Incident, ...]
    versions: tuple[VersionComparison, ...]
    references: dict[str, QuestionReference]

    @property
    def name(self) -> str:
        """Return the name of the question."""
        return self.inputs.plan.question.question


@dataclass(frozen=True)
class _ScoredSection:
    """A section with its reference, new sums, and all sums of the charts that it serves."""

    inputs: SectionInputs
    reference: QuestionReference
    new_sums: pl.DataFrame
    new_version_sums: pl.DataFrame
    sums: QuestionSums


def draw_charts(questions: Sequence[ChartInputs]) -> list[DrawnCharts]:
    """Draw the charts of several questions, one result for each.

    All questions go through the detector together, which takes less time than one after the other. Raises StatsError
    as `fit_reference`.
    """
    scored = [_score_question(question) for question in questions]
    drawn = iter(charts_from_sums([section.sums for sections in scored for section in sections]))
    return [
        _result(question, sections, [next(drawn) for _ in sections])
        for question, sections in zip(questions, scored, strict=True)
    ]


def _score_question(question: ChartInputs) -> list[_ScoredSection]:
    """Score the changed days of each section. The first section is `main`, which tells who has a chart."""
    all_sections = [*(inputs.section for inputs in question.sections), *question.waiting]
    sections: list[_ScoredSection] = []
    for inputs in question.sections:
        reference = inputs.reference or _fit(inputs, question.plan.config.coefficient)
        new_sums = day_sums(inputs.counts, reference=reference)
        new_versions = version_sums(inputs.counts, reference=reference)
        main = sections[0].reference if sections else reference
        served = _served(pl.concat([inputs.sums, new_sums]), inputs.section, all_sections)
        versions = _served_versions(pl.concat([inputs.version_sums, new_versions]), inputs.section, all_sections)
        sums = QuestionSums(
            served,
            versions,
            reference,
            question.plan.config.budget,
            first_answers={
                (system, version): at for system, version, at in question.plan.progress.first_answers.iter_rows()
            },
            n_raters=_n_subjects(main, "rater", question.sections, inputs.section),
            n_systems=_n_subjects(main, "system", question.sections, inputs.section),
            known=_earlier_looks(question, inputs.section.name),
        )
        sections.append(_ScoredSection(inputs, reference, new_sums, new_versions, sums))
    return sections


def _earlier_looks(question: ChartInputs, section: str) -> dict[Chart, KnownLooks]:
    """Return what is stored of the section's charts, if the looks before `points_from` stay as they are."""
    plan = question.plan
    return {
        (chart["chart"], chart["subject"]): KnownLooks(DetectorState.from_json(chart["state"]), plan.points_from)
        for chart in plan.detector.get(section, [])
    }


def _fit(inputs: SectionInputs, coefficient: str) -> QuestionReference:
    """Fit the reference of a section, and keep only the series of the charts that it serves."""
    assert inputs.section.period is not None
    reference = fit_reference(inputs.counts, period=inputs.section.period, coefficient=coefficient)
    if not inputs.section.charts:
        return reference
    wanted = set(inputs.section.charts)
    return replace(
        reference,
        series=tuple(series for series in reference.series if (series.chart, _chart_subject(series)) in wanted),
        missing=tuple(chart for chart in reference.missing if (chart.chart, _chart_subject(chart)) in wanted),
    )


def _chart_subject(entry: object) -> str | None:
    return None if getattr(entry, "chart", None) in ("agreement", OF_LABELS) else getattr(entry, "subject", None)


def _served(sums: pl.DataFrame, section: ChartSection, all_sections: Sequence[ChartSection]) -> pl.DataFrame:
    """Keep the sums of the charts that this section serves."""
    if len(all_sections) == 1:
        return sums
    charts = sums.select("chart", "subject").unique()
    kept = [chart for chart in charts.iter_rows() if serving_section(all_sections, chart) is section]
    wanted = pl.DataFrame(kept, schema=charts.schema, orient="row")
    return sums.join(wanted, on=["chart", "subject"], how="semi", nulls_equal=True)


def _served_versions(sums: pl.DataFrame, section: ChartSection, all_sections: Sequence[ChartSection]) -> pl.DataFrame:
    systems = [name for name in sums["system"].unique() if serving_section(all_sections, ("system", name)) is section]
    return sums.filter(pl.col("system").is_in(systems))


def _n_subjects(
    main: QuestionReference, kind: str, sections: Sequence[SectionInputs], section: ChartSection
) -> int | None:
    """Count the raters or systems that had a chart when this section began. None leaves it to the reference.

    Whoever joins later does not change the thresholds of the others, so that the past of their charts stays as it was.
    """
    subjects = {series.subject for series in main.series if series.chart.startswith(kind)}
    for inputs in sections:
        subjects |= {subject for chart, subject in inputs.section.charts if chart.startswith(kind)}
        if inputs.section.name == section.name:
            break
    return len(subjects) or None


def _result(question: ChartInputs, sections: list[_ScoredSection], charts: list[QuestionCharts]) -> DrawnCharts:
    plan = question.plan
    histories = [history for chart in charts for history in chart.histories]
    versions = tuple(version for chart in charts for version in chart.versions)
    references = {scored.inputs.section.name: scored.reference for scored in sections}
    state = ChartState(
        plan.question.revision,
        plan.until,
        plan.settings,
        {name: reference.to_json() for name, reference in references.items()},
        {
            scored.inputs.section.name: [
                {"chart": history.group.chart, "subject": history.group.subject, "state": history.state.to_json()}
                for history in drawn.histories
            ]
            for scored, drawn in zip(sections, charts, strict=True)
        },
    )
    stored = StoredCharts(
        state=state,
        sums=_by_section(sections, [scored.new_sums for scored in sections], SUMS),
        version_sums=_by_section(sections, [scored.new_version_sums for scored in sections], VERSION_SUMS),
        days=_days(sections),
        kept_sections=tuple(scored.inputs.section.name for scored in sections if scored.inputs.reference),
        points=chart_points(histories, plan.points_from),
        points_from=plan.points_from,
        missing=pl.DataFrame(list(_missing(question, sections, histories)), schema=MISSING, orient="row").unique(
            maintain_order=True
        ),
        versions=pl.DataFrame([vars(version) for version in versions], schema=VERSIONS),
    )
    alarms = [alarm for history in histories for alarm in history.alarms]
    return DrawnCharts(question, stored, incidents(alarms), versions, references)


def _by_section(
    sections: list[_ScoredSection], tables: list[pl.DataFrame], schema: Mapping[str, pl.DataType]
) -> pl.DataFrame:
    with_section = [
        table.with_columns(section=pl.lit(scored.inputs.section.name))
        for scored, table in zip(sections, tables, strict=True)
    ]
    return pl.concat([pl.DataFrame(schema=schema), *(table.select(*schema) for table in with_section)])


def _days(sections: list[_ScoredSection]) -> pl.DataFrame:
    """Return the section and day of all sums that are to be replaced."""
    rows = [(scored.inputs.section.name, day) for scored in sections for day in scored.inputs.days]
    return pl.DataFrame(rows, schema={"section": pl.String, "day": pl.Date}, orient="row")


def chart_points(histories: Sequence[ChartHistory], points_from: date, *, lowest: float | None = None) -> pl.DataFrame:
    """Return one row per series and look from a day on, with a 95 % interval of the day's mean.

    The interval ends at the lowest and highest value of the quantity (`lowest` replaces the former), unless the mean
    lies outside: scores of a day are linearised, or those of a model.
    """
    names: list[tuple[str, str | None, str | None]] = []
    columns_of_charts: list[dict[str, Any]] = []
    for history in histories:
        group = history.group
        first = int(np.searchsorted(group.days, np.datetime64(points_from)))
        means, half = group.means[:, first:], NORMAL_95 * history.deviations[:, first:]
        n_series, n_looks = means.shape
        least, most = RANGES[group.chart]
        least = least if lowest is None else lowest
        labels = group.labels or (None,)
        columns_of_charts.append(
            {
                "series": np.repeat(np.arange(len(names), len(names) + n_series), n_looks),
                "day": np.tile(group.days[first:], n_series),
                "n_items": np.tile(group.n_items[first:], n_series),
                "value": means.ravel(),
                "low": np.maximum(means - half, np.minimum(means, least)).ravel(),
                "high": np.minimum(means + half, np.maximum(means, most)).ravel(),
                "statistic": np.tile(history.statistic[first:], n_series),
                "threshold": np.full(n_series * n_looks, group.threshold),
                "is_reference": np.tile(np.arange(first, first + n_looks) < group.n_reference, n_series),
            }
        )
        is_labels = group.chart == OF_LABELS
        names += [(group.chart, label if is_labels else group.subject, label) for label in labels]
    if not columns_of_charts:
        return pl.DataFrame(schema=POINTS)
    columns = {name: np.concatenate([part[name] for part in columns_of_charts]) for name in columns_of_charts[0]}
    of_series = pl.DataFrame(names, schema=dict.fromkeys(("chart", "subject", "label"), pl.String), orient="row")
    points = pl.DataFrame(columns)
    return pl.concat([of_series[points["series"]], points.drop("series")], how="horizontal").select(*POINTS)


def _missing(
    question: ChartInputs, sections: list[_ScoredSection], histories: list[ChartHistory]
) -> Iterator[tuple[str, str | None, str, str]]:
    """Return the charts that cannot be drawn, with a reason. Charts that another section draws are left out."""
    drawn: set[Chart] = {(history.group.chart, history.group.subject) for history in histories}
    for scored in sections:
        for missing in scored.reference.missing:
            if (missing.chart, missing.subject) not in drawn:
                yield missing.chart, missing.subject, missing.reason, missing.detail
    for section in question.waiting:
        detail = (
            f"The reference needs {section.n_needed} items on {section.days_needed} days,"
            f" and closed days have {section.n_found} so far.{_about_future(question.n_future)}"
        )
        for chart, subject in section.charts or (("agreement", None),):
            if (chart, subject) not in drawn:
                yield chart, subject, "too_few_items", detail


def _about_future(n_items: int) -> str:
    """Say that dates lie in the future, which explains why few items do not."""
    if not n_items:
        return ""
    items = counted(n_items, "item has a date", "items have dates")
    return f" But {items} in the future: look at the dates of the exports, and at `timezone`."
