"""Build the first page: the alerts, the questions, the annotators and the systems."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from stats.verdict_interval import has_no_width
from tasks.dashboard.alerts_page import AlertForms, alert_rows
from tasks.dashboard.failed_questions import failed_questions
from tasks.dashboard.page_filters import PageFilters, address, link, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.dashboard.raters_page import annotator_rows
from tasks.dashboard.systems_page import system_rows
from tasks.report.formatting import confidence, counted, interval, number
from tasks.report.html_table import GRAPHIC, Cell, numbers, ranges, texts
from tasks.report.report_data import Row
from tasks.report.sections.agreement_section import axis_start, full_name, graphic, headline
from tasks.report.sections.states_section import fold_questions, next_cell, state_cell, states_note
from tasks.report.sections.systems_section import main_systems
from tasks.report.svg import sparkline
from tasks.summary.annotators import contradictions_by_question
from tasks.summary.finite import finite
from tasks.summary.headline import estimate_or_last
from tasks.summary.question_state import QuestionState, question_state

_MAX_ALERTS = 5
_MAX_RATERS = 15
_MAX_QUESTIONS = 200
BEGIN = (
    Markup("Put exports of your annotation tool into <code>inbox/</code> and run <code>kappaflow run</code>."),
    Markup("This page then shows how far the annotators agree, how good each system is, and what to do next."),
    Markup("<code>kappaflow formats</code> lists what can be read."),
)


def overview_page(page: PageReading, forms: AlertForms) -> LivePage:
    """Build the page: what is most urgent comes first. An empty project says how to begin."""
    if not page.names("question") and not page.rows("batches", 1).height:
        return LivePage("Overview", page.filters, (), [PageSection("Nothing ingested yet", (), sentences=BEGIN)])
    alerts = page.rows("alerts", 1000)
    alerts = alerts.filter(pl.col("closed_at").is_null()) if alerts.height else alerts
    sections = [
        *failed_questions(page),
        _questions(page, alerts),
        PageSection(
            "Open alerts",
            ("alerts",),
            table=alert_rows(alerts.head(_MAX_ALERTS), page.filters, forms),
            note=link("/alerts", f"All {counted(alerts.height, 'open alert')}", page.filters)
            if alerts.height > _MAX_ALERTS
            else "",
            empty="No alert is open.",
        ),
        _annotators(page),
        PageSection(
            "Systems",
            ("systems",),
            table=system_rows(page.rows("systems"), page.filters),
            note="Best first. The outer interval holds if the estimate errs as on real data.",
            empty="No system has an estimate here.",
        ),
    ]
    return LivePage("Overview", page.filters, ("question", "rater", "system", "window"), sections)


@dataclass(frozen=True)
class _QuestionEntry:
    """What the line of a question is made from."""

    name: str
    main: Row | None
    state: QuestionState
    n_alerts: int
    course: list[float | None]


def _questions(page: PageReading, alerts: pl.DataFrame) -> PageSection:
    entries = _entries(page, alerts)
    entries.sort(key=lambda entry: (entry.state.place, -entry.n_alerts, estimate_or_last(entry.main), entry.name))
    columns = (
        *ranges("State"),
        *texts("Question"),
        *numbers("Agreement"),
        GRAPHIC,
        *ranges(confidence(entry.main["confidence"] for entry in entries if entry.main)),
        *texts("Over time", "What to do next"),
        *ranges("Open alerts"),
    )
    start = axis_start(entry.main for entry in entries)
    cells = [_question_cells(page, entry, start) for entry in entries[:_MAX_QUESTIONS]]
    return PageSection(
        "Questions",
        ("agreement", "weekly_agreement", "systems", "alerts", "doubtful", "contradicting_pairs"),
        table=fold_questions(columns, cells, "") if cells else None,
        note=states_note(
            [full_name(entry.main) for entry in entries if entry.main],
            start,
            no_width=any(has_no_width(entry.main) for entry in entries if entry.main),
        ),
        empty="No question is evaluated here.",
    )


def _entries(page: PageReading, alerts: pl.DataFrame) -> list[_QuestionEntry]:
    agreement = _by_question(row for row in page.rows("agreement").to_dicts() if row["scope"] == "humans")
    systems, weekly = page.rows("systems"), _by_question(page.rows("weekly_agreement").to_dicts())
    if systems.height:
        systems = systems.filter(pl.col("scope") == "all")
    contrary = contradictions_by_question(page.rows("contradicting_pairs"))
    by_alert, doubtful = _by_question(alerts.to_dicts()), set(page.rows("doubtful")["question"])
    entries = []
    for name in (name for name, _ in page.names("question") if page.filters.question in (None, name)):
        rows = agreement.get(name, [])
        main, question_alerts = headline(rows), by_alert.get(name, [])
        estimates = main_systems(systems.filter(pl.col("question") == name)) if systems.height else []
        state = question_state(
            main,
            rows,
            estimates,
            question_alerts,
            has_doubtful=name in doubtful,
            contradictions=contrary.get(name, ()),
        )
        course = [None if row["too_few"] else finite(row["estimate"]) for row in weekly.get(name, [])]
        entries.append(_QuestionEntry(name, main, state, len(question_alerts), course))
    return entries


def _by_question(rows: Iterable[Row]) -> dict[str, list[Row]]:
    rows_of: dict[str, list[Row]] = {}
    for row in rows:
        rows_of.setdefault(row["question"], []).append(row)
    return rows_of


def _question_cells(page: PageReading, entry: _QuestionEntry, start: float) -> tuple[Cell, ...]:
    main, name = entry.main, entry.name
    return (
        state_cell(entry.state),
        name_link("/question", name, page.filters, question=name),
        number(main["estimate"] if main else None),
        graphic(main, start) if main else Markup(),
        interval(main["low"], main["high"]) if main else "",
        sparkline(entry.course),
        next_cell(entry.state, address("/items", PageFilters(question=name))),
        link("/alerts", counted(entry.n_alerts, "alert"), question=name) if entry.n_alerts else "none",
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
