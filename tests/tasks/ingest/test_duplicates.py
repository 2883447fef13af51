"""Repeats: several readings of an item by one person, as Dawid and Skene have them."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.ingest.duplicates import RULES, DuplicateRule, number_repeats, rules_of_warehouse
from tasks.ingest.validate import RATINGS

REPEATS = {"q": DuplicateRule("repeats", frozenset({"bot"}))}


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    common = {"question": "q", "item": "1", "rater": "ann", "rater_kind": "human", "label": "A"}
    return pl.DataFrame([common | {"row_number": n} | row for n, row in enumerate(rows)], schema=RATINGS)


def raters(*rows: dict[str, Any], rules: dict[str, DuplicateRule] = REPEATS) -> list[str]:
    return number_repeats(frame(*rows), rules)["rater"].to_list()


def test_readings_are_numbered_by_time_then_by_row() -> None:
    def at(day: int) -> dict[str, Any]:
        return {"rated_at": datetime(2026, 1, day, tzinfo=UTC)}

    assert raters({}, {}, {}) == ["ann", "ann #2", "ann #3"]
    assert raters({}, {"item": "2"}, {"rater": "bob"}) == ["ann", "ann", "bob"]
    assert raters(at(3), at(1), at(2)) == ["ann #3", "ann", "ann #2"]
    # Without a time they come last, in the order of their rows.
    assert raters({"row_number": 9}, at(1), {"row_number": 8}, at(1)) == ["ann #4", "ann", "ann #3", "ann #2"]


def test_systems_gold_and_other_questions_have_no_repeats() -> None:
    assert raters({"rater": "bot"}, {"rater": "bot"}) == ["bot", "bot"]
    assert raters({"rater_kind": "system"}, {"rater_kind": "system"}) == ["ann", "ann"]
    assert raters({"rater_kind": "gold"}, {"rater_kind": "gold"}) == ["ann", "ann"]
    assert raters({"question": "r"}, {"question": "r"}) == ["ann", "ann"]
    assert raters({}, {}, rules={"q": DuplicateRule("first")}) == ["ann", "ann"]


def test_nothing_else_changes() -> None:
    ratings = frame({}, {"label": "B", "score": 0.5}, {"item": "2"})
    found = number_repeats(ratings, REPEATS)
    assert found.drop("rater").equals(ratings.drop("rater"))
    assert number_repeats(frame(), REPEATS).is_empty()


def test_a_rater_who_has_the_name_already_is_said() -> None:
    with pytest.raises(ReadError, match=r"has a rater 'ann #2'"):
        raters({}, {}, {"rater": "ann #2"})
    assert raters({}, {}, {"rater": "ann #2", "question": "r"}) == ["ann", "ann #2", "ann #2"]


def test_the_warehouse_has_the_other_rules() -> None:
    rules = {rule: DuplicateRule(rule) for rule in RULES}
    assert rules_of_warehouse(rules) == {"latest": "latest", "first": "first", "error": "error"}
