"""Measure votes on pairs of models: strengths, agreement of the voters, position bias, judges beside people."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from schemas.rating_columns import IS_GOLD, IS_HUMAN, IS_SYSTEM
from stats.preferences import (
    PreferenceStrengths,
    agreement_by_rater,
    judges_and_people,
    own_position_bias,
    place_in_strengths,
    position_bias,
    strengths,
    vote_agreement,
)
from stats.preferences.contrary_voters import ContraryVoter, contrary_voters
from stats.unnamed import name_nobody
from tasks.evaluate.question_config import QuestionConfig, kinds_as_declared

PEOPLE, SYSTEMS = "people", "systems"


@dataclass(frozen=True)
class PreferenceFigures:
    """The figures of some votes. `votes_of` says whose votes the strengths come from.

    position: of all these votes and of each of their raters, then of each system beside people, by its own votes. Those
    of all voters are by their own votes, too, if one of them contradicts the others.
    n_swapped: comparisons that a rater voted on in both orders; n_swapped_alike: those with the same winner.
    contrary: the voters who contradict the others.
    """

    votes_of: str
    strengths: PreferenceStrengths
    agreement: pl.DataFrame
    raters: pl.DataFrame
    position: pl.DataFrame
    judges: pl.DataFrame
    n_swapped: int
    n_swapped_alike: int
    notes: tuple[str, ...]
    contrary: tuple[ContraryVoter, ...] = ()


def preference_figures(votes: pl.DataFrame, *, confidence: float) -> PreferenceFigures:
    """Measure votes: the columns of `stats.preferences.VOTES` and rater_kind, one row per vote that counts.

    The strengths come from people's votes if there are any, else from systems'.
    """
    people = votes.filter(IS_HUMAN)
    systems = votes.filter(IS_SYSTEM)
    counted = people if people.height else systems
    judges = systems["rater"].drop_nulls().unique().sort().to_list() if people.height else []
    model_strengths = strengths(counted, confidence=confidence)
    contrary = tuple(contrary_voters(counted, confidence=confidence))
    position = position_bias(counted, confidence=confidence)
    if contrary:
        position = _fitted_alone(position, counted, confidence)
    place = (
        place_in_strengths(counted, model_strengths.models, position.row(0, named=True)) if position.height else None
    )
    return PreferenceFigures(
        PEOPLE if people.height else SYSTEMS,
        model_strengths,
        vote_agreement(counted, confidence=confidence),
        agreement_by_rater(counted, confidence=confidence),
        pl.concat(
            [
                _with_place(position, place),
                own_position_bias(systems, raters=judges, confidence=confidence),
            ]
        ),
        judges_and_people(votes, judges=judges, confidence=confidence),
        *_swapped(votes),
        (
            *_notes(model_strengths, counted, people, systems),
            *([place] if place else []),
            *(each.sentence for each in contrary),
        ),
        contrary,
    )


def _with_place(position: pl.DataFrame, place: str | None) -> pl.DataFrame:
    """Add the sentence on the place to the row of all votes."""
    if place is None:
        return position
    return position.with_columns(detail=pl.when(pl.col("rater").is_null()).then(pl.lit(place)).otherwise("detail"))


def _fitted_alone(position: pl.DataFrame, votes: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Fit the bias of each voter by this voter's votes alone, where one of them contradicts the others.

    The strengths of all suit none of them then: votes for a model that is often shown first look like a bias.
    """
    voters = position["rater"].drop_nulls().to_list()
    alone = own_position_bias(votes, raters=voters, confidence=confidence)
    return pl.concat([position.filter(pl.col("rater").is_null()), alone])


def _with_contrary(raters: pl.DataFrame, contrary: Sequence[ContraryVoter]) -> pl.DataFrame:
    """Add to the row of a voter that this voter contradicts others."""
    for each in contrary:
        is_named = pl.col("rater").is_in(each.voters) & pl.col("reason").is_null()
        detail = pl.when(is_named).then(pl.lit(each.sentence_without_names)).otherwise("detail")
        raters = raters.with_columns(detail=detail.cast(pl.String))
    return raters


def preference_tables(
    question: str, votes: pl.DataFrame, config: QuestionConfig, confidence: float
) -> tuple[dict[str, pl.DataFrame], tuple[str, ...]]:
    """Return the tables model_strengths and preference_figures of a question, and notes for their reader.

    `votes` are as `warehouse.questions.votes_of` reads them. `vote #1` of two items may be two people, so such votes do
    not identify a voter.
    """
    votes_without_gold = kinds_as_declared(votes, config).filter(~IS_GOLD)
    names = votes_without_gold["rater"].unique().to_list()
    nobody = [name for name in names if name_nobody([name])]
    by_raters = votes_without_gold.with_columns(pl.when(~pl.col("rater").is_in(nobody)).then("rater").alias("rater"))
    if by_raters.is_empty():
        return {}, (f"{question}: no person and no system voted.",)
    results = preference_figures(by_raters, confidence=confidence)
    models = results.strengths.models.with_columns(
        votes_of=pl.lit(results.votes_of),
        interval_method=pl.lit(results.strengths.interval_method),
        confidence=pl.lit(confidence),
    )
    figures = pl.concat(_figure_tables(results), how="diagonal_relaxed").with_columns(confidence=pl.lit(confidence))
    tables = {"model_strengths": models, "preference_figures": figures}
    return tables, tuple(f"{question}: {note}" for note in results.notes)


FIGURES: dict[str, type[pl.DataType]] = {
    "figure": pl.String,
    "rater": pl.String,
    "estimate": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n_votes": pl.Int64,
    "n_comparisons": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
}


def _figure_tables(results: PreferenceFigures) -> list[pl.DataFrame]:
    """Return the figures, each kind of figure as a frame of FIGURES."""
    agreement = results.agreement.rename({"name": "figure"})
    raters = (
        _with_contrary(results.raters, results.contrary)
        .rename({"agreement": "estimate"})
        .with_columns(figure=pl.lit("agreement_with_others"))
    )
    position = results.position.rename({"first_wins": "estimate"}).with_columns(figure=pl.lit("first_wins"))
    judges = [
        results.judges.select(
            pl.lit(figure).alias("figure"),
            pl.col("judge").alias("rater"),
            pl.col(column).alias("estimate"),
            pl.col(low).alias("low"),
            pl.col(low.replace("low", "high")).alias("high"),
            pl.col(n).alias("n_comparisons"),
            pl.when(pl.col(column).is_null() | pl.col(low).is_null()).then("reason").alias("reason"),
            pl.when(pl.col(column).is_null() | pl.col(low).is_null()).then("detail").alias("detail"),
        )
        for figure, column, low, n in JUDGES
    ]
    ties = results.strengths
    rows = []
    if ties.tie_parameter is not None:
        undefined = ties.tie_low is None
        rows.append(
            {
                "figure": "tie_parameter",
                "estimate": ties.tie_parameter,
                "low": ties.tie_low,
                "high": ties.tie_high,
                "reason": "too_few_items" if undefined else None,
                "detail": "All votes are on one item." if undefined else None,
            }
        )
    frames = [agreement, raters, position, *judges, pl.DataFrame(rows, schema=FIGURES)]
    return [frame.select(name for name in FIGURES if name in frame.columns) for frame in frames if frame.height]


JUDGES = (
    ("agreement_with_people", "agreement", "low", "n_comparisons"),
    ("people_on_the_same", "people", "people_low", "n_with_several_people"),
    ("difference_to_people", "difference", "difference_low", "n_with_several_people"),
)
"""Figure, its column and lower end in the table of judges, and the comparisons behind it."""


def _swapped(votes: pl.DataFrame) -> tuple[int, int]:
    """Count the comparisons that a rater voted on in both orders, and those on which the winner was the same."""
    low = pl.min_horizontal("first", "second")
    winner = pl.when(pl.col("outcome") == "tie").then(pl.lit(None)).when(pl.col("outcome") == "first")
    keyed = votes.filter(pl.col("rater").is_not_null()).select(
        "item",
        "rater",
        low.alias("low"),
        pl.max_horizontal("first", "second").alias("high"),
        winner.then("first").otherwise("second").fill_null("").alias("winner"),
        (pl.col("first") == low).alias("order"),
    )
    both_orders = keyed.group_by("item", "rater", "low", "high").agg(
        pl.col("order").n_unique().alias("orders"), pl.col("winner").n_unique().alias("winners")
    )
    both_orders = both_orders.filter(pl.col("orders") == 2)
    return both_orders.height, both_orders.filter(pl.col("winners") == 1).height


def _notes(
    model_strengths: PreferenceStrengths, counted: pl.DataFrame, people: pl.DataFrame, systems: pl.DataFrame
) -> tuple[str, ...]:
    notes = []
    if people.height and systems.height:
        notes.append(f"The strengths come from the votes of people ({people.height:,}), not from those of systems.")
    if model_strengths.n_groups > 1 and model_strengths.models["strength"].is_not_null().any():
        notes.append(
            "Some models are not linked to the others by wins in both directions. The strengths come from the votes "
            "among the largest group that is, and are relative to its mean."
        )
    if model_strengths.interval_method == "information" and counted.height:
        notes.append("Intervals assume that votes are independent: no item has two.")
    return tuple(notes)
