"""Ratings that were stored under an alias end as if the alias had been known from the start."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse.batches import BatchCounts
from warehouse.maintenance.integrity import run_checks
from warehouse.patterns import question_patterns
from warehouse.raters.rater_aliases import RenamedRatings, rename_stored

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ALIASES = {"ann@lab": "ann", "a7": "ann"}


def row(rater: str, label: str, hours: int | None = None, item: str = "i") -> dict[str, object]:
    return {
        "item": item,
        "rater": rater,
        "label": label,
        "rated_at": None if hours is None else NOON - timedelta(hours=hours),
    }


def in_force(con: Con, question: str = "q") -> list[tuple[str, str, str]]:
    query = "select item, rater, label from current_ratings where question = ? order by all"
    return con.execute(query, [question]).fetchall()


def unsound(con: Con) -> dict[str, int]:
    return {name: rows.height for name, rows in run_checks(con).items() if rows.height}


@pytest.mark.parametrize(
    ("rule", "label"), [("latest", "B"), ("first", "A"), ("error", "B")], ids=["latest", "first", "error"]
)
def test_two_names_that_rated_one_item_are_duplicates(con: Con, store: Store, rule: str, label: str) -> None:
    store(con, "b1", [row("ann@lab", "B", 3), row("bob", "A", 3)])
    store(con, "b2", [row("ann", "A", 5), row("ann", "C", 1, "j")])
    assert rename_stored(con, ALIASES, {"q": rule}) == [RenamedRatings("q", 1, 1)]
    assert in_force(con) == [("i", "ann", label), ("i", "bob", "A"), ("j", "ann", "C")]
    assert con.sql("select count(*) from ratings").fetchall() == [(4,)]  # nothing is lost
    assert con.sql("select rater, name_in_file from ratings where name_in_file is not null").fetchall() == [
        ("ann", "ann@lab")
    ]
    assert unsound(con) == {}


@pytest.mark.parametrize(("first", "second"), [(-90, 3), (3, -90)], ids=["wrong first", "right first"])
def test_a_right_date_outranks_one_in_the_future(con: Con, store: Store, first: int, second: int) -> None:
    store(con, "b1", [row("ann@lab", "A", first)])
    store(con, "b2", [row("ann", "A", second)])
    rename_stored(con, ALIASES, {})
    assert con.sql("select rater, label, rated_at from current_ratings").fetchall() == [
        ("ann", "A", NOON - timedelta(hours=3))
    ]
    assert unsound(con) == {}


def test_it_happens_once_and_makes_the_question_due(con: Con, store: Store) -> None:
    store(con, "b1", [row("a7", "B"), row("bob", "A")])
    store(con, "b2", [{**row("bob", "A"), "question": "other"}])
    revisions = "select question, revision from internal.questions order by question"
    before = dict(con.sql(revisions).fetchall())
    assert [each.question for each in rename_stored(con, ALIASES, {})] == ["q"]
    assert dict(con.sql(revisions).fetchall()) == {"q": before["q"] + 1, "other": before["other"]}
    assert rename_stored(con, ALIASES, {}) == []
    assert sorted(set(question_patterns(con, "q")["rater"])) == ["ann", "bob"]


def test_each_reading_counts_under_repeats(con: Con, store: Store) -> None:
    store(con, "b1", [row("ann", "A"), row("ann #2", "B"), row("a7", "C", item="j"), row("a7 #2", "D", item="j")])
    store(con, "b2", [row("ann@lab", "C"), row("a7", "D"), row("a7 #2", "E")])
    rename_stored(con, ALIASES, {"q": "repeats"})
    assert in_force(con) == [
        ("i", "ann", "A"), ("i", "ann #2", "B"), ("i", "ann #3", "D"), ("i", "ann #4", "C"), ("i", "ann #5", "E"),
        ("j", "ann", "C"), ("j", "ann #2", "D"),
    ]  # fmt: skip
    assert unsound(con) == {}


def test_a_change_accepted_as_the_new_normal_goes_with_the_rater(con: Con, store: Store) -> None:
    store(con, "b1", [row("a7", "B")])
    con.execute("insert into accepted_changes values ('q', 'rater', 'a7', '2026-03-01', now(), null, 'x')")
    con.execute("insert into accepted_changes values ('q', 'labels', 'a7', '2026-03-01', now(), null, 'y')")
    rename_stored(con, ALIASES, {})
    assert con.sql("select subject from accepted_changes order by kind").fetchall() == [("a7",), ("ann",)]


BATCHES = st.lists(
    st.lists(
        st.builds(
            row, st.sampled_from(["ann", "ann@lab", "bob"]), st.sampled_from("AB"),
            st.none() | st.integers(-3, 30) | st.just(-90), st.sampled_from("ij"),
        ),
        min_size=1, max_size=5,
    ),
    min_size=1, max_size=4,
)  # fmt: skip


@given(batches=BATCHES, rule=st.sampled_from(["latest", "first"]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_past_and_the_present_are_those_of_one_rater(con: Con, store: Store, batches: list, rule: str) -> None:
    """`late` learns of the alias at the end, `early` knew it from the start."""
    names = [
        f"{kind}{con.sql('select count(*) from internal.questions').fetchall()[0][0]}" for kind in ("late", "early")
    ]
    rules = dict.fromkeys(names, rule)
    times = [NOON + timedelta(hours=number) for number in range(len(batches))]
    for number, (rows, at) in enumerate(zip(batches, times, strict=True)):
        late, early = ([{**each, "question": name} for each in rows] for name in names)
        early = [{**each, "rater": ALIASES.get(str(each["rater"]), each["rater"])} for each in early]
        store(con, f"{names[0]}-{number}", [*late, *early], at=at, rules=rules)
    rename_stored(con, ALIASES, rules)
    past = "select item, rater, label from ratings_as_of(?, ?::timestamptz) order by all"
    for at in times:
        late, early = (con.execute(past, [name, at + timedelta(minutes=30)]).fetchall() for name in names)
        assert late == early
    assert unsound(con) == {}
