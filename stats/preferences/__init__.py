"""Measure pairwise preferences: strengths of models, agreement of raters, position bias, judges against people."""

from stats.preferences.bradley_terry import PreferenceStrengths, strengths
from stats.preferences.judges_and_people import judges_and_people
from stats.preferences.position_bias import own_position_bias, position_bias
from stats.preferences.shown_place import place_in_strengths
from stats.preferences.vote_agreement import agreement_by_rater, vote_agreement
from stats.preferences.vote_table import OUTCOMES, VOTES

__all__ = [
    "OUTCOMES",
    "VOTES",
    "PreferenceStrengths",
    "agreement_by_rater",
    "judges_and_people",
    "own_position_bias",
    "place_in_strengths",
    "position_bias",
    "strengths",
    "vote_agreement",
]
