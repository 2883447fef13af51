"""What the tables of votes on models say of a voter who contradicts the others."""

import polars as pl

from tasks.evaluate.preference_figures import preference_figures, preference_tables
from tasks.evaluate.question_config import QuestionConfig
from tests.stats.preferences.test_contrary_voters import drawn


def test_a_contrary_voter_is_named_in_a_note_and_not_in_the_stored_detail() -> None:
    rated = drawn(1, {"dia": "reversed"}).with_columns(rater_kind=pl.lit("human"))
    figures = preference_figures(rated, confidence=0.95)
    (contrary,) = figures.contrary
    assert figures.notes[-1] == contrary.sentence
    tables, notes = preference_tables("duel", rated, QuestionConfig(), 0.95)
    assert notes[-1].startswith("duel: dia contradicts the others")
    rows = tables["preference_figures"].filter(figure="agreement_with_others")
    details = dict(rows.select("rater", "detail").rows())
    assert details == {"ann": None, "ben": None, "cem": None, "dia": contrary.sentence_without_names}
    assert rows["estimate"].null_count() == 0


def test_nobody_is_named_among_voters_who_agree() -> None:
    rated = drawn(1, {}).with_columns(rater_kind=pl.lit("human"))
    figures = preference_figures(rated, confidence=0.95)
    assert (figures.contrary, figures.notes) == ((), ())


def test_beside_a_contrary_voter_the_bias_of_each_is_fitted_by_the_own_votes() -> None:
    rated = drawn(1, {"dia": "reversed"})
    stronger_first = pl.col("first") < pl.col("second")  # the models are named in the order of their strengths
    shown_first = rated.filter(stronger_first | (pl.col("item").str.slice(-1) == "0")).with_columns(
        rater_kind=pl.lit("human")
    )
    rows = preference_figures(shown_first, confidence=0.95).position
    assert rows["rater"].to_list() == [None, "ann", "ben", "cem", "dia"]
    for row in rows.filter(pl.col("rater").is_not_null()).to_dicts():  # nobody prefers a place
        assert row["low"] < 0.5 < row["high"], row
