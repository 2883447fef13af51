"""What a schedule leaves on the disk."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from prefect.server.database.configurations import AioSqliteConfiguration
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from flows.service import prefect_database
from flows.service.prefect_database import retention, shrink
from flows.service.prefect_server import wait_for_locks_at_the_beginning
from tests.flows.service.conftest import Served
from tests.growth.__main__ import locked
from tests.growth.measure import LIMIT, extrapolated, measure, write_ahead_log

RUNS = 40


@pytest.mark.field_trial(31)
@pytest.mark.xdist_group("prefect")
def test_a_week_of_quarter_hourly_runs_stays_under_50_mb(served: Served) -> None:
    """Extrapolated from 40; `make growth` makes all 672."""
    sizes = measure(served.project, served.port, RUNS)
    assert sizes[1] > sizes[0] + 200_000, "the runs were stored at all"
    assert extrapolated(sizes, RUNS) + write_ahead_log(served.project) < LIMIT
    assert locked(served.project, served.log) == 0


@pytest.mark.field_trial(31)
@pytest.mark.parametrize(
    ("every", "cron", "kept"),
    [
        (900, None, timedelta(days=3)),
        (60, None, timedelta(seconds=60 * 500)),
        (5, None, timedelta(hours=1, seconds=1)),
        (None, "0 6 * * *", timedelta(days=3)),
        (None, "* * * * *", timedelta(seconds=60 * 500)),
    ],
)
def test_runs_are_kept_for_three_days_or_about_500_of_them(
    every: int | None, cron: str | None, kept: timedelta
) -> None:
    assert retention(every, cron, "UTC") == kept


@pytest.mark.field_trial(31)
def test_a_database_that_grew_large_is_made_small_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefect_database, "MIN_SIZE_TO_SHRINK", 1_000_000)
    path = tmp_path / "prefect.db"
    with closing(sqlite3.connect(path)) as con:
        for table in ("events", "event_resources", "flow_run"):
            con.execute(f"create table {table} (content)")
        con.executemany("insert into events values (?)", [("x" * 1000,)] * 3000)
        con.execute("insert into flow_run values (1)")
        con.commit()
        con.execute("begin immediate")
        shrink(path)  # somebody else writes: not now
        assert path.stat().st_size > 3_000_000
        con.rollback()
    shrink(path)
    assert path.stat().st_size < 100_000
    with closing(sqlite3.connect(path)) as con:
        assert con.execute("select count(*) from flow_run").fetchone() == (1,)
    shrink(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


@pytest.mark.field_trial(31)
def test_transactions_that_read_and_then_write_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prefect's own fail at once, as 'database is locked', when another has written in between."""
    monkeypatch.setattr(AioSqliteConfiguration, "begin_transaction", AioSqliteConfiguration.begin_transaction)
    path = tmp_path / "prefect.db"
    with closing(sqlite3.connect(path)) as con:
        con.execute("create table runs (number)")

    async def read_and_write(config: AioSqliteConfiguration, number: int) -> None:
        async with await config.session(await config.engine()) as session, config.begin_transaction(session):
            await session.execute(text("select count(*) from runs"))
            await asyncio.sleep(0.05)
            await session.execute(text("insert into runs values (:number)"), {"number": number})

    async def six_at_once() -> int:
        config = AioSqliteConfiguration(f"sqlite+aiosqlite:///{path}")
        engine = await config.engine()
        try:
            result = await asyncio.gather(*(read_and_write(config, n) for n in range(6)), return_exceptions=True)
            return sum(isinstance(each, OperationalError) for each in result)
        finally:
            await engine.dispose()

    assert asyncio.run(six_at_once()) > 0, "else this test shows nothing"
    wait_for_locks_at_the_beginning()
    assert asyncio.run(six_at_once()) == 0
