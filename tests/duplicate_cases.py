"""What each rule for duplicates leaves: one table of cases for the warehouse and for single files."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class DuplicateCase:
    """Ratings of one item by one rater in one file, as (label, hours ago or None), and the labels that then count.

    `refused` is the number of rows that the rule `error` rejects.
    """

    name: str
    rows: Sequence[tuple[str, int | None]]
    latest: str
    first: str
    error: str
    refused: int


CASES = (
    DuplicateCase("one rating", [("A", None)], "A", "A", "A", 0),
    DuplicateCase("by time", [("A", 5), ("B", 3)], "B", "A", "A", 1),
    DuplicateCase("by time, the newest row first", [("B", 3), ("A", 5)], "B", "A", "B", 1),
    DuplicateCase("without times, by row", [("A", None), ("B", None)], "B", "A", "A", 1),
    DuplicateCase("at the same time, by row", [("A", 3), ("B", 3)], "B", "A", "A", 1),
    DuplicateCase("no time counts as now", [("A", None), ("B", 3)], "A", "B", "A", 1),
    DuplicateCase("the future counts as now", [("A", -3), ("B", 3)], "A", "B", "A", 1),
    DuplicateCase("the future is after no time", [("A", -3), ("B", None)], "A", "B", "A", 1),
    DuplicateCase("two in the future, by time", [("A", -3), ("B", -2)], "A", "B", "A", 1),
    DuplicateCase("a date far ahead was wrong", [("A", -300), ("A", 3)], "A", "A", "A", 1),
    DuplicateCase("back, far ahead", [("A", 5), ("B", 4), ("A", -300)], "A", "A", "A", 2),
    DuplicateCase("a day ahead may be right", [("B", 3), ("A", -24)], "A", "B", "B", 1),
    DuplicateCase("a day ahead, then far ahead", [("B", 3), ("A", -24), ("B", -300)], "B", "B", "B", 2),
    DuplicateCase("a day and a half ahead is wrong", [("B", 3), ("A", -36), ("B", -300)], "A", "B", "B", 2),
    DuplicateCase("two ahead, one with its right date", [("A", 3), ("B", -30), ("A", -36)], "B", "A", "A", 2),
    DuplicateCase("two ahead, then far ahead", [("A", -3), ("B", -2), ("B", -300)], "B", "B", "A", 2),
    DuplicateCase("two at one time, then far ahead", [("A", 3), ("B", 3), ("A", -300)], "A", "A", "A", 2),
    DuplicateCase("a repeated label is no second rating", [("A", None), ("A", None)], "A", "A", "A", 0),
    DuplicateCase("a repeated row with its time is none", [("A", 3), ("B", 5), ("A", 3)], "A", "B", "A", 1),
    DuplicateCase("there and back without times", [("A", None), ("B", None), ("A", None)], "A", "A", "A", 2),
    DuplicateCase("there and back with times", [("A", 5), ("B", 4), ("A", 3)], "A", "A", "A", 2),
    DuplicateCase("a label without a time repeats the one before", [("A", None), ("A", 3)], "A", "A", "A", 0),
)
