"""Find the voters on pairs of models who contradict the others, in the stored figures."""

from typing import Any

import polars as pl


def contrary_voter_rows(preferences: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of voters who contradict the others, by question and rater.

    `preferences` are rows of `latest_preference_figures`. Such a voter has a figure, and the detail beside it says who
    contradicts whom (`stats.preferences.contrary_voters`).
    """
    if preferences.is_empty():
        return []
    rows = preferences.filter(
        pl.col("figure") == "agreement_with_others", pl.col("detail").str.contains(" contradicts? ")
    )
    return rows.sort("question", "rater").to_dicts()


def contrary_voter_sentences(preferences: pl.DataFrame) -> list[str]:
    """Say which voters contradict the others, with their question."""
    return [f"{row['question']}, {row['rater']}: {row['detail']}" for row in contrary_voter_rows(preferences)]
