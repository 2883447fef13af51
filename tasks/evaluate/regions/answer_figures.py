"""Compute the agreement on the rankings or texts of a question: over all raters, and by pair of raters."""

import json
from dataclasses import dataclass
from typing import Any

import polars as pl

from stats.answers import RANKS, TEXTS, answer_agreement, answers_by_pair, ranking_distances, text_distances
from stats.answers.rankings import comparable_items
from stats.item_distances import distances_of_answers

RANKING, TEXT = "ranking", "text"
OTHER_OPTIONS = "{question}: items left out because their raters put different options in order: {n:,}."
IS_ANSWER = pl.col("regions").str.starts_with("{")
"""Whether the work of a rater is a ranking or a text: an object, and no array of spans and boxes."""


@dataclass(frozen=True)
class PeoplesAnswers:
    """The answers of the people of a question, as they are compared.

    `distances` has a row per item and pair (`stats.answers`), `concordance` Kendall's W of each item, null for texts.
    n_left_out counts the items whose raters put different options in order.
    """

    kinds: frozenset[str]
    distances: pl.DataFrame
    concordance: pl.DataFrame | None = None
    n_left_out: int = 0

    def item_distances(self) -> pl.DataFrame:
        """Return the distances as `stats.item_distances` keeps them."""
        return distances_of_answers(self.distances, self.concordance)


def peoples_answers(people: pl.DataFrame) -> PeoplesAnswers:
    """Compare the answers of people (item, rater, regions). Of two kinds of answers nothing is compared."""
    rows = [(item, rater, *_answer(text)) for item, rater, text in people.select("item", "rater", "regions").rows()]
    kinds = frozenset(kind for _, _, kind, _ in rows)
    if kinds == {TEXT}:
        texts = pl.DataFrame([(item, rater, text) for item, rater, _, text in rows], schema=TEXTS, orient="row")
        return PeoplesAnswers(kinds, text_distances(texts))
    ranked = [
        (item, rater, option, rank) for item, rater, kind, ranks in rows if kind == RANKING for option, rank in ranks
    ]
    ranks = pl.DataFrame(ranked, schema=RANKS, orient="row", strict=False)
    distances, concordance = ranking_distances(ranks)
    several = people.group_by("item").len().filter(pl.col("len") > 1).height
    left_out = several - comparable_items(ranks).height if kinds == {RANKING} else 0
    return PeoplesAnswers(kinds, distances, concordance, left_out)


def answer_rows(answers: PeoplesAnswers, confidence: float) -> list[dict[str, Any]]:
    """Return the rows of the table region_agreement, without those columns that are null."""
    overall = answer_agreement(answers.distances, concordance=answers.concordance, confidence=confidence).to_dicts()
    pairs = answers_by_pair(answers.distances, confidence=confidence).to_dicts()
    return [{**row, "coefficient": row.get("coefficient") or row["name"], "n_regions": 0} for row in (*overall, *pairs)]


def _answer(text: str) -> tuple[str, Any]:
    held = json.loads(text)
    return (RANKING, held[RANKING]) if RANKING in held else (TEXT, held[TEXT])
