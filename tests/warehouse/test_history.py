"""The past of a question: the ratings that were in force at a moment, and what each version of a system said."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from warehouse.batches import BatchCounts
from warehouse.questions import ratings_as_of, rows_of_run, runs_like, system_versions
from warehouse.runs.run_results import Run, start_run

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def row(rater: str, label: str, **more: object) -> dict[str, object]:
    return {"item": "i", "rater": rater, "label": label, **more}


def test_ratings_are_those_that_were_in_force(con: Con, store: Store) -> None:
    store(con, "b1", [row("ann", "A")], at=NOON)
    store(con, "b2", [row("ann", "B"), row("bob", "B")], at=NOON + 2 * HOUR)

    def at(moment: datetime) -> list[tuple[str, str]]:
        return sorted(ratings_as_of(con, "q", moment).select("rater", "label").rows())

    assert at(NOON - HOUR) == []
    assert at(NOON) == [("ann", "A")]
    assert at(NOON + HOUR) == [("ann", "A")]
    assert at(NOON + 2 * HOUR) == [("ann", "B"), ("bob", "B")]
    assert ratings_as_of(con, "other", NOON).is_empty()


def test_each_version_keeps_its_own_answer(con: Con, store: Store) -> None:
    system = {"rater_kind": "system"}
    one, two = {**system, "system_version": "v1"}, {**system, "system_version": "v2"}
    store(con, "b1", [row("bot", "A", **one), row("old", "A", **one), row("ann", "A")], at=NOON)
    store(con, "b2", [row("bot", "C", **one)], at=NOON + HOUR)
    store(con, "b3", [row("bot", "B", **two)], at=NOON + 2 * HOUR)
    found = system_versions(con, "q").select("item", "rater", "system_version", "label").rows()
    assert found == [("i", "bot", "v1", "C"), ("i", "bot", "v2", "B")]
    # before the second version there was nothing to compare
    assert system_versions(con, "q", NOON + HOUR).is_empty()


def test_a_version_is_as_old_as_its_first_answer(con: Con, store: Store) -> None:
    def answer(version: str, item: str, hours: int | None) -> dict[str, object]:
        at = None if hours is None else NOON + hours * HOUR
        return row("bot", "A", rater_kind="system", system_version=version, rated_at=at) | {"item": item}

    store(con, "b1", [answer("v1", "i", 2), answer("v1", "j", 1), answer("v1", "k", None)])
    store(con, "b2", [answer("v2", "i", 4), answer("v3", "i", None)])
    found = system_versions(con, "q").select("item", "system_version", "first_at").rows()
    first = NOON + HOUR
    assert found == [("i", "v1", first), ("i", "v2", NOON + 4 * HOUR), ("i", "v3", None), ("j", "v1", first),
                     ("k", "v1", first)]  # fmt: skip


def test_a_run_is_found_by_the_beginning_of_its_id(con: Con) -> None:
    for name in ("abc1", "abd2"):
        start_run(con, Run(run_id=name, kind="evaluate", question="q", code_version="1", started_at=NOON))
    assert [found["run_id"] for found in runs_like(con, "abc")] == ["abc1"]
    assert len(runs_like(con, "ab")) == 2
    assert runs_like(con, "x") == []
    assert rows_of_run(con, "agreement", "abc1").is_empty()


@pytest.mark.parametrize("hostile", ["%", "_", "abc1'; drop table runs; --"])
def test_a_hostile_id_is_only_a_text(con: Con, hostile: str) -> None:
    start_run(con, Run(run_id="abc1", kind="evaluate", question="q", code_version="1", started_at=NOON))
    assert runs_like(con, hostile) == []
