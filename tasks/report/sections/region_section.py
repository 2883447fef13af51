"""Show how far the raters of each question agree on spans, boxes, rankings or texts: all, each pair, label, window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from tasks.glossary import PERIODS
from tasks.region_coefficients import HEADLINES, NAMES, OF_RANKINGS, OF_TEXTS, in_a_sentence
from tasks.report.chart_range import Size, earlier_note
from tasks.report.charts import Point, trend_chart, trend_domain
from tasks.report.formatting import confidence, count, counted, day, foreign, interval, number_or_reason
from tasks.report.html_table import (
    Cell,
    Column,
    HtmlTable,
    cells_of,
    number_column,
    range_column,
    table_of,
    text_column,
)
from tasks.report.report_data import ReportData, Row, of_question
from tasks.report.sections.trend_section import (
    Trend,
    course,
    estimates_of,
    faint,
    in_time,
    latest_in_time,
    points_of,
    trend_note,
)
from tasks.report.sections.warnings_section import evaluation_note
from tasks.summary.finite import finite
from tasks.summary.interval_width import width_note

_MAX_ROWS = 40
_REGIONS = (
    "spans and boxes",
    "Agreement on what was marked",
    "F1 is not corrected for chance: compare raters on the same items, not figures of different tasks. Accuracy is not "
    "offered for spans and boxes.",
)
_RANKINGS = (
    "rankings",
    "Agreement on the order",
    "Kendall's W of m raters is 1/m by chance, not 0: compare it only between groups with the same number of "
    "raters. Rho and tau are 0 by chance. Accuracy is not offered for rankings.",
)
_TEXTS = (
    "texts",
    "Agreement on the texts",
    "Similarities are not corrected for chance: compare raters on the same items, not figures of different tasks. "
    "Accuracy is not offered for texts.",
)
_WORDS = dict.fromkeys(OF_RANKINGS, _RANKINGS) | dict.fromkeys(OF_TEXTS, _TEXTS)
"""What was compared, the heading and the note of a section, by its first coefficient; else those of spans and boxes."""

_RATERS = text_column(
    "Raters", lambda row: Markup("{} · {}").format(foreign(row["rater_a"], 60), foreign(row["rater_b"], 60))
)
_LABEL = text_column("Label", lambda row: foreign(row["label"], 80))


@dataclass(frozen=True)
class RegionSection:
    """The agreement on the spans, boxes, rankings or texts of one question."""

    anchor: str
    question: str
    name: Markup
    what: str
    heading: str
    note: str
    facts: Markup
    evaluation_note: Markup
    overall: HtmlTable
    pairs: HtmlTable | None
    labels: HtmlTable | None
    main: Row | None
    trends: list[Trend]

    @property
    def main_name(self) -> str:
        """The name of the coefficient that is followed."""
        return NAMES[self.main["coefficient"]] if self.main else ""


def region_sections(data: ReportData) -> list[RegionSection]:
    """Build a section per question with spans, boxes, rankings or texts, by name."""
    names = sorted(name for name in data.regions["question"].unique() if name is not None)
    return [_section(data, name, place) for place, name in enumerate(names, start=1)]


def region_sentences(sections: Sequence[RegionSection]) -> list[Markup]:
    """Say for each question how far raters agree, by the coefficient that is followed."""
    return [_sentence(section, section.main) for section in sections if section.main]


def _sentence(section: RegionSection, main: Row) -> Markup:
    about = Markup('On <a href="#{}">{}</a>, agreement by {} is').format(
        section.anchor, section.name, in_a_sentence(main["coefficient"])
    )
    figure = number_or_reason(main["estimate"], main)
    if finite(main["estimate"]) is None:
        return Markup("{} undefined: {}.").format(about, figure)
    limits = "" if finite(main["low"]) is None else f" ({interval(main['low'], main['high'])})"
    return Markup("{} {}{}.").format(about, figure, limits)


def regions_table(sections: Sequence[RegionSection], question: Callable[[RegionSection], Cell]) -> HtmlTable | None:
    """Return one row per question, with the coefficient that is followed. `question` draws the first cell."""
    shown = [(section, section.main) for section in sections if section.main]
    columns = (
        text_column("Question", lambda entry: question(entry[0])),
        text_column("What is compared", lambda entry: entry[0].what),
        text_column("Coefficient", lambda entry: entry[0].main_name),
        number_column("Estimate", lambda entry: number_or_reason(entry[1]["estimate"], entry[1])),
        range_column(
            confidence(row["confidence"] for _, row in shown), lambda entry: interval(entry[1]["low"], entry[1]["high"])
        ),
        text_column("Over time", lambda entry: course(entry[0].trends)),
        number_column("Items", lambda entry: count(entry[1]["n_items"])),
        number_column("Raters", lambda entry: count(entry[1]["n_raters"])),
    )
    return table_of(columns, shown, width_note([row for _, row in shown]))


def _section(data: ReportData, name: str, place: int) -> RegionSection:
    rows = of_question(data.regions, name)
    pairs, labels = pl.col("rater_a").is_not_null(), pl.col("label").is_not_null()
    overall = rows.filter(~pairs & ~labels).to_dicts()
    main = next((row for row in overall if row["coefficient"] in HEADLINES), None)
    facts = [] if not overall else [
        counted(max(int(row[key] or 0) for row in overall), word)
        for key, word in (("n_items", "item"), ("n_raters", "rater"))
    ]  # fmt: skip
    return RegionSection(
        f"r{place}",
        name,
        foreign(name, 120),
        *_WORDS.get(rows["coefficient"][0], _REGIONS),
        Markup(" · ").join(facts),
        evaluation_note(of_question(data.evaluation_notes, name), name),
        _table(overall) or HtmlTable((), []),
        _table(rows.filter(pairs).to_dicts(), _RATERS),
        _table(rows.filter(labels).to_dicts(), _LABEL),
        main,
        _trends(data, name, main) if main else [],
    )


def _trends(data: ReportData, name: str, main: Row) -> list[Trend]:
    """Return the chart of the coefficient that is followed, for each period with two windows or more."""
    title = NAMES[main["coefficient"]]
    windows = of_question(data.region_trend, name).filter(pl.col("label").is_null()).to_dicts()
    rows = [row for row in windows if row["coefficient"] == main["coefficient"]]
    size = ("n_items", "item") if main["coefficient"] in _WORDS else ("n_regions", "region")
    by_period = {period: [row for row in rows if row["period"] == period] for period in PERIODS}
    drawn = {period: points_of(period, own, size) for period, own in by_period.items()}
    points = {period: own for period, own in drawn.items() if len(own) > 1}
    domain = trend_domain([point for own in points.values() for point in own])
    overall_figure = finite(main["estimate"])
    charts = {
        period: trend_chart(own, overall=overall_figure, domain=domain, label=f"{title} {PERIODS[period].lower()}")
        for period, own in points.items()
    }
    return [_trend(period, by_period[period], points[period], chart, size) for period, chart in charts.items()]


def _trend(period: str, rows: list[Row], points: list[Point], chart: Markup, size: Size) -> Trend:
    earlier, rows = earlier_note(in_time(rows), size), latest_in_time(rows, size)
    windows = [{**row, "point": point} for row, point in zip(rows, points, strict=True)]
    columns = (
        text_column("Batch" if period == "batch" else "From", _start),
        number_column("Estimate", lambda row: faint(number_or_reason(row["estimate"], row), row["point"])),
        range_column("Interval", lambda row: interval(row["low"], row["high"])),
        *_count_columns(rows),
    )
    table = HtmlTable(columns, cells_of(columns, windows), note=width_note(windows))
    return Trend(PERIODS[period], chart, trend_note(period, rows, earlier), table, estimates_of(points))


def _start(row: Row) -> str:
    start = day(row["period_start"])
    return f"{row['point'].name} · {start}" if row["period"] == "batch" else start


def _count_columns(rows: list[Row]) -> list[Column]:
    """Return the columns of what was compared: items, and the regions of spans and boxes."""
    items = number_column("Items", lambda row: count(row["n_items"]))
    regions = number_column("Regions", lambda row: count(row["n_regions"]))
    return [items, regions] if any(row["coefficient"] not in _WORDS for row in rows) else [items]


def _table(rows: list[Row], *first: Column) -> HtmlTable | None:
    places = {name: place for place, name in enumerate(NAMES)}
    rows.sort(key=lambda row: (*(str(row[key]) for key in ("rater_a", "rater_b", "label")), places[row["coefficient"]]))
    columns = (
        *first,
        text_column("Coefficient", lambda row: NAMES[row["coefficient"]]),
        number_column("Estimate", lambda row: number_or_reason(row["estimate"], row)),
        range_column(confidence(row["confidence"] for row in rows), lambda row: interval(row["low"], row["high"])),
        *_count_columns(rows),
    )
    details = dict.fromkeys(str(row["detail"]) for row in rows[:_MAX_ROWS] if _has_caution(row))
    more = [f"The first {_MAX_ROWS} of {counted(len(rows), 'figure')}."] if len(rows) > _MAX_ROWS else []
    return table_of(columns, rows[:_MAX_ROWS], " ".join([*details, *more]))


def _has_caution(row: Row) -> bool:
    """Check whether a defined figure has a note."""
    return finite(row["estimate"]) is not None and bool(row["detail"])
