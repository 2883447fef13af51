from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.kept_warehouses import kept_between_calls
from warehouse.connect import connect
from warehouse.migrate import migrate


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Keep warehouses open during a test of this folder, unless it is about other processes or about the files."""
    # pytest calls this hook for the tests of all folders, once it has read this file.
    is_here = Path(__file__).parent in item.path.parents
    with kept_between_calls() if is_here and not item.get_closest_marker("closed_warehouses") else nullcontext():
        return (yield)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """The path of a migrated warehouse."""
    path = tmp_path / "warehouse.duckdb"
    with connect(path) as con:
        migrate(con)
    return path
