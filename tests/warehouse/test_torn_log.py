"""A loss of power tears the log: what was committed last is there whole or not at all, and can be taken in again."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from warehouse.batches import BatchCounts
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance.integrity import run_checks

Store = Callable[..., BatchCounts]
Torn = Callable[[bytes, random.Random], bytes]
BATCHES = {"b1": range(120), "b2": range(60, 200)}


def cut(log: bytes, chance: random.Random) -> bytes:
    return log[: chance.randrange(len(log))]


def flipped(log: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(log))
    return log[:place] + bytes([log[place] ^ (1 << chance.randrange(8))]) + log[place + 1 :]


def blank(log: bytes, chance: random.Random) -> bytes:
    """The end was given its space, but not written."""
    kept = chance.randrange(len(log))
    return log[:kept] + bytes(len(log) - kept)


def _rows(items: range) -> list[dict[str, Any]]:
    return [{"item": str(item), "rater": rater, "label": f"l{item % 3}"} for item in items for rater in "ab"]


def _store_all(path: Path, store: Store) -> None:
    with connect(path) as con:
        for batch_id, items in BATCHES.items():
            store(con, batch_id, _rows(items))


def _refused(path: Path) -> WarehouseError | None:
    try:
        with connect(path):
            return None
    except WarehouseError as error:
        return error


def _state(path: Path) -> list[tuple[str, int]]:
    """The batches that are there, each with its ratings; the warehouse must be sound."""
    with connect(path) as con:
        assert not {name for name, rows in run_checks(con).items() if rows.height}
        query = "select batch_id, count(r.batch_id) from batches left join ratings as r using (batch_id) group by all"
        return sorted(con.execute(query).fetchall())


@pytest.fixture
def logged(warehouse: Path, store: Store, tmp_path: Path) -> tuple[Path, bytes]:
    """A warehouse as it was before two batches, and the log of both."""
    with connect(warehouse) as con:
        con.execute("checkpoint")
        for batch_id, items in BATCHES.items():
            store(con, batch_id, _rows(items))
        before = Path(shutil.copy(warehouse, tmp_path / "before.duckdb"))
        return before, warehouse.with_name(f"{warehouse.name}.wal").read_bytes()


@pytest.mark.parametrize("tear", [cut, flipped, blank])
def test_a_torn_log_leaves_whole_batches(logged: tuple[Path, bytes], tmp_path: Path, store: Store, tear: Torn) -> None:
    before, log = logged
    whole = [("b1", 240), ("b2", 160)]
    chance, seen = random.Random(tear.__name__), set()
    for number in range(7):
        path = Path(shutil.copy(before, tmp_path / f"torn{number}.duckdb"))
        path.with_name(f"{path.name}.wal").write_bytes(tear(log, chance))
        if refusal := _refused(path):
            assert "log of the last changes, is damaged" in str(refusal)
            assert f"mv {path.name}.wal" in refusal.hint
            path.with_name(f"{path.name}.wal").rename(tmp_path / "damaged")
            seen.add("refused")
        state = _state(path)
        seen.add(str(len(state)))
        assert state == ([] if refusal else whole[: len(state)])
        _store_all(path, store)
        assert _state(path) == whole
    assert len(seen) > 1
    assert ("refused" in seen) == (tear is not cut)


def test_the_last_checkpoint_is_what_a_lost_log_leaves(logged: tuple[Path, bytes]) -> None:
    assert _state(logged[0]) == []
    with connect(logged[0]) as con:
        assert con.sql("select count(*) as n from ratings").pl().equals(pl.DataFrame({"n": [0]}))
