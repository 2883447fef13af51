"""Apply the rule of a question for several ratings of one item by one rater."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from schemas.rating_columns import DUPLICATE_RULES
from tasks.errors import ReadError

RULES = (*DUPLICATE_RULES, "repeats")
SAME = ("question", "item", "rater")


@dataclass(frozen=True)
class DuplicateRule:
    """The rule of one question. `once` names its systems and gold raters; their ratings are never repeats."""

    rule: str = "latest"
    once: frozenset[str] = frozenset()


def rules_of_warehouse(rules: Mapping[str, DuplicateRule]) -> dict[str, str]:
    """Return the rules for the warehouse, without `repeats`.

    Repeats are stored as separate raters (see `number_repeats`), so the default rule applies to them.
    """
    return {question: rule.rule for question, rule in rules.items() if rule.rule != "repeats"}


def number_repeats(ratings: pl.DataFrame, rules: Mapping[str, DuplicateRule]) -> pl.DataFrame:
    """Rename raters who rated an item several times in this file, where the rule is `repeats`.

    The second rating of an item by a human rater is by 'NAME #2', the third by 'NAME #3', and so on. Ratings are
    ordered by time, then by row; those without a time come last. Raises ReadError if the file has a rater of that name.

    >>> rated = pl.DataFrame({"question": "q", "item": "1", "rater": ["ann", "bob", "ann"], "rater_kind": "human",
    ...                       "rated_at": None, "row_number": [2, 3, 4]})
    >>> number_repeats(rated, {"q": DuplicateRule("repeats")})["rater"].to_list()
    ['ann', 'bob', 'ann #2']
    """
    repeated = {question: rule for question, rule in rules.items() if rule.rule == "repeats"}
    if not repeated or ratings.is_empty():
        return ratings
    ratings = ratings.with_columns(pl.col("rater").cast(pl.String))  # the ratings of a large file are Categorical
    counts = pl.any_horizontal(
        (pl.col("question") == question) & ~pl.col("rater").is_in(sorted(rule.once))
        for question, rule in repeated.items()
    ) & (pl.col("rater_kind") == "human")
    number = pl.int_range(1, pl.len() + 1).over(SAME)
    name = pl.when(counts & (number > 1)).then(pl.format("{} #{}", "rater", number)).otherwise("rater")
    by_time = ratings.with_row_index("place").sort("rated_at", "row_number", "place", nulls_last=True)
    numbered = by_time.with_columns(name.alias("numbered")).sort("place").drop("place")
    new = numbered.filter(pl.col("numbered") != pl.col("rater")).select("question", rater="numbered").unique()
    if (name_clashes := new.join(ratings, on=["question", "rater"], how="semi")).height:
        question, rater = name_clashes.sort("question", "rater").row(0)
        raise ReadError(
            f"The file has a rater {rater!r}, but that is the name for a repeated reading of {question!r}.",
            "Rename the rater, or choose another rule for `duplicates` in kappaflow.toml.",
        )
    return numbered.with_columns(rater="numbered").drop("numbered")
