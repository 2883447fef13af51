"""Keep a warehouse open between the calls of one test.

To open and to close a warehouse takes 20 to 40 ms of processor time, and what the tests of `tasks` call does it a dozen
times. Here the first opening lasts until the test ends, or until a process, a fork or a reader of the file needs it
closed. What each call commits is committed as before. That it is in the file once a process has ended, that processes
wait for each other and what a kill leaves is tested in tests/warehouse, tests/crash and tests/flows, and where a test
has the mark closed_warehouses.
"""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import duckdb
import pytest

from warehouse import connect as opening
from warehouse.maintenance import compact, view_contract

Config = dict[str, Any]
_kept: dict[Path, tuple[tuple[int | None, Config], duckdb.DuckDBPyConnection]] = {}
_really_open, _really_connect = opening._open, duckdb.connect


def close_kept(*names: Any) -> None:
    """Close the warehouses that are kept open, or those of the named files and folders."""
    places = {Path(name).resolve() for name in names}
    for path in [path for path in _kept if not names or not places.isdisjoint((path, *path.parents))]:
        opening._close(_kept.pop(path)[1], path, read_only=False)


@contextmanager
def kept_between_calls() -> Iterator[None]:
    """Let `warehouse.connect` keep open what it opens, as long as the block lasts."""
    view_contract._expected()  # read in a file that is closed and opened again, and kept by the process
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "_open", _open)
        patch.setattr(duckdb, "connect", _connect)
        patch.setattr(compact, "frozen", _closed_before(compact.frozen))
        patch.setattr(os, "fork", _closed_before(os.fork))
        patch.setattr(subprocess.Popen, "__init__", _closed_before(subprocess.Popen.__init__))
        for owner, name in ((shutil, "copyfile"), (os, "link"), (Path, "open"), (Path, "rename"), (Path, "replace"),
                            (Path, "unlink")):  # fmt: skip
            patch.setattr(owner, name, _file_closed_before(getattr(owner, name)))
        try:
            yield
        finally:
            close_kept()


def _open(path: Path, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a warehouse as `warehouse.connect` does, and keep it open if it may be written."""
    if path in _kept and _kept[path][0] != _state(path):
        close_kept(path)
    if path in _kept:
        return _once_more(path)
    con = _really_open(path, read_only)
    if not read_only:
        _kept[path] = _state(path), _once_more(path)
    return con


def _once_more(path: Path) -> duckdb.DuckDBPyConnection:
    """Open a warehouse that is open, and count it, as `_close` will."""
    opening._n_open[path] += 1
    return _really_connect(path, config=opening.config())


def _state(path: Path) -> tuple[int | None, Config]:
    """Return what tells that a warehouse must be opened again: another file took its place, or the limits changed."""
    return opening._identity(path), opening.config()


def _connect(database: Any = ":memory:", *arguments: Any, **options: Any) -> duckdb.DuckDBPyConnection:
    """Let others open a warehouse in their own way."""
    if str(database) != ":memory:":
        close_kept(database)
    return _really_connect(database, *arguments, **options)


def _closed_before(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def closed(*arguments: Any, **options: Any) -> Any:
        close_kept()
        return function(*arguments, **options)

    return closed


def _file_closed_before(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def closed(*arguments: Any, **options: Any) -> Any:
        if _kept:
            close_kept(*(each for each in arguments if isinstance(each, str | Path)))
        return function(*arguments, **options)

    return closed
