"""Measure how far raters agree on answers that are not labels: rankings of options, and texts."""

from stats.answers.pair_figures import answer_agreement, answers_by_pair
from stats.answers.rankings import RANKS, ranking_distances
from stats.answers.texts import TEXTS, text_distances

__all__ = ["RANKS", "TEXTS", "answer_agreement", "answers_by_pair", "ranking_distances", "text_distances"]
