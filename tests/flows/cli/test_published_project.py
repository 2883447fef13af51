"""Commands that read the published snapshot say what to do if they cannot, and commands to copy work in a shell."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from flows.cli.project_output import print_paths
from flows.cli.published_project import published
from flows.project_folder import find_project
from tasks.errors import InputError
from warehouse.connect import connect
from warehouse.migrate import migrate


@pytest.mark.parametrize("content", [b"no database", b"\0" * 20_000], ids=["text", "zeros"])
def test_a_damaged_snapshot_is_published_again_and_no_backup_is_restored(
    tmp_path: Path, kappaflow: Any, content: bytes
) -> None:
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "snapshot.duckdb").write_bytes(content)
    result = kappaflow("status", "--project", tmp_path, code=1)
    assert "snapshot.duckdb is not a DuckDB file, or is damaged." in result.stderr
    assert "Run `kappaflow run`" in result.stderr
    assert "backup" not in result.stderr


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


def test_the_query_to_try_can_be_copied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "Anna's project"
    (folder / "inbox").mkdir(parents=True)
    print_paths(find_project(folder), "select 1")
    (command,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("  try"))
    assert shlex.split(command)[1:] == ["kappaflow", "sql", "--project", str(folder), "select 1"]


def test_the_first_run_of_a_new_project_can_be_copied(tmp_path: Path, kappaflow: Any) -> None:
    folder = tmp_path / "Anna's project"
    command = kappaflow("init", folder).stdout.splitlines()[-1].partition(", then: ")[2]
    assert shlex.split(command) == ["kappaflow", "run", "--project", str(folder)]
