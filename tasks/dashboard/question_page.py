"""Build the page on the agreement of one question."""

from dataclasses import replace

import polars as pl
from markupsafe import Markup

from tasks.dashboard.failed_questions import failed_questions
from tasks.dashboard.model_page_sections import model_page_sections
from tasks.dashboard.page_filters import link, of_all_items
from tasks.dashboard.page_parts import LivePage, PageSection, as_sentence
from tasks.dashboard.page_reading import PageReading
from tasks.dashboard.region_page_sections import region_page_sections
from tasks.report.formatting import count, counted, day, foreign, percent, shortened
from tasks.report.html_table import HtmlTable, number_column, range_column, table_of, text_column
from tasks.report.sections import item_agreement_section
from tasks.report.sections.trend_section import Trend
from tasks.report.svg import sparkline
from tasks.summary.finite import finite

_FILTERS = ("question", "window", "slice")
_MAX_CONFUSED = 25
_MAX_SHARES = 300
_LINES = "The band is the interval, the dotted line the figure over all ratings"


def question_page(page: PageReading, question: str | None) -> LivePage:
    """Show how far the annotators of a question agree: over all, by window, by label.

    Of spans, boxes, rankings and texts: how far the raters agree. Of votes on models: which model is in front.
    """
    if question is None:
        return LivePage("Agreement", page.filters, _FILTERS, [], lead="No question has results yet.")
    of_question = page.without("rater", "system")
    regions, models = region_page_sections(of_question), model_page_sections(of_question)
    others = [*regions, *models]
    if others and question not in dict(page.names("labelled")):
        names = ("question", "window") if regions else ("question",)
        return LivePage(shortened(question, 80), page.filters, names, [*failed_questions(page), *others])
    labelled = _labelled_page(page, question)
    return replace(labelled, sections=[*labelled.sections, *others])


def _labelled_page(page: PageReading, question: str) -> LivePage:
    shown = page.without("rater", "system").question_section(
        question, agreement="agreement", trend="trend", alerts="alerts", evaluation_notes="evaluation_notes"
    )
    by_item = item_agreement_section.item_histogram(page.rows("item_agreement"))
    confused, labels = page.rows("label_confusion", _MAX_CONFUSED), page.rows("label_trend", _MAX_SHARES)
    of_all = of_all_items(page.filters)
    ways = Markup("{} · {} · {}").format(
        link("/raters", "Its annotators", question=question),
        link("/systems", "Its systems", question=question),
        link("/items", "Its items to look at", question=question),
    )
    sections = [
        *failed_questions(page),
        PageSection(
            "Agreement",
            ("agreement", "evaluation_notes"),
            table=shown.coefficients,
            sentences=[shown.evaluation_note] if shown.evaluation_note else [],
            empty="No agreement was computed for these items.",
            details=(("By label and slice", shown.scopes),) if shown.scopes else (),
        ),
        PageSection(
            "Items by agreement",
            ("item_agreement",),
            chart=by_item,
            sentences=of_all if by_item else [],
            note=item_agreement_section.NOTE,
            empty="No item has two human ratings.",
        ),
        *(_trend(trend, shown.limit_note) for trend in shown.trends),
        PageSection(
            "Labels that are confused",
            ("label_confusion",),
            table=_confusions(confused),
            sentences=of_all if confused.height else [],
            note=f"The {_MAX_CONFUSED} most frequent pairs of labels." if confused.height == _MAX_CONFUSED else "",
            empty="No two annotators gave different labels to an item.",
        ),
        PageSection(
            "How often each label is given",
            ("label_trend",),
            table=_labels(labels),
            sentences=of_all if labels.height else [],
            details=(("Every window", shares),) if (shares := _shares(labels)) else (),
            empty="No window has labels.",
        ),
    ]
    if not shown.trends:
        place = next(i for i, section in enumerate(sections) if section.title == "Labels that are confused")
        sections.insert(place, PageSection("Over time", ("trend",), empty="There are fewer than two such windows."))
    return LivePage(
        shortened(question, 80), page.filters, _FILTERS, sections, lead=Markup("{}<br>{}").format(shown.facts, ways)
    )


def _trend(trend: Trend, limit_note: str) -> PageSection:
    return PageSection(
        f"Agreement {trend.title.lower()}",
        ("trend",),
        chart=trend.chart,
        note=Markup("{}. {}").format(as_sentence(trend.note or _LINES), limit_note),
        details=(("Figures", trend.table),),
    )


def _confusions(rows: pl.DataFrame) -> HtmlTable | None:
    columns = (
        text_column("One label", lambda row: foreign(row["label_a"], 60)),
        text_column("The other", lambda row: foreign(row["label_b"], 60)),
        number_column("Pairs of ratings", lambda row: count(row["n_pairs"])),
        number_column("Of the disagreements", lambda row: percent(row["share_of_disagreements"])),
        number_column("Of all pairs", lambda row: percent(row["share_of_pairs"])),
    )
    return table_of(columns, rows.to_dicts())


def _labels(rows: pl.DataFrame) -> HtmlTable | None:
    """Return one row per label: its share in the latest window, and the course of the share over the windows."""
    windows = rows["first_day"].unique().sort(descending=True).to_list() if rows.height else []
    if not windows:
        return None
    courses: dict[str, list[float | None]] = {}
    for row in reversed(rows.to_dicts()):
        courses.setdefault(row["label"], []).append(finite(row["share"]))
    latest = rows.filter(pl.col("first_day") == windows[0]).sort("share", descending=True, nulls_last=True)
    columns = (
        text_column("Label", lambda row: foreign(row["label"], 60)),
        number_column("Share", lambda row: percent(row["share"])),
        range_column("Interval", lambda row: Markup("{} to {}").format(percent(row["low"]), percent(row["high"]))),
        text_column("Over time", lambda row: sparkline(courses[row["label"]])),
        number_column("Items", lambda row: count(row["n_items"])),
    )
    warning = " It has too few items: do not read it as a fact." if latest["too_few"].any() else ""
    note = f"Shares in the window that begins on {day(windows[0])}, of {counted(len(windows), 'window')}.{warning}"
    return table_of(columns, latest.to_dicts(), note)


def _shares(rows: pl.DataFrame) -> HtmlTable | None:
    columns = (
        text_column("From", lambda row: day(row["first_day"])),
        text_column("Label", lambda row: foreign(row["label"], 60)),
        number_column("Share", lambda row: percent(row["share"])),
        range_column("Interval", lambda row: Markup("{} to {}").format(percent(row["low"]), percent(row["high"]))),
        number_column("Items", lambda row: count(row["n_items"])),
        text_column("Enough items", lambda row: "too few" if row["too_few"] else "yes"),
    )
    note = f"The first {counted(rows.height, 'row')}." if rows.height == _MAX_SHARES else ""
    return table_of(columns, rows.to_dicts(), note)
