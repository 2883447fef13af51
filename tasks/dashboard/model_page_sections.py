"""Build the parts of pages about models that were compared by votes."""

from collections.abc import Sequence

from markupsafe import Markup

from tasks.dashboard.page_filters import name_link
from tasks.dashboard.page_parts import PageSection
from tasks.dashboard.page_reading import PageReading
from tasks.report.formatting import foreign
from tasks.report.html_table import HtmlTable, table_of, text_column
from tasks.report.report_data import Row
from tasks.report.sections.preference_section import STRENGTHS_NOTE, PreferenceSection, preference_sections
from tasks.summary.contrary_voter_rows import contrary_voter_rows

_QUERIES = ("model_strengths", "preference_figures")


def model_overview(page: PageReading) -> list[PageSection]:
    """Return a section with a line for each question with votes on pairs of models; none without any."""
    table = _questions(_sections(page))
    if table is None:
        return []
    contrary = _contrary_voters(page)
    return [PageSection("Models by votes", _QUERIES, table=table, sentences=contrary, filters=page.filters)]


def model_page_sections(page: PageReading) -> list[PageSection]:
    """Return the sections on the question of the page; none if nobody voted on models."""
    rows = contrary_voter_rows(page.rows("preference_figures"))
    return [
        part
        for section in _sections(page)
        for part in _page_sections(section, [row for row in rows if row["question"] == section.question])
    ]


def _sections(page: PageReading) -> list[PreferenceSection]:
    return preference_sections(page.report_data(strengths="model_strengths", preferences="preference_figures"))


def _contrary_voters(page: PageReading) -> list[Markup]:
    """Name the voters who contradict the others, with a link to their question."""
    return [
        Markup("{}, {}: {}").format(
            name_link("/question", row["question"], question=row["question"]),
            foreign(row["rater"], 60),
            foreign(row["detail"], 400),
        )
        for row in contrary_voter_rows(page.rows("preference_figures"))
    ]


def _questions(sections: Sequence[PreferenceSection]) -> HtmlTable | None:
    columns = (
        text_column("Question", lambda section: name_link("/question", section.question, question=section.question)),
        text_column("What was compared", lambda section: section.facts),
        text_column("Who is in front", lambda section: section.first or "No rank has an interval yet."),
    )
    return table_of(columns, sections)


def _page_sections(section: PreferenceSection, contrary: Sequence[Row]) -> list[PageSection]:
    """Return the figures. `contrary` are the rows of the voters who contradict the others."""
    voters = [Markup("{}: {}").format(foreign(row["rater"], 60), foreign(row["detail"], 400)) for row in contrary]
    sentences = [section.facts, *([section.first + "."] if section.first else [])]
    return [
        PageSection("Strengths", _QUERIES[:1], table=section.models, sentences=sentences, note=STRENGTHS_NOTE),
        PageSection(
            "Those who voted",
            _QUERIES[1:],
            table=section.figures,
            sentences=voters,
            empty="There is no figure about them.",
        ),
    ]
