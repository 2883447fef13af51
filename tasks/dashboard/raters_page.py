"""Build the page on the annotators of a question, on one of them, and on a pair."""

from collections.abc import Sequence

import polars as pl
from markupsafe import Markup

from stats.accuracy.raters.annotators import MIN_RATINGS
from tasks.dashboard.control_charts import change_marks, chart_note, control_charts, evidence_text
from tasks.dashboard.page_filters import address, link, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.report.folded_rows import MAX_UNFOLDED, fold_annotators
from tasks.report.formatting import (
    confidence,
    count,
    counted,
    day,
    foreign,
    humanised,
    interval,
    number,
    percent,
    shortened,
    undefined,
)
from tasks.report.html_table import Cell, HtmlTable, graphic_column, number_column, range_column, table_of, text_column
from tasks.report.report_data import Row
from tasks.report.sections.pairs_section import of_one_coefficient, pairs, weighted_pairs
from tasks.report.sections.scorecard_section import agreement_graphic, uncharted_note
from tasks.summary.finite import finite
from tasks.summary.interval_width import width_note

_MAX_RATERS = 200
_MAX_PAIRS = 30
_STATES = {
    "reference_of_question": "none found",
    "own_reference": "none found",
    "compared_with_others": "not charted yet",
}


def raters_page(page: PageReading, question: str | None) -> LivePage:
    """Show the annotators of a question; with a rater, this one in detail; with another one, what the two confuse."""
    names = ("question", "rater", "other")
    if question is None:
        return LivePage("Annotators", page.filters, names, [], lead="No question has results yet.")
    rater, other = page.filters.rater, page.filters.other
    shown = page.question_section(question, raters="raters", shared_errors="shared_errors")
    in_pairs = weighted_pairs(page.rows("pairs"), page.rows("agreement").to_dicts())
    drawn = pairs(in_pairs, lambda a, b: address("/raters", question=question, rater=a, other=b))
    cards = page.rows("scorecards", _MAX_RATERS)
    sections = [
        PageSection(
            "Beside the others",
            ("scorecards",),
            table=annotator_rows(cards, of_one_question=True),
            note="On the same items, those who agree least first. Severity: above 0 gives lower labels.",
            empty="No annotator shares items with another one here.",
        ),
        PageSection(
            "Accuracy",
            ("raters", "shared_errors"),
            table=shown.annotators_table,
            sentences=[text for text in (shown.annotators_rest_on, shown.shared_errors) if text]
            if shown.annotators_table
            else [],
            empty="No accuracy was estimated.",
        ),
        PageSection(
            "Pairs",
            ("pairs",),
            chart=drawn.chart if drawn else Markup(),
            table=_pairs(in_pairs, question),
            note=drawn.note if drawn else "",
            empty="No two annotators rated the same items.",
            is_wide=True,
        ),
    ]
    if rater:
        sections[1:1] = _one_rater(page)
    if rater and other:
        sections.insert(0, _confusion(page, rater, other))
    title = f"Annotators: {shortened(question, 60)}"
    return LivePage(title, page.filters, names, sections, lead=_list_of_raters(page, question))


def annotator_rows(cards: pl.DataFrame, *, of_one_question: bool = False) -> HtmlTable | None:
    """Return a table of annotators beside the others who rated the same items, each with the way to them.

    Over all questions it names the question, and leaves out what only the page of the question has room for.
    """
    annotators = fold_annotators(cards.to_dicts(), "agreement", "agreement_high", limit=_MAX_RATERS)
    habits = (
        range_column("Severity", lambda row: _with_interval(row, "severity", "severity")),
        number_column("Seconds", lambda row: number(row["median_s"], 1)),
        number_column("Edits", lambda row: count(row["n_edits"])),
        number_column("Skips", lambda row: count(row["n_skipped"])),
    )
    question = text_column("Question", lambda row: name_link("/question", row["question"], question=row["question"]))
    columns = (
        text_column(
            "Annotator",
            lambda row: name_link("/raters", row["rater"], question=row["question"], rater=row["rater"]),
        ),
        *(() if of_one_question else (question,)),
        number_column("Agrees with the others", lambda row: number(row["agreement"])),
        graphic_column(agreement_graphic),
        range_column(
            confidence(row["confidence"] for row in annotators.shown),
            lambda row: interval(row["agreement_low"], row["agreement_high"]),
        ),
        range_column("On gold", lambda row: _with_interval(row, "gold_accuracy", "gold")),
        *(habits if of_one_question else ()),
        number_column("Items", lambda row: count(row["n_items"])),
        range_column("Drift", _drift),
    )
    notes = (uncharted_note(annotators.shown), _skips_note(annotators.shown)) if of_one_question else ()
    return annotators.table(columns, " ".join(filter(None, notes)))


def _skips_note(rows: Sequence[Row]) -> str:
    """Say why the number of skips is not known for an annotator."""
    by_file = any(row["skipped_reason"] == "not_kept_by_rater" for row in rows)
    return "Skips are not kept by annotator: kappaflow counts them by file (Batches)." if by_file else ""


def _drift(row: Row) -> Cell:
    if row["n_open_alerts"]:
        words = counted(row["n_open_alerts"], "open alert")
        return link("/alerts", words, question=row["question"], rater=row["rater"])
    return _STATES.get(row["chart_state"], "")


def _with_interval(row: Row, figure: str, stem: str) -> Cell:
    if finite(row[figure]) is None:
        return Markup('<span class="reason">{}</span>').format(humanised(row[f"{stem}_reason"]))
    return f"{number(row[figure], 2)} ({interval(row[f'{stem}_low'], row[f'{stem}_high'])})"


def _list_of_raters(page: PageReading, question: str) -> Markup:
    if page.filters.rater:
        return Markup("{} · {}").format(
            link("/raters", "All annotators", question=question),
            link("/items", "Items on which this annotator differs", question=question, rater=page.filters.rater),
        )
    names = [name for name, _ in page.names("rater")]
    if len(names) > MAX_UNFOLDED:
        return Markup("{}. Choose one here, or in a table below.").format(counted(len(names), "annotator"))
    return Markup(" · ").join(name_link("/raters", name, question=question, rater=name) for name in names)


def _one_rater(page: PageReading) -> list[PageSection]:
    days = page.rows("rater_chart").to_dicts()
    alerts = page.rows("alerts").to_dicts()
    marks = [
        mark for row in alerts if row["closed_at"] is None and row["kind"] == "rater" for mark in change_marks(row)
    ]
    charts, table = control_charts(days, before=0.0, marks=marks), _days(days)
    return [
        PageSection(
            "Which labels more often than the others",
            ("rater_bias",),
            table=_bias(page.rows("rater_bias")),
            note="On the same items. The largest difference first.",
            empty="The bias of this annotator was not computed.",
        ),
        PageSection(
            "Agreement with the others by day",
            ("rater_chart",),
            chart=charts,
            table=None if charts else table,
            details=(("Figures", table),) if charts and table else (),
            note=f"Agreement minus the agreement of the others with each other. Dotted, at 0: no difference."
            f"{chart_note(days)}",
            empty="This annotator has no chart yet.",
        ),
    ]


def _confusion(page: PageReading, rater: str, other: str) -> PageSection:
    columns = (
        text_column(f"{shortened(rater, 40)} says", lambda row: foreign(row["label_a"], 60)),
        text_column(f"{shortened(other, 40)} says", lambda row: foreign(row["label_b"], 60)),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Of the first", lambda row: percent(row["share_of_a"])),
        number_column("Of the second", lambda row: percent(row["share_of_b"])),
    )
    return PageSection(
        f"What {shortened(rater, 40)} and {shortened(other, 40)} say of the same items",
        ("pair_confusion",),
        table=table_of(columns, page.rows("pair_confusion").to_dicts()),
        note=link("/items", "The disputed items of the first", question=page.filters.question, rater=rater),
        empty="The two rated no item in common.",
    )


def _pairs(pairwise: pl.DataFrame, question: str) -> HtmlTable | None:
    if not pairwise.height:
        return None
    too_few_items = pl.col("n_items") < MIN_RATINGS  # chance alone may put such a pair first
    rows = of_one_coefficient(pairwise)[1].sort(too_few_items, "estimate", "rater_a", "rater_b", nulls_last=True)
    columns = (
        text_column(
            "Annotators",
            lambda row: Markup("{} and {}").format(foreign(row["rater_a"], 60), foreign(row["rater_b"], 60)),
        ),
        number_column("Value", lambda row: number(row["estimate"])),
        range_column("Interval", lambda row: _interval_of(row, "estimate")),
        number_column("Items", lambda row: count(row["n_items"])),
        text_column(
            "Confusion",
            lambda row: link(
                "/raters", "what they confuse", question=question, rater=row["rater_a"], other=row["rater_b"]
            ),
        ),
    )
    shown = rows.head(_MAX_PAIRS).to_dicts()
    return table_of(columns, shown, width_note(shown))


def _interval_of(row: Row, figure: str) -> Cell:
    return interval(row["low"], row["high"]) if finite(row[figure]) is not None else undefined(row["reason"])


def _bias(rows: pl.DataFrame) -> HtmlTable | None:
    columns = (
        text_column("Label", lambda row: foreign(row["label"], 60)),
        number_column("Own share", lambda row: percent(row["own_share"])),
        number_column("The others'", lambda row: percent(row["others_share"])),
        number_column("Bias", lambda row: number(row["bias"])),
        range_column("Interval", lambda row: _interval_of(row, "bias")),
        number_column("Items", lambda row: count(row["n_items"])),
    )
    return table_of(columns, rows.to_dicts())


def _days(rows: list[Row]) -> HtmlTable | None:
    columns = (
        text_column("Day", lambda row: day(row["day"])),
        number_column("Value", lambda row: number(row["value"])),
        range_column("95 % interval", lambda row: interval(row["low"], row["high"])),
        number_column("Statistic", lambda row: evidence_text(row["statistic"])),
        number_column("Threshold", lambda row: evidence_text(row["threshold"])),
        number_column("Items", lambda row: count(row["n_items"])),
    )
    return table_of(columns, rows)
