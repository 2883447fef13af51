"""Build the first page: the alerts, the questions, the annotators and the systems."""

import polars as pl
from markupsafe import Markup

from tasks.dashboard.alerts_page import WaitingWork, alert_rows
from tasks.dashboard.link_cells import link, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.dashboard.raters_page import annotator_rows
from tasks.dashboard.systems_page import system_rows
from tasks.report.agreement_section import full_name, graphic, headline
from tasks.report.formatting import counted, finite, interval, number
from tasks.report.html_table import GRAPHIC, Cell, HtmlTable, numbers, ranges, texts
from tasks.report.report_data import Row
from tasks.report.svg import sparkline

_MAX_ALERTS = 5
_MAX_RATERS = 15
_ALERTS_FIRST = {"critical": 0, "warning": 1}


def overview_page(page: PageReading, work: WaitingWork) -> LivePage:
    """Build the page: what is most urgent comes first."""
    alerts = page.rows("alerts", 1000)
    alerts = alerts.filter(pl.col("closed_at").is_null()) if alerts.height else alerts
    sections = [
        PageSection(
            "Open alerts",
            ("alerts",),
            table=alert_rows(alerts.head(_MAX_ALERTS), page.filters, work),
            note=link("/alerts", f"All {counted(alerts.height, 'open alert')}", page.filters)
            if alerts.height > _MAX_ALERTS
            else "",
            empty="No alert is open.",
        ),
        _questions(page, alerts),
        _annotators(page),
        PageSection(
            "Systems",
            ("systems",),
            table=system_rows(page.rows("systems"), page.filters),
            note="Best first. The outer interval holds if the estimate errs as on real data.",
            empty="No system has an estimate here.",
        ),
    ]
    return LivePage(
        "Overview",
        page.filters,
        ("question", "rater", "system", "window"),
        sections,
        can_acknowledge=bool(alerts.height),
    )


def _questions(page: PageReading, alerts: pl.DataFrame) -> PageSection:
    agreement, weekly = page.rows("agreement"), page.rows("weekly_agreement")
    by_question: dict[str, list[Row]] = {}
    for row in agreement.to_dicts():
        if row["scope"] == "humans" or page.filters.slice:
            by_question.setdefault(row["question"], []).append(row)
    names = [name for name, _ in page.names("question") if page.filters.question in (None, name)]
    courses: dict[str, list[float | None]] = {}
    for row in weekly.to_dicts():
        courses.setdefault(row["question"], []).append(finite(row["estimate"]))
    open_alerts: dict[str, list[str]] = {}
    for row in alerts.to_dicts():
        open_alerts.setdefault(row["question"], []).append(row["severity"])
    entries = [(name, headline(by_question.get(name, [])), open_alerts.get(name, [])) for name in names]
    entries.sort(key=lambda entry: (_urgency(entry[2]), _estimate(entry[1]), entry[0]))
    levels = {row["confidence"] for _, row, _ in entries if row}
    heading = f"{100 * levels.pop():.4g} % interval" if len(levels) == 1 else "Interval"
    columns = (
        *texts("Question", "Open alerts"),
        *numbers("Agreement"),
        GRAPHIC,
        *ranges(heading),
        *texts("Over time", "Figure"),
        *numbers("Items"),
    )
    cells = [_question_cells(page, name, row, found, courses.get(name, [])) for name, row, found in entries[:200]]
    return PageSection(
        "Questions",
        ("agreement", "weekly_agreement", "names"),
        table=HtmlTable(columns, cells) if cells else None,
        note="Those with critical alerts come first, then those with other alerts, then by agreement, lowest first.",
        empty="No question is evaluated here.",
    )


def _question_cells(
    page: PageReading, name: str, row: Row | None, open_alerts: list[str], course: list[float | None]
) -> tuple[Cell, ...]:
    filters = page.filters
    critical = open_alerts.count("critical")
    words = counted(len(open_alerts), "alert") + (f", {critical} critical" if critical else "")
    low = finite(row["low"]) if row else None
    return (
        name_link("/question", name, filters, question=name),
        link("/alerts", words, question=name) if open_alerts else "none",
        number(row["estimate"] if row else None),
        graphic(row, -1.0 if low is not None and low < 0 else 0.0) if row else Markup(),
        interval(row["low"], row["high"]) if row else "",
        sparkline(course),
        full_name(row) if row else "no figure",
        number(row["n_items"], 0) if row else "",
    )


def _annotators(page: PageReading) -> PageSection:
    cards = page.rows("scorecards", _MAX_RATERS)
    return PageSection(
        "Annotators",
        ("scorecards",),
        table=annotator_rows(cards),
        note=Markup("Those who agree least with the others on the same items come first. {}").format(
            link("/raters", "All annotators of a question", page.filters)
        ),
        empty="No annotator shares items with another one here.",
    )


def _urgency(severities: list[str]) -> int:
    return min((_ALERTS_FIRST.get(severity, 1) for severity in severities), default=len(_ALERTS_FIRST))


def _estimate(row: Row | None) -> float:
    estimate = finite(row["estimate"]) if row else None
    return 2.0 if estimate is None else estimate
