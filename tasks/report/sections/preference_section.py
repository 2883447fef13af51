"""Show the models of each question by votes on pairs of them: strengths and ranks, and how the voters agree."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from stats.preferences.position_bias import ALL_IN_ONE_PLACE, ONE_ORDER
from stats.preferences.shown_place import PLACE_IN_STRENGTHS
from tasks.report.formatting import confidence, count, counted, foreign, interval, number, number_or_reason, undefined
from tasks.report.html_table import (
    HtmlTable,
    cells_of,
    graphic_column,
    number_column,
    range_column,
    table_of,
    text_column,
)
from tasks.report.report_data import ReportData, Row, of_question
from tasks.report.svg import whisker
from tasks.summary.finite import finite
from tasks.summary.interval_width import width_note

_MAX_ROWS = 40
STRENGTHS_NOTE = (
    "In natural logarithms, with a mean of 0: a model that is stronger by 1 wins 2.7 times as often as it loses. "
    "Compare strengths only with each other. A rank is sure only as far as the intervals of the differences leave no "
    "other."
)
_FIGURES = {
    "percent_agreement": "voters agree",
    "krippendorff_alpha": "Krippendorff's alpha of the voters",
    "first_wins": "the model shown first beats an equal one",
    "tie_parameter": "tie parameter (Davidson)",
    "agreement_with_others": "agrees with the others",
    "agreement_with_people": "agrees with people",
    "people_on_the_same": "people agree among themselves, where two or more voted",
    "difference_to_people": "agrees with people more than they do, on those",
}


@dataclass(frozen=True)
class PreferenceSection:
    """The models of one question, and the figures of those who voted."""

    anchor: str
    question: str
    name: Markup
    facts: Markup
    first: Markup
    models: HtmlTable
    figures: HtmlTable | None


def preference_sections(data: ReportData) -> list[PreferenceSection]:
    """Build a section per question with votes, by name."""
    names = sorted(name for name in data.strengths["question"].unique() if name is not None)
    return [_section(data, name, place) for place, name in enumerate(names, start=1)]


def ranking_sentences(sections: Sequence[PreferenceSection]) -> list[Markup]:
    """Say for each question which models are in front."""
    sentences = [
        Markup('On <a href="#{}">{}</a>, {}.').format(section.anchor, section.name, section.first)
        for section in sections
        if section.first
    ]
    return sentences or [Markup("No model has a rank with an interval yet.")]


def _section(data: ReportData, name: str, place: int) -> PreferenceSection:
    models = of_question(data.strengths, name).to_dicts()
    models.sort(key=lambda row: (finite(row["rank"]) is None, finite(row["rank"]) or 0.0, str(row["model"])))
    n_votes = sum(int(row["n_votes"] or 0) for row in models) // 2
    whose = "" if models[0]["votes_of"] is None else f" of {models[0]['votes_of']}"
    return PreferenceSection(
        f"v{place}",
        name,
        foreign(name, 120),
        Markup(" · ").join([counted(len(models), "model"), counted(n_votes, "vote") + whose]),
        _first(models) + _shown_place(of_question(data.preferences, name).to_dicts()),
        _models_table(models),
        _figures_table(of_question(data.preferences, name).to_dicts()),
    )


def _first(models: list[Row]) -> Markup:
    """Name the models that may be the best: no other model is surely above them."""
    front = [row for row in models if finite(row["rank_low"]) == 1]
    if not front:
        return Markup()
    if len(front) == 1:
        return Markup("<strong>{}</strong> is ahead of the other models").format(foreign(front[0]["model"], 60))
    highest = [row for row in front if finite(row["rank"]) == finite(front[0]["rank"])]
    if len(highest) > 1:
        rest = len(front) - len(highest)
        others = Markup("; {} may be as strong").format(counted(rest, "other model")) if rest else ""
        return Markup("{} share the highest strength{}").format(counted(len(highest), "model"), others)
    return Markup("<strong>{}</strong> has the highest strength; {} may be as strong").format(
        foreign(front[0]["model"], 60), counted(len(front) - 1, "other model")
    )


def _shown_place(figures: list[Row]) -> Markup:
    """Say that the strengths may show where the models were shown, if they may."""
    details = [str(row["detail"]) for row in figures if row["figure"] == "first_wins" and row["rater"] is None]
    begins = tuple(text[:20] for text in (ALL_IN_ONE_PLACE, ONE_ORDER, PLACE_IN_STRENGTHS))
    sentence = next((detail for detail in details if detail.startswith(begins)), "")
    return Markup(" ({})").format(sentence.removesuffix(".")) if sentence else Markup()


def _models_table(models: list[Row]) -> HtmlTable:
    ends = [end for row in models for key in ("strength", "low", "high") if (end := finite(row[key])) is not None]
    low, span = (min(ends), max(max(ends) - min(ends), 1e-9)) if ends else (0.0, 1.0)

    def place(value: object) -> float | None:
        figure = finite(value)
        return None if figure is None else (figure - low) / span

    def graphic(row: Row) -> Markup:
        if finite(row["strength"]) is None:
            return undefined(row["reason"], row["detail"])
        return whisker(*(place(row[key]) for key in ("strength", "low", "high")))

    columns = (
        number_column("Rank", lambda row: count(row["rank"])),
        text_column("Model", lambda row: foreign(row["model"], 80)),
        number_column("Strength", lambda row: number(row["strength"])),
        graphic_column(graphic),
        range_column(confidence(row["confidence"] for row in models), lambda row: interval(row["low"], row["high"])),
        range_column("Rank between", lambda row: _ranks(row["rank_low"], row["rank_high"])),
        number_column("Votes", lambda row: count(row["n_votes"])),
        number_column("Won", lambda row: count(row["n_wins"])),
        number_column("Lost", lambda row: count(row["n_losses"])),
        number_column("Tied", lambda row: count(row["n_ties"])),
    )
    note = f"The first {_MAX_ROWS} of {counted(len(models), 'model')}." if len(models) > _MAX_ROWS else ""
    return HtmlTable(columns, cells_of(columns, models[:_MAX_ROWS]), note)


def _ranks(low: int | None, high: int | None) -> str:
    if finite(low) is None:
        return ""
    return f"{count(low)}" if low == high else f"{count(low)}–{count(high)}"


def _figures_table(figures: list[Row]) -> HtmlTable | None:
    places = {figure: place for place, figure in enumerate(_FIGURES)}
    figures.sort(key=lambda row: (row["rater"] is not None, str(row["rater"]), places.get(row["figure"], 99)))
    columns = (
        text_column("Voter", lambda row: foreign(row["rater"], 80) if row["rater"] else "all"),
        text_column("Figure", lambda row: _FIGURES.get(row["figure"], foreign(row["figure"], 80))),
        number_column("Estimate", lambda row: number_or_reason(row["estimate"], row)),
        range_column(confidence(row["confidence"] for row in figures), lambda row: interval(row["low"], row["high"])),
        number_column("Votes", lambda row: count(row["n_votes"])),
        number_column("Comparisons", lambda row: count(row["n_comparisons"])),
    )
    shown = figures[:_MAX_ROWS]
    note = f"The first {_MAX_ROWS} of {counted(len(figures), 'figure')}." if len(figures) > _MAX_ROWS else ""
    return table_of(columns, shown, " ".join(filter(None, [width_note(shown), note])))
