"""Statements are parsed once in a process, and executed by any connection and thread."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import duckdb
import pytest

from warehouse import sql


@pytest.fixture(autouse=True)
def doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    """queries/doubled.sql: a statement that creates a table, and one that reads it."""
    text = "create or replace temp table doubled as select 2 * $number as number; select number + $more from doubled;"
    monkeypatch.setattr(sql, "texts", {"queries": {"doubled": text, "one": "select $number as number"}}.__getitem__)
    monkeypatch.setattr(sql, "_parsed", {})


def test_a_connection_executes_what_a_closed_one_has_parsed() -> None:
    for number in (1, 20):
        with closing(duckdb.connect()) as con:
            assert sql.value(con, "doubled", number=number, more=3) == 2 * number + 3
            assert sql.value(con, "doubled", number=7, more=0) == 14
            assert sql.frame(con, "one", number=number)["number"].to_list() == [number]


def test_threads_execute_the_same_statements_at_once() -> None:
    def values(thread: int) -> list[object]:
        with closing(duckdb.connect(config={"threads": 1})) as con:
            return [sql.value(con, "doubled", number=number, more=thread) for number in range(100)]

    with ThreadPoolExecutor(4) as pool:
        for thread, result in enumerate(pool.map(values, range(4))):
            assert result == [2 * number + thread for number in range(100)]


def test_a_missing_parameter_is_an_error_each_time() -> None:
    with closing(duckdb.connect()) as con:
        for _ in range(2):
            with pytest.raises(KeyError, match="more"):
                sql.value(con, "doubled", number=1)
