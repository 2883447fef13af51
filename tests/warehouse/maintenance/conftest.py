import shutil
from pathlib import Path

import pytest

from tests.shared import shared
from tests.warehouse.conftest import store_rows
from warehouse.connect import connect
from warehouse.publication.snapshot import publish


@pytest.fixture(scope="session")
def two_versions(tmp_path_factory: pytest.TempPathFactory, empty_warehouse: Path) -> Path:
    """The folder of a published warehouse with two versions of one rating, to copy."""

    def make(folder: Path) -> None:
        path = shutil.copyfile(empty_warehouse, folder / "warehouse.duckdb")
        with connect(path) as con:
            store_rows(con, "b1", [{"item": "i", "rater": "a", "label": label} for label in "AB"])
        publish(path, folder / "published")

    return shared(tmp_path_factory, "two-versions", make)
