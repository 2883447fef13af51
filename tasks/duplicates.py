"""Which of several ratings by one rater, on one item and question, counts: the rule of the question."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from tasks.errors import ReadError

RULES = ("latest", "first", "error", "repeats")
SAME = ("question", "item", "rater")


@dataclass(frozen=True)
class Duplicates:
    """The rule of one question; `once` names its systems and gold raters, whose readings are never repeats."""

    rule: str = "latest"
    once: frozenset[str] = frozenset()


def rules_of_warehouse(rules: Mapping[str, Duplicates]) -> dict[str, str]:
    """The rules as the warehouse takes them: repeats are raters of their own by then, and under the usual rule."""
    return {question: one.rule for question, one in rules.items() if one.rule != "repeats"}


def number_repeats(ratings: pl.DataFrame, rules: Mapping[str, Duplicates]) -> pl.DataFrame:
    """Where the rule is `repeats`: the second reading of an item by a person in this file is by 'NAME #2', and so on.

    The order is that of the times, then of the rows; readings without a time come last. Raises ReadError where the
    file has a rater of that name.

    >>> rated = pl.DataFrame({"question": "q", "item": "1", "rater": ["ann", "bob", "ann"], "rater_kind": "human",
    ...                       "rated_at": None, "row_number": [2, 3, 4]})
    >>> number_repeats(rated, {"q": Duplicates("repeats")})["rater"].to_list()
    ['ann', 'bob', 'ann #2']
    """
    repeated = {question: one for question, one in rules.items() if one.rule == "repeats"}
    if not repeated or ratings.is_empty():
        return ratings
    ratings = ratings.with_columns(pl.col("rater").cast(pl.String))  # of a large file they were numbered
    counts = pl.any_horizontal(
        (pl.col("question") == question) & ~pl.col("rater").is_in(sorted(one.once))
        for question, one in repeated.items()
    ) & (pl.col("rater_kind") == "human")
    number = pl.int_range(1, pl.len() + 1).over(SAME)
    name = pl.when(counts & (number > 1)).then(pl.format("{} #{}", "rater", number)).otherwise("rater")
    in_time = ratings.with_row_index("place").sort("rated_at", "row_number", "place", nulls_last=True)
    numbered = in_time.with_columns(name.alias("numbered")).sort("place").drop("place")
    new = numbered.filter(pl.col("numbered") != pl.col("rater")).select("question", rater="numbered").unique()
    if (taken := new.join(ratings, on=["question", "rater"], how="semi")).height:
        question, rater = taken.sort("question", "rater").row(0)
        raise ReadError(
            f"The file has a rater {rater!r}, but that is the name for a repeated reading of {question!r}.",
            "Rename the rater, or choose another rule for `duplicates` in kappaflow.toml.",
        )
    return numbered.with_columns(rater="numbered").drop("numbered")
