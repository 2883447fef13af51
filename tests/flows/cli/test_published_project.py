"""The project that commands read: what they say of one that has not published yet."""

from pathlib import Path

import pytest

from flows.cli.published_project import published
from tasks.errors import InputError
from warehouse.connect import connect
from warehouse.migrate import migrate


def test_a_project_without_a_snapshot_wants_exports_or_another_run(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text('[[source]]\npath = "inbox"\n')
    with pytest.raises(InputError, match="yet") as untouched:
        published(tmp_path)
    assert "inbox" in untouched.value.hint
    with connect(tmp_path / "warehouse.duckdb") as con:
        migrate(con)
    with pytest.raises(InputError, match="although it has a warehouse") as killed:
        published(tmp_path)
    assert killed.value.hint == "Run `kappaflow run`: it does what is left to do, and publishes the warehouse."
