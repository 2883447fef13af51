"""What is made once for all workers of a test run, and only read or copied by the tests."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tasks.sources import folder as folder_source
from warehouse import connect as opening
from warehouse.connect import connect
from warehouse.migrate import migrate

_write_empty_file = opening._write_empty_file


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return the folder `name` of this test run. The first worker that asks makes it, the others wait for it."""
    base = factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, draft = base / f"shared-{name}", base / f"shared-{name}.draft"
    with (base / f"shared-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed
        if not folder.exists():
            shutil.rmtree(draft, ignore_errors=True)  # of a worker that failed in it
            draft.mkdir()
            make(draft)
            draft.rename(folder)
    return folder


def empty_warehouse(factory: pytest.TempPathFactory) -> Path:
    """Return a migrated warehouse without data. To apply all migrations takes more than a second."""
    return shared(factory, "empty", _make_empty_warehouse) / "warehouse.duckdb"


def _make_empty_warehouse(folder: Path) -> None:
    with really_empty(), connect(folder / "warehouse.duckdb") as con:
        migrate(con)


def copy_for_new_warehouses(template: Callable[[], Path]) -> None:
    """Let each new warehouse of this process be a copy of the migrated one. What migrations do is tested in
    tests/warehouse."""
    opening._write_empty_file = lambda path: shutil.copyfile(template(), path)  # type: ignore[assignment,return-value]


def one_thread() -> None:
    """Let DuckDB use one thread in this process."""
    opening.CONFIG["threads"] = 1


def shorten_second_look() -> None:
    """Let this process look at a file that was just written again after a hundredth of a second."""
    folder_source.PAUSE = 0.01


@contextmanager
def really_empty() -> Iterator[None]:
    """Let new warehouses be empty files within the block, as users have them."""
    before, opening._write_empty_file = opening._write_empty_file, _write_empty_file
    try:
        yield
    finally:
        opening._write_empty_file = before
