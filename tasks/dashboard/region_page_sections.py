"""Build the parts of pages about spans, boxes, rankings and texts."""

from collections.abc import Sequence

from markupsafe import Markup

from tasks.dashboard.page_filters import name_link
from tasks.dashboard.page_parts import PageSection, as_sentence
from tasks.dashboard.page_reading import PageReading
from tasks.glossary import PERIODS
from tasks.report.formatting import counted, foreign, number
from tasks.report.html_table import number_column, table_of, text_column
from tasks.report.sections.region_section import RegionSection, region_sections, regions_table
from tasks.report.sections.trend_section import Trend
from tasks.summary.region_raters import region_rater_sentences

_MAX_ITEMS = 25
_TITLE = "Spans, boxes, rankings and texts"


def region_overview(page: PageReading) -> list[PageSection]:
    """Return a section with a line for each question with spans, boxes, rankings or texts; none without any."""
    sections = _sections(page)
    table = regions_table(sections, lambda section: name_link("/question", section.question, question=section.question))
    if table is None:
        return []
    note = (
        "These figures are not corrected for chance: compare raters on the same items, not questions with each other."
    )
    return [
        PageSection(
            _TITLE,
            ("region_agreement", "region_trend", "region_pairs"),
            table=table,
            sentences=_raters_who_stand_out(page),
            note=note,
            filters=page.filters,
        )
    ]


def region_page_sections(page: PageReading) -> list[PageSection]:
    """Return the sections on the question of the page; none if its answers are something else."""
    by_question = region_rater_sentences(page.rows("region_pairs"))
    return [
        part
        for section in _sections(page)
        for part in [*_page_sections(section, by_question.get(section.question, [])), _items(page, section)]
    ]


def region_trend(page: PageReading) -> PageSection | None:
    """Draw the agreement on the question of the page by week, else by another window. None with fewer than two."""
    trends = [(trend, section.main_name) for section in _sections(page) for trend in section.trends]
    trends.sort(key=lambda trend_and_name: trend_and_name[0].title != PERIODS["week"])
    return _trend(*trends[0]) if trends else None


def _sections(page: PageReading) -> list[RegionSection]:
    return region_sections(
        page.report_data(regions="region_agreement", region_trend="region_trend", evaluation_notes="evaluation_notes")
    )


def _raters_who_stand_out(page: PageReading) -> list[Markup]:
    """Name those who contradict the others or agree less with them, with a link to their question."""
    return [
        Markup("{}: {}").format(name_link("/question", question, question=question), foreign(sentence, 300))
        for question, several in region_rater_sentences(page.rows("region_pairs")).items()
        for sentence in several
    ]


def _page_sections(section: RegionSection, standing_out: Sequence[str]) -> list[PageSection]:
    """Return the figures and their course. `standing_out` are the sentences on raters who stand out."""
    details = (("Pairs of raters", section.pairs), ("Each label", section.labels))
    notes = [section.facts, *(foreign(sentence, 300) for sentence in standing_out), section.evaluation_note]
    return [
        PageSection(
            section.heading,
            ("region_agreement", "region_pairs", "evaluation_notes"),
            table=section.overall,
            sentences=[text for text in notes if text],
            note=section.note,
            details=tuple((title, table) for title, table in details if table),
        ),
        *(_trend(trend, section.main_name) for trend in section.trends),
    ]


def _items(page: PageReading, section: RegionSection) -> PageSection:
    """List the items on which raters differ most."""
    rows = page.rows("region_items", _MAX_ITEMS).to_dicts()
    columns = (
        text_column("Item", lambda row: foreign(row["item"], 80)),
        number_column(section.main_name, lambda row: number(row["agreement"])),
    )
    n_items = rows[0]["n_items"] if rows else 0
    note = f"The first {len(rows)} of {counted(n_items, 'item')} on which raters differ." if n_items > len(rows) else ""
    return PageSection(
        "Items on which raters differ most",
        ("region_items",),
        table=table_of(columns, rows, note),
        empty="Raters differ on no item.",
    )


def _trend(trend: Trend, name: str) -> PageSection:
    lines = Markup("{}; the band is its interval, the dotted line the figure over all items.").format(name)
    return PageSection(
        f"Agreement {trend.title.lower()}",
        ("region_trend",),
        chart=trend.chart,
        note=Markup(" ").join([lines, as_sentence(trend.note)] if trend.note else [lines]),
        details=(("Figures", trend.table),),
    )
