"""Collect all that the page shows about one question."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from markupsafe import Markup

from tasks.report.formatting import counted, foreign, interval, joined, number, percent, shortened
from tasks.report.html_table import HtmlTable
from tasks.report.report_data import ReportData, Row, of_question
from tasks.report.sections.agreement_section import (
    coefficient_table,
    full_name,
    graphic,
    headline,
    main_rows,
    scope_table,
)
from tasks.report.sections.annotators_section import annotators_table
from tasks.report.sections.comparison_section import against_table, checks_table, differences_table
from tasks.report.sections.item_agreement_section import item_histogram
from tasks.report.sections.items_section import items_table
from tasks.report.sections.pairs_section import PairsSection, pairs, weighted_pairs
from tasks.report.sections.rates_section import rates_table, weekly_rates_table
from tasks.report.sections.scorecard_section import scorecard_table
from tasks.report.sections.sensitivity_section import SensitivitySection, sensitivity_section
from tasks.report.sections.shared_errors_section import shared_errors_sentence
from tasks.report.sections.systems_section import (
    accuracy_graphic,
    bins_table,
    estimates_table,
    main_systems,
    ranking,
    ranking_note,
    slices_table,
    systems_table,
)
from tasks.report.sections.trend_section import Trend, course, limit_note, trends
from tasks.report.sections.versions_section import VersionsSection, versions_section
from tasks.report.sections.warnings_section import (
    GroupedWarning,
    evaluation_note,
    grouped_warnings,
    system_name,
    warnings_of_others,
)
from tasks.report.sections.weeks_section import week_tables
from tasks.summary.finite import finite
from tasks.summary.gold_words import gold_words
from tasks.summary.label_weights import is_plain
from tasks.summary.system_standing import HumanRaters, human_raters


@dataclass(frozen=True)
class BestSystem:
    """A question's best system, for the overview."""

    name: Markup
    value: str
    graphic: Markup
    mean: str


@dataclass(frozen=True)
class QuestionSection:
    """One question's section. `main` is its main coefficient, `percent` its share of equal pairs."""

    anchor: str
    name: Markup
    short_name: Markup
    facts: Markup
    evaluation_note: Markup
    main: Row | None
    percent: str
    coefficients: HtmlTable | None
    scopes: HtmlTable | None
    item_histogram: Markup
    trends: list[Trend]
    limit_note: str
    main_systems: list[Row]
    systems: HtmlTable | None
    slices: HtmlTable | None
    estimates: HtmlTable | None
    sensitivity: SensitivitySection | None
    ranking: Markup
    ranking_note: Markup
    warnings: list[GroupedWarning]
    notes: list[GroupedWarning]
    differences: HtmlTable | None
    against: HtmlTable | None
    versions: VersionsSection | None
    rates: HtmlTable | None
    weekly_rates: HtmlTable | None
    checks: HtmlTable | None
    copying: list[Row]
    bins: HtmlTable | None
    raters: HumanRaters
    annotators_table: HtmlTable | None
    shared_errors: str
    scorecards: HtmlTable | None
    weeks: dict[str, HtmlTable | None]
    pairs: PairsSection | None
    queue: HtmlTable | None

    @property
    def audited(self) -> bool:
        """Whether gold corrects the figures about systems or annotators."""
        return self.raters.audited or any(finite(row["n_gold"]) for row in self.main_systems)

    @property
    def gold_origins(self) -> set[str]:
        """Where the gold comes from that figures rest on."""
        rows = [row for row in (*self.main_systems, *self.raters.rows) if finite(row["n_gold"])]
        return {row["gold_origin"] or "unknown" for row in rows}

    @property
    def systems_rest_on(self) -> str:
        """Say on what the figures about systems and annotators are based."""
        return self._audited_with or (
            "Without gold: the outer interval holds if errors are as on real data, the inner one and comparisons if"
            " people err independently."
        )

    @property
    def annotators_rest_on(self) -> str:
        """Say on what the figures about annotators are based, which have one interval."""
        return self._audited_with or "Without gold: the figures hold if people err independently."

    @property
    def _audited_with(self) -> str:
        if not self.audited:
            return ""
        return f"Audited with {gold_words(self.gold_origins)}. Too few gold items: no figure."

    @property
    def value(self) -> str:
        """The main estimate of agreement."""
        return number(self.main["estimate"] if self.main else None)

    @property
    def limits(self) -> str:
        """Its interval."""
        return interval(self.main["low"], self.main["high"]) if self.main else ""

    def graphic(self, start: float) -> Markup:
        """Its drawing, on the axis of the column."""
        return graphic(self.main, start) if self.main else Markup()

    @property
    def main_name(self) -> str:
        """Its name."""
        return full_name(self.main) if self.main else ""

    @property
    def best(self) -> BestSystem:
        """The most accurate system."""
        mean = number(self.raters.mean)
        if not self.main_systems:
            return BestSystem(foreign(None), "", Markup(), mean)
        row = self.main_systems[0]
        return BestSystem(foreign(system_name(row), 60), number(row["accuracy"]), accuracy_graphic(row), mean)

    @property
    def course(self) -> Markup:
        """A small chart of agreement over time."""
        return course(self.trends)


def overview_rests_on(questions: Sequence[QuestionSection]) -> str:
    """Say what the accuracies in the table of questions are based on."""
    estimated = [
        question for question in questions if question.main_systems or finite(question.raters.mean) is not None
    ]
    audited = [question for question in estimated if question.audited]
    if not estimated:
        return ""
    if not audited:
        return "Accuracies are without gold: they hold if people err independently."
    gold = gold_words({origin for question in audited for origin in question.gold_origins})
    if len(audited) == len(estimated):
        return f"Accuracies are audited with {gold}."
    names = joined([question.short_name for question in audited])
    return Markup("Accuracies on {} are audited with {}; all others hold if people err independently.").format(
        names, gold
    )


def build_question(data: ReportData, name: str, place: int, *, max_annotators: int | None = None) -> QuestionSection:
    """Build the section of a question. `data` is the result of completed(); `place` makes the anchor.

    Lists of annotators have `max_annotators` rows at most, or as many as each allows.
    """
    listed = {} if max_annotators is None else {"limit": max_annotators}
    agreement, systems = of_question(data.agreement, name), of_question(data.systems, name)
    rows = main_rows(agreement)
    main = headline(rows)
    against = of_question(data.against, name)
    raters = human_raters(of_question(data.raters, name), against)
    best = main_systems(systems)
    about_best = grouped_warnings(best)
    copying = of_question(data.checks, name).filter(pl.col("violated"), name="copying").to_dicts()
    return QuestionSection(
        anchor=f"q{place}",
        name=foreign(name, 120),
        short_name=foreign(name, 80),
        facts=_facts(main, raters, best),
        evaluation_note=evaluation_note(of_question(data.evaluation_notes, name), name),
        main=main,
        percent=_percent(rows),
        coefficients=coefficient_table(rows) if rows else None,
        scopes=scope_table(agreement, rows),
        item_histogram=item_histogram(of_question(data.item_agreement, name)),
        trends=trends(of_question(data.trend, name), main, of_question(data.alerts, name)),
        limit_note=limit_note(main) if main else "",
        main_systems=best,
        systems=systems_table(best),
        slices=slices_table(of_question(data.slices, name)),
        estimates=estimates_table(systems),
        sensitivity=sensitivity_section(best, _n_labels(main)),
        ranking=ranking(best, raters),
        ranking_note=ranking_note(best, raters, copying),
        warnings=[note for note in about_best if not note.is_informative],
        notes=[
            *(note for note in about_best if note.is_informative),
            *warnings_of_others(systems, about_best),
        ],
        differences=differences_table(of_question(data.differences, name)),
        against=against_table(against),
        versions=versions_section(of_question(data.versions, name), of_question(data.version_weeks, name)),
        rates=rates_table(of_question(data.rates, name)),
        weekly_rates=weekly_rates_table(of_question(data.rate_windows, name)),
        checks=checks_table(of_question(data.checks, name)),
        copying=copying,
        bins=bins_table(of_question(data.bins, name)),
        raters=raters,
        annotators_table=annotators_table(raters, **listed),
        shared_errors=shared_errors_sentence(of_question(data.shared_errors, name)),
        scorecards=scorecard_table(of_question(data.scorecards, name), **listed),
        weeks=week_tables(of_question(data.weeks, name), **listed),
        pairs=pairs(weighted_pairs(of_question(data.pairwise, name), rows)),
        queue=items_table(of_question(data.queue, name)),
    )


def _n_labels(main: Row | None) -> int | None:
    """Return the number of labels, None if no agreement was computed."""
    n_labels = finite(main["n_labels"]) if main else None
    return None if n_labels is None else int(n_labels)


def _facts(main: Row | None, raters: HumanRaters, systems: list[Row]) -> Markup:
    facts = []
    if main and main["n_ratings"] == 0 and systems:
        facts = ["no human ratings", *_answered(systems)]
        facts += [counted(main["n_labels"], "label")] if main["n_labels"] is not None else []
    elif main:
        units = (("n_ratings", "rating"), ("n_items", "item"), ("n_raters", "annotator"), ("n_labels", "label"))
        facts = [counted(main[key], unit) for key, unit in units if main[key] is not None]
        if main["scale"]:
            facts.append(f"{shortened(main['scale'], 40)} scale")
    elif raters.rows:
        facts = [counted(len(raters.rows), "annotator")]
    if systems:
        facts.append(counted(len(systems), "system"))
    return Markup(" · ").join(facts)


def _answered(systems: list[Row]) -> list[str]:
    """Return how many items the systems answered, and how many of those have gold."""
    facts = []
    for key, unit in (("n_items", "item"), ("n_gold", "gold item")):
        counts = {int(n) for row in systems if (n := finite(row[key])) is not None}
        if counts:
            facts.append(f"{'up to ' if len(counts) > 1 else ''}{counted(max(counts), unit)}")
    return facts


def _percent(rows: list[Row]) -> str:
    """Return the percent agreement without weights, '' if it is undefined."""
    plain = [row["estimate"] for row in rows if row["coefficient"] == "percent_agreement" and is_plain(row["weights"])]
    return percent(plain[0]) if plain and finite(plain[0]) is not None else ""


def link_to(question: QuestionSection) -> Markup:
    """Return the short name of a question as a link to its section."""
    return Markup('<a href="#{}">{}</a>').format(question.anchor, question.short_name)
