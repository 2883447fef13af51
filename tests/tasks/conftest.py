from pathlib import Path

import pytest

from warehouse.connect import connect
from warehouse.migrate import migrate


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """The path of a migrated warehouse."""
    path = tmp_path / "warehouse.duckdb"
    with connect(path) as con:
        migrate(con)
    return path
