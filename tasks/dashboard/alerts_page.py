"""Build the pages on alerts: the list, and one alert with what is behind it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from tasks.dashboard.control_charts import change_marks, chart_note, control_charts, evidence_text
from tasks.dashboard.page_filters import PageFilters, link, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.dashboard.region_page_sections import region_trend
from tasks.glossary import PERIODS
from tasks.monitor.alert_findings import TITLES
from tasks.monitor.alert_kinds import RULE_KINDS
from tasks.report.charts import Limit
from tasks.report.formatting import coefficient_name, counted, day, foreign, humanised, interval, number, shortened
from tasks.report.html_table import HtmlTable, number_column, range_column, table_of, text_column
from tasks.report.report_data import Row
from tasks.report.sections.intake_section import alert_state, alert_words
from tasks.summary.finite import finite

_MAX_ALERTS = 200
_MAX_DAYS = 120
_OF_RATERS = ("rater", "rater_labels", "rater_speed", "rater_missing", "gold_score")
_OF_AGREEMENT = "low_agreement"
_OF_SYSTEMS = ("system", "version")


@dataclass(frozen=True)
class AlertForms:
    """What the forms that acknowledge alerts need.

    `waiting` are the acknowledgements that wait for the warehouse (id of the alert -> by whom), `refused` the refused
    ones (id -> why). `csrf` is what a form sends along, `login_name` who acknowledges unless the form says
    somebody else.
    """

    waiting: Mapping[str, str]
    refused: Mapping[str, str]
    csrf: str = ""
    login_name: str = ""


def alerts_page(page: PageReading, forms: AlertForms) -> LivePage:
    """List the alerts, open ones first."""
    alerts = page.rows("alerts", _MAX_ALERTS)
    section = PageSection(
        "Alerts",
        ("alerts",),
        table=alert_rows(alerts, page.filters, forms),
        note=f"The first {_MAX_ALERTS}." if alerts.height == _MAX_ALERTS else "",
        empty="No alert matches.",
    )
    return LivePage("Alerts", page.filters, ("question", "rater", "system", "alert_state"), [section])


def alert_page(page: PageReading, forms: AlertForms) -> LivePage | None:
    """Show one alert, its chart, and where to look. None if there is no such alert."""
    alerts = page.rows("alert")
    if not alerts.height:
        return None
    alert = alerts.row(0, named=True)
    facts = [
        alert_words(alert),
        Markup("State: {}.").format(_state(alert, forms)),
        Markup("Opened <time>{}</time>, {}{}.").format(
            day(alert["opened_at"]),
            humanised(alert["severity"]),
            Markup(", owner {}").format(foreign(alert["owner"], 80)) if alert["owner"] else "",
        ),
        *([Markup("Figures: {}").format(foreign(alert["evidence"], 600))] if _has_more(alert) else []),
    ]
    if problem := forms.refused.get(alert["alert_id"]):
        facts.append(Markup('<strong class="waiting">Not acknowledged</strong>: {}').format(foreign(problem, 400)))
    if _is_open(alert, forms):
        facts.append(_form(alert, forms, asks_who=True))
    ways = [Markup("Look at {}.").format(link("/items", "its disputed items", items_filters(alert)))]
    if alert["question"]:
        ways.append(Markup("Look at {}.").format(link("/question", "its question", question=alert["question"])))
    if alert["kind"] in _OF_RATERS and alert["subject"]:
        ways.append(Markup("Look at {}.").format(link("/raters", "the annotator", _subject_filters(alert))))
    sections = [
        PageSection("What was found", ("alert",), sentences=facts),
        PageSection("What to do", (), sentences=ways),
        _chart_section(page, alert),
    ]
    return LivePage(_title(alert), page.filters, (), sections)


def _title(alert: Row) -> str:
    kind, subject = alert["kind"], shortened(alert["subject"] or "", 60)
    if kind in TITLES and (subject or kind == "agreement"):
        about = TITLES[kind].format(subject)
    else:
        about = humanised(kind) + (f": {subject}" if subject else "")
    return f"Alert: {about}" + (f", question {shortened(alert['question'], 60)}" if alert["question"] else "")


def alert_rows(alerts: pl.DataFrame, filters: PageFilters, forms: AlertForms) -> HtmlTable | None:
    """Return a table of alerts, each with the way to it and to its disputed items."""
    columns = (
        range_column(
            "Severity",
            lambda row: Markup('<span class="badge {}">{}</span>').format(
                "bad" if row["severity"] == "critical" else "warn", humanised(row["severity"])
            ),
        ),
        text_column("Question", lambda row: name_link("/question", row["question"], filters, question=row["question"])),
        text_column("What was found", lambda row: Markup('<span class="next">{}</span>').format(alert_words(row))),
        range_column("Since", lambda row: Markup("<time>{}</time>").format(day(row["changed_on"] or row["opened_at"]))),
        text_column("State", lambda row: _state(row, forms)),
        text_column(
            "Next",
            lambda row: Markup('<span class="ways">{} {} {}</span>').format(
                link("/alert", "Details", alert_id=row["alert_id"]),
                link("/items", "Disputed items", items_filters(row)),
                _form(row, forms) if _is_open(row, forms) else "",
            ),
        ),
    )
    return table_of(columns, alerts.to_dicts())


def items_filters(alert: Row) -> PageFilters:
    """Return the filters of the items that an alert is about."""
    filters = _subject_filters(alert)
    since = alert["changed_on"]
    return PageFilters(
        filters.question, filters.rater, filters.system, since=None if since is None else f"{since:%Y-%m-%d}"
    )


def _subject_filters(alert: Row) -> PageFilters:
    subject, kind = alert["subject"], alert["kind"]
    return PageFilters(
        question=alert["question"],
        rater=subject if kind in _OF_RATERS else None,
        system=subject if kind in _OF_SYSTEMS else None,
    )


def _is_open(alert: Row, forms: AlertForms) -> bool:
    """Check whether somebody may still acknowledge an alert."""
    return alert["closed_at"] is None and alert["acknowledged_at"] is None and alert["alert_id"] not in forms.waiting


def _has_more(alert: Row) -> bool:
    """Check whether there are figures that the sentence of an alert does not have."""
    return bool(alert["evidence"]) and alert["kind"] not in RULE_KINDS


def _form(alert: Row, forms: AlertForms, *, asks_who: bool = False) -> Markup:
    """Return the form that acknowledges an alert. The page of an alert asks who does it."""
    about = " ".join(humanised(alert[key]) for key in ("kind", "question") if alert[key])
    who = Markup(
        '<label for="ack-by">Acknowledge as</label> <input id="ack-by" name="by" value="{}" maxlength="80"'
        ' autocomplete="name"> '
    ).format(forms.login_name)
    return Markup(
        '<form class="ack" method="post" action="/alerts/ack"><input type="hidden" name="csrf" value="{}">'
        '<input type="hidden" name="alert_id" value="{}">{}'
        '<button>Acknowledge<span class="unseen"> the alert: {}</span></button></form>'
    ).format(forms.csrf, alert["alert_id"], who if asks_who else "", about)


def _state(alert: Row, forms: AlertForms) -> Markup:
    if alert["alert_id"] in forms.waiting:
        return Markup(
            '<strong class="waiting">waiting</strong>: acknowledged by {}, until the warehouse is free'
        ).format(foreign(forms.waiting[alert["alert_id"]], 60))
    if alert["closed_at"] is not None:
        return Markup("closed <time>{}</time>").format(day(alert["closed_at"]))
    return alert_state(alert)


def _chart_section(page: PageReading, alert: Row) -> PageSection:
    """Draw what the alert is about: the control chart, or for a limit of agreement the figures beside it."""
    if (
        alert["kind"] == _OF_AGREEMENT
        and alert["question"]
        and (section := _agreement_section(page, alert["question"]))
    ):
        return section
    rows = page.rows("alert_chart", _MAX_DAYS).to_dicts()
    one_line = {(row["subject"], row["label"]) for row in rows}
    columns = (
        text_column("Day", lambda row: day(row["day"])),
        text_column(
            "Of",
            lambda row: (
                "reference" if row["is_reference"] else foreign(row["label"], 40) if row["label"] else "watched"
            ),
        ),
        number_column("Value", lambda row: number(row["value"])),
        range_column("95 % interval", lambda row: interval(row["low"], row["high"])),
        number_column("Statistic", lambda row: evidence_text(row["statistic"])),
        number_column("Threshold", lambda row: evidence_text(row["threshold"])),
        number_column("Items", lambda row: number(row["n_items"], 0)),
    )
    limit = _limit(rows)
    charts = (
        control_charts(rows, finite(alert["before"]), change_marks(alert), limit) if len(one_line) == 1 else Markup()
    )
    dashed = " Dashed: the limit that the settings put on the figure over all ratings." if limit else ""
    table = table_of(columns, rows)
    return PageSection(
        "The chart behind it",
        ("alert_chart",),
        chart=charts,
        table=None if charts else table,
        details=(("Figures", table),) if charts and table else (),
        note=f"The last {counted(len(rows), 'day')} with ratings; dotted: the figure before.{dashed}{chart_note(rows)}"
        if charts
        else "",
        empty="A rule found it: it has no chart.",
    )


def _agreement_section(page: PageReading, question: str) -> PageSection | None:
    """Draw agreement by week, else by another window, beside its limit. None with fewer than two windows."""
    of_question = PageReading(page.reader, PageFilters(question=question))
    shown = of_question.question_section(question, agreement="agreement", trend="trend")
    trend = next((trend for trend in shown.trends if trend.title == PERIODS["week"]), None)
    trend = trend or next(iter(shown.trends), None)
    if trend is None:
        return region_trend(of_question)
    windows = Markup("; ").join(part for part in (trend.title, trend.note) if part)
    note = Markup("{}. Dotted: over all ratings. {}").format(windows, shown.limit_note)
    return PageSection(
        "The figures behind it",
        ("agreement", "trend"),
        chart=trend.chart,
        note=note,
        details=(("Figures", trend.table),),
        filters=of_question.filters,
    )


def _limit(rows: Sequence[Row]) -> Limit | None:
    """Return the limit of agreement in the settings, by the coefficient that it is for."""
    limit = finite(rows[0]["alert_below"]) if rows else None
    return None if limit is None else Limit(limit, f"limit {limit:g} for {coefficient_name(rows[0]['limited'])}")
