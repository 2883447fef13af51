"""Build the page on the systems of a question."""

import polars as pl
from markupsafe import Markup

from tasks.dashboard.page_filters import PageFilters, link, name_link
from tasks.dashboard.page_parts import LivePage, PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.report.attention import low_slices
from tasks.report.formatting import count, interval, number, outer_confidence, shortened
from tasks.report.html_table import HtmlTable, graphic_column, number_column, range_column, table_of, text_column
from tasks.report.report_data import Row
from tasks.report.sections.sensitivity_section import SensitivitySection
from tasks.report.sections.systems_section import accuracy_graphic, main_systems
from tasks.report.sections.versions_section import VersionsSection
from tasks.report.sections.warnings_section import GroupedWarning, system_name


def systems_page(page: PageReading, question: str | None) -> LivePage:
    """Show how good the systems of a question are, in each slice, by version, and beside each other."""
    names = ("question", "system", "slice")
    if question is None:
        return LivePage("Systems", page.filters, names, [], lead="No question has results yet.")
    shown = page.question_section(
        question,
        agreement="agreement",
        systems="systems",
        raters="raters",
        against="systems_against_raters",
        differences="system_differences",
        checks="checks",
        rates="label_rates",
        versions="system_versions",
        version_weeks="version_weeks",
        shared_errors="shared_errors",
    )
    details = (("Every estimate", shown.estimates), ("Warnings", _warnings([*shown.warnings, *shown.notes])))
    sections = [
        PageSection(
            "Beside the annotators",
            ("systems", "raters", "systems_against_raters", "shared_errors"),
            table=shown.systems,
            chart=shown.ranking,
            note=shown.ranking_note if shown.systems else "",
            sentences=[text for text in (shown.systems_rest_on, shown.shared_errors) if text] if shown.systems else [],
            empty="No system has answered this question, or none matches.",
            details=tuple((title, table) for title, table in details if table),
            is_wide=True,
        ),
        *_if_errors_are_shared(shown.sensitivity),
        PageSection(
            "By slice",
            ("systems",),
            table=shown.slices,
            sentences=linked_low_slices(page),
            empty="No slices are evaluated (the setting slices).",
        ),
        PageSection(
            "Compared with each other",
            ("system_differences",),
            table=shown.differences,
            empty="There are no two systems to compare.",
        ),
        *_versions(shown.versions),
        PageSection(
            "What the estimates assume",
            ("checks",),
            table=shown.checks,
            empty="Nothing was estimated, so nothing was checked.",
        ),
        PageSection(
            "How frequent each label is", ("label_rates",), table=shown.rates, empty="No shares were estimated."
        ),
    ]
    lead = "Only the section By slice is about the slice. All others are about all items." if page.filters.slice else ""
    return LivePage(f"Systems: {shortened(question, 60)}", page.filters, names, sections, lead=lead)


def system_rows(systems: pl.DataFrame, filters: PageFilters) -> HtmlTable | None:
    """Return a table of the main estimates of systems, over all questions."""
    if not systems.height:
        return None
    by_question = systems.filter(pl.col("scope") == "all").group_by("question", maintain_order=True)
    rows = [row for _, of_question in by_question for row in main_systems(of_question)]
    outer, inner = outer_confidence(row["confidence"] for row in rows)

    def link_of(row: Row) -> Markup:
        return name_link("/systems", system_name(row), filters, question=row["question"], system=row["system"])

    columns = (
        text_column("System", link_of),
        text_column("Question", lambda row: name_link("/question", row["question"], filters, question=row["question"])),
        number_column("Accuracy", lambda row: number(row["accuracy"])),
        graphic_column(accuracy_graphic),
        range_column(outer, lambda row: interval(row["outer_low"], row["outer_high"])),
        range_column(inner, lambda row: interval(row["low"], row["high"])),
        number_column("Items", lambda row: count(row["n_items"])),
        number_column("Gold", lambda row: count(row["n_gold"])),
    )
    return table_of(columns, rows)


def linked_low_slices(page: PageReading) -> list[Markup]:
    """Return a sentence for each system that is less accurate on a slice than on the others.

    All systems and slices of a question are looked at, whichever the page is about: how many they are decides how
    clear a difference must be.
    """
    systems = page.without("system", "slice").rows("systems")
    if not systems.height:
        return []
    return low_slices(systems, lambda question: link("/systems", question, question=question), page.filters.system)


def _if_errors_are_shared(section: SensitivitySection | None) -> list[PageSection]:
    """Return the section on shared errors, if a system is estimated without gold."""
    if section is None:
        return []
    return [PageSection("If raters share errors", ("systems", "agreement"), table=section.table, chart=section.chart)]


def _warnings(warnings: list[GroupedWarning]) -> HtmlTable | None:
    columns = (
        text_column("Systems", lambda warning: warning.names),
        text_column("Warning", lambda warning: warning.in_full),
    )
    return table_of(columns, warnings)


def _versions(section: VersionsSection | None) -> list[PageSection]:
    """Return the section on versions, and one for each system that is charted."""
    table = section.table if section else None
    none = "No system has two versions with enough items to compare."
    return [
        PageSection("Versions", ("system_versions",), table=table, empty=none),
        *(
            PageSection(f"Accuracy of {chart.system}", ("version_weeks",), chart=chart.chart, note=chart.note)
            for chart in (section.charts if section else ())
        ),
    ]
