"""Build the first page: the alerts, the questions, the annotators and the systems."""

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from stats.verdict_interval import has_no_width
from tasks.dashboard.alerts_page import AlertForms, alert_rows
from tasks.dashboard.failed_questions import failed_questions
from tasks.dashboard.model_page_sections import model_overview
from tasks.dashboard.page_filters import PageFilters, address, link, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.dashboard.raters_page import annotator_rows
from tasks.dashboard.region_page_sections import region_overview
from tasks.dashboard.systems_page import linked_low_slices, system_rows
from tasks.report.formatting import confidence, counted, interval, number
from tasks.report.html_table import Cell, graphic_column, number_column, range_column, text_column
from tasks.report.report_data import Row
from tasks.report.sections.agreement_section import axis_start, full_name, graphic, headline
from tasks.report.sections.states_section import fold_questions, next_cell, state_cell, states_note
from tasks.report.sections.systems_section import main_systems
from tasks.report.svg import sparkline
from tasks.summary.annotators import contradictions_by_question
from tasks.summary.finite import finite
from tasks.summary.poor_agreement import causes_by_question
from tasks.summary.question_state import QuestionState, question_state, urgency

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
    alerts, of_question = _open_alerts(page), page.without("rater", "system")
    others = [*region_overview(of_question), *model_overview(of_question)]
    entries = _entries(of_question)
    sections = [
        *failed_questions(page),
        *([_questions(of_question, entries)] if entries or not others else []),
        *others,
        PageSection(
            "Open alerts",
            ("alerts",),
            table=alert_rows(alerts.head(_MAX_ALERTS), page.filters, forms),
            note=link("/alerts", f"All {counted(alerts.height, 'open alert')}", page.filters)
            if alerts.height > _MAX_ALERTS
            else "",
            empty="No open alert names it." if page.filters.rater or page.filters.system else "No alert is open.",
        ),
        *([_annotators(page), _systems(page)] if entries or not others else []),
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


def _open_alerts(page: PageReading) -> pl.DataFrame:
    alerts = page.rows("alerts", 1000)
    return alerts.filter(pl.col("closed_at").is_null()) if alerts.height else alerts


def _questions(page: PageReading, entries: list[_QuestionEntry]) -> PageSection:
    """Show how each question stands. That does not depend on the annotator or system that the page is about."""
    entries.sort(key=lambda entry: (*urgency(entry.state, entry.main), entry.name))
    main_rows = [entry.main for entry in entries if entry.main]
    start = axis_start(main_rows)
    columns = (
        range_column("State", lambda entry: state_cell(entry.state)),
        text_column("Question", lambda entry: name_link("/question", entry.name, page.filters, question=entry.name)),
        number_column("Agreement", lambda entry: number(entry.main["estimate"] if entry.main else None)),
        graphic_column(lambda entry: graphic(entry.main, start) if entry.main else Markup()),
        range_column(
            confidence(row["confidence"] for row in main_rows),
            lambda entry: interval(entry.main["low"], entry.main["high"]) if entry.main else "",
        ),
        text_column("Over time", lambda entry: sparkline(entry.course)),
        text_column(
            "What to do next", lambda entry: next_cell(entry.state, address("/items", PageFilters(question=entry.name)))
        ),
        range_column("Open alerts", _alerts_link),
    )
    return PageSection(
        "Questions",
        ("agreement", "weekly_agreement", "systems", "alerts", "doubtful", "low_pairs", "most_confused_pairs"),
        table=fold_questions(columns, entries[:_MAX_QUESTIONS], ""),
        note=states_note(
            [full_name(row) for row in main_rows], start, no_width=any(has_no_width(row) for row in main_rows)
        ),
        empty="No question is evaluated here."
        if page.names("question")
        else Markup("No rating has come in yet: see {}.").format(link("/batches", "what became of the files")),
        filters=page.filters,
    )


def _entries(page: PageReading) -> list[_QuestionEntry]:
    agreement = _by_question(row for row in page.rows("agreement").to_dicts() if row["scope"] == "humans")
    systems, weekly = page.rows("systems"), _by_question(page.rows("weekly_agreement").to_dicts())
    if systems.height:
        systems = systems.filter(pl.col("scope") == "all")
    low_pairs = page.rows("low_pairs")
    contrary = contradictions_by_question(low_pairs)
    causes = causes_by_question(low_pairs, page.rows("most_confused_pairs"))
    by_alert, doubtful = _by_question(_open_alerts(page).to_dicts()), set(page.rows("doubtful")["question"])
    entries = []
    for name in (name for name, _ in page.names("labelled") if page.filters.question in (None, name)):
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
            causes=causes.get(name),
        )
        course = [None if row["too_few"] else finite(row["estimate"]) for row in weekly.get(name, [])]
        entries.append(_QuestionEntry(name, main, state, len(question_alerts), course))
    return entries


def _by_question(rows: Iterable[Row]) -> dict[str, list[Row]]:
    rows_of: dict[str, list[Row]] = {}
    for row in rows:
        rows_of.setdefault(row["question"], []).append(row)
    return rows_of


def _alerts_link(entry: _QuestionEntry) -> Cell:
    return link("/alerts", counted(entry.n_alerts, "alert"), question=entry.name) if entry.n_alerts else "none"


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


def _systems(page: PageReading) -> PageSection:
    return PageSection(
        "Systems",
        ("systems",),
        table=system_rows(page.rows("systems"), page.filters),
        sentences=linked_low_slices(page),
        note="Best first. The outer interval holds if the estimate errs as on real data.",
        empty="No system has an estimate here.",
    )
