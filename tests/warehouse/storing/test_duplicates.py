"""The rule of a question for two ratings of one item by one rater: latest, first, error."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.duplicate_cases import CASES, DuplicateCase
from warehouse.batches import REJECTS, BatchCounts
from warehouse.errors import WarehouseError
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import read_table

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
numbers = count(1)


def row(label: str, hours: int | None = None, item: str = "i", **more: object) -> dict[str, object]:
    rated_at = None if hours is None else NOON - timedelta(hours=hours)
    return {"item": item, "rater": "ann", "label": label, "rated_at": rated_at, **more}


def in_force(con: Con, question: str = "q") -> list[tuple[str, str]]:
    return con.execute("select item, label from current_ratings where question = ? order by all", [question]).fetchall()


def sound(con: Con) -> bool:
    return not {name for name, rows in run_checks(con).items() if rows.height}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("rule", ["latest", "first", "error"])
def test_the_table_of_cases(con: Con, store: Store, case: DuplicateCase, rule: str) -> None:
    counts = store(con, "b", [row(label, hours) for label, hours in case.rows], rules={"q": rule})
    assert in_force(con) == [("i", getattr(case, rule))]
    assert counts.n_rejected == (case.refused if rule == "error" else 0)
    assert sound(con)


@pytest.mark.parametrize(("rule", "stays"), [("latest", [("i", "B"), ("j", "B")]), ("first", [("i", "A"), ("j", "A")])])
def test_which_one_is_in_force(con: Con, store: Store, rule: str, stays: list[tuple[str, str]]) -> None:
    rules = {"q": rule}
    store(con, "b1", [row("A", 5), row("A", None, "j"), row("B", None, "j")], rules=rules)
    counts = store(con, "b2", [row("B", 3)], rules=rules)
    assert (counts.n_ratings, counts.n_rejected) == (1, 0)  # the other stays in the history
    assert in_force(con) == stays
    assert store(con, "b3", [row("B", 3), row("A", 5)], rules=rules).n_unchanged == 2
    assert sound(con)


@pytest.mark.parametrize(
    "batches", [[("A", -90), ("A", 3)], [("A", 3), ("A", -90)]], ids=["wrong first", "right first"]
)
def test_a_right_date_replaces_one_in_the_future(con: Con, store: Store, batches: list[tuple[str, int]]) -> None:
    for number, (label, hours) in enumerate(batches):
        store(con, f"b{number}", [row(label, hours)])
    rows = con.execute("select label, rated_at from current_ratings").fetchall()
    assert rows == [("A", NOON - timedelta(hours=3))]
    assert sound(con)


def test_a_date_in_the_future_counts_as_the_arrival_where_an_earlier_one_says_something_else(
    con: Con, store: Store
) -> None:
    store(con, "b1", [row("A", -90)])
    store(con, "b2", [row("B", 3)])
    assert in_force(con) == [("i", "A")]
    store(con, "b3", [row("B", -1)])  # after both
    assert in_force(con) == [("i", "B")]
    assert sound(con)


def test_the_first_is_the_one_given_first_also_when_it_arrives_later(con: Con, store: Store) -> None:
    store(con, "b1", [row("B", 3)], rules={"q": "first"})
    store(con, "b2", [row("A", 5)], rules={"q": "first"})
    assert in_force(con) == [("i", "A")]
    assert sound(con)


def test_a_second_rating_is_an_error_and_a_repeated_one_is_not(con: Con, store: Store) -> None:
    rules = {"q": "error"}
    rows = [row("B", None, row_number=2), row("A", None, row_number=3), row("A", None, "j", row_number=4)]
    counts = store(con, "b1", rows, rules=rules)
    assert (counts.n_ratings, counts.n_unchanged, counts.n_rejected) == (2, 0, 1)
    counts = store(con, "b2", [row("B"), row("C", None, "j", row_number=7)], rules=rules)
    assert (counts.n_ratings, counts.n_unchanged, counts.n_rejected) == (0, 1, 1)
    assert counts.questions == ()
    assert in_force(con) == [("i", "B"), ("j", "A")]
    result = read_table(con, "rejected_rows").sort("batch_id", "row_number")
    columns = ("batch_id", "row_number", "column_name", "value", "reason", "question", "item", "rater")
    assert result.select(columns).rows() == [
        ("b1", 3, "label", "A", "duplicate_rating", "q", "i", "ann"),
        ("b2", 7, "label", "C", "duplicate_rating", "q", "j", "ann"),
    ]
    assert sound(con)


@pytest.mark.parametrize("rule", ["latest", "first", "error"])
@pytest.mark.parametrize("hours", [[None, 3], [3, None]])
def test_of_two_rows_that_say_the_same_the_one_with_its_time_is_stored(
    con: Con, store: Store, rule: str, hours: list[int | None]
) -> None:
    rows = [row("A", given, row_number=place) for place, given in enumerate(hours, start=2)]
    counts = store(con, "b", rows, rules={"q": rule})
    assert (counts.n_ratings, counts.n_unchanged, counts.n_rejected) == (1, 1, 0)
    assert con.execute("select label, rated_at from ratings").fetchall() == [("A", NOON - timedelta(hours=3))]
    assert sound(con)


def test_each_question_has_its_own_rule(con: Con, store: Store) -> None:
    rules = {"q": "first", "r": "error"}
    rows = [row(label, question=question) for label in "AB" for question in "pqr"]
    counts = store(con, "b1", rows, rules=rules)
    assert (counts.n_ratings, counts.n_rejected) == (5, 1)
    assert {question: in_force(con, question)[0][1] for question in "pqr"} == {"p": "B", "q": "A", "r": "A"}
    with pytest.raises(WarehouseError, match="not 'newest'"):
        store(con, "b2", rows, rules={"q": "newest"})
    assert sound(con)


def test_a_second_rating_comes_in_once_the_rule_allows_it(con: Con, store: Store) -> None:
    rows = [row("A", row_number=1), row("B", row_number=2)]
    store(con, "b1", rows, rules={"q": "error"}, settings_hash="error")
    counts = store(con, "b1", rows, settings_hash="latest", retry=True)
    assert (counts.n_ratings, counts.n_rejected) == (2, 0)
    assert in_force(con) == [("i", "B")]
    assert sound(con)


ROWS_OF = (st.sampled_from("ij"), st.sampled_from("AB"), st.sampled_from([None, None, 1, 2, 30]))
ROWS = st.lists(st.tuples(*ROWS_OF), max_size=5)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(ROWS, min_size=1, max_size=4), rule=st.sampled_from(["latest", "first", "error"]))
def test_counts_add_up_and_the_warehouse_stays_sound(
    con: Con, store: Store, batches: list[list[tuple[str, str, int | None]]], rule: str
) -> None:
    """Also when each batch is then read again: that changes nothing."""
    question = f"q{next(numbers)}"
    for retry in (False, True):
        for number, rows in enumerate(batches):
            given_rows = [
                row(label, hours, item, question=question, row_number=place)
                for place, (item, label, hours) in enumerate(rows)
            ]
            counts = store(con, f"{question}/{number}", given_rows, rules={question: rule}, retry=retry,
                           settings_hash=str(retry))  # fmt: skip
            assert counts.n_ratings + counts.n_unchanged + counts.n_rejected == len(rows)
            assert not (retry and counts.questions)
    n_versions = con.execute("select count(*) from ratings where question = ? group by item", [question]).fetchall()
    assert rule != "error" or all(n == (1,) for n in n_versions)
    assert sound(con)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(st.lists(st.tuples(*ROWS_OF, st.booleans()), max_size=4), min_size=1, max_size=3),
    rule=st.sampled_from(["latest", "first"]),
    order=st.randoms(use_true_random=False),
)
def test_what_is_taken_in_late_leaves_the_same_in_force(
    con: Con, store: Store, batches: list[list[tuple[str, str, int | None, bool]]], rule: str, order: Random
) -> None:
    """Rows that are rejected at first, and taken in when all batches are there: as if they had passed at once."""
    late, at_once = f"q{next(numbers)}", f"q{next(numbers)}"
    rules = dict.fromkeys((late, at_once), rule)

    def rows(question: str, number: int, passing: bool) -> list[dict[str, object]]:
        return [
            row(label, hours, item, question=question, row_number=place)
            for place, (item, label, hours, passes) in enumerate(batches[number])
            if passes or not passing
        ]

    for number, batch in enumerate(batches):
        refused = pl.DataFrame(
            [{"row_number": place} for place, (*_, passes) in enumerate(batch) if not passes], schema=dict(REJECTS)
        )
        store(con, f"{late}/{number}", rows(late, number, True), rejects=refused, rules=rules, settings_hash="1")
        store(con, f"{at_once}/{number}", rows(at_once, number, False), rules=rules)
    for number in order.sample(range(len(batches)), len(batches)):
        store(con, f"{late}/{number}", rows(late, number, False), rules=rules, settings_hash="2", retry=True)
    assert in_force(con, late) == in_force(con, at_once)
