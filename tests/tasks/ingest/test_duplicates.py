"""The rules for duplicates in one file, and repeats: several readings of an item by one person (Dawid and Skene)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.errors import ReadError
from tasks.ingest.duplicates import RULES, DuplicateRule, choose_current, number_repeats, rules_of_warehouse
from tasks.ingest.validate import RATINGS
from tests.duplicate_cases import CASES, DuplicateCase
from tests.warehouse.conftest import con, path, store, warehouse  # noqa: F401
from warehouse.batches import BatchCounts

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
numbers = count(1)

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
    result = number_repeats(ratings, REPEATS)
    assert result.drop("rater").equals(ratings.drop("rater"))
    assert number_repeats(frame(), REPEATS).is_empty()


def test_a_rater_who_has_the_name_already_is_said() -> None:
    with pytest.raises(ReadError, match=r"has a rater 'ann #2'"):
        raters({}, {}, {"rater": "ann #2"})
    assert raters({}, {}, {"rater": "ann #2", "question": "r"}) == ["ann", "ann #2", "ann #2"]


def test_the_warehouse_has_the_other_rules() -> None:
    rules = {rule: DuplicateRule(rule) for rule in RULES}
    assert rules_of_warehouse(rules) == {"latest": "latest", "first": "first", "error": "error"}


def rated(label: str, hours: int | None, **more: Any) -> dict[str, Any]:
    return {"label": label, "rated_at": None if hours is None else NOON - timedelta(hours=hours), **more}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("rule", ["latest", "first", "error"])
def test_the_table_of_cases(case: DuplicateCase, rule: str) -> None:
    chosen = choose_current(frame(*(rated(label, hours) for label, hours in case.rows)), rule, now=NOON)
    assert chosen.current["label"].to_list() == [getattr(case, rule)]
    assert chosen.n_other + chosen.n_repeated == len(case.rows) - 1
    assert rule != "error" or chosen.n_other == case.refused


RATED = st.tuples(
    st.sampled_from("ij"), st.sampled_from(["ann", "bob"]), st.sampled_from("AB"),
    st.sampled_from([None, None, -90, -2, 1, 2]), st.sampled_from([None, "v1"]),
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(RATED, max_size=7), rule=st.sampled_from(["latest", "first", "error"]))
def test_a_file_and_a_warehouse_choose_the_same(
    con: duckdb.DuckDBPyConnection,  # noqa: F811
    store: Callable[..., BatchCounts],  # noqa: F811
    rows: list[tuple[str, str, str, int | None, str | None]],
    rule: str,
) -> None:
    question = f"q{next(numbers)}"
    dicts = [
        rated(label, hours, item=item, rater=rater, system_version=version, question=question, row_number=place)
        for place, (item, rater, label, hours, version) in enumerate(rows)
    ]
    counts = store(con, question, dicts, rules={question: rule})
    query = "select item, rater, label, system_version, rated_at from current_ratings where question = ?"
    chosen = choose_current(frame(*dicts), rule, now=NOON)
    columns = ("item", "rater", "label", "system_version", "rated_at")
    assert sorted(chosen.current.select(columns).rows(), key=str) == sorted(
        con.execute(query, [question]).fetchall(), key=str
    )
    assert chosen.n_repeated == counts.n_unchanged
    assert (chosen.n_other if rule == "error" else 0) == counts.n_rejected
