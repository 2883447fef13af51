"""A run in a folder that is no project: said at once, and nothing is written."""

from pathlib import Path
from typing import Any

import pytest

from flows.cli.runs.first_run import check_first_run
from flows.project_folder import find_project


@pytest.mark.parametrize(
    ("command", "files", "expected"),
    [
        ("run", (), "{} is not a project: it has neither kappaflow.toml nor a folder inbox."),
        ("ingest", (), "{} is not a project: it has neither kappaflow.toml nor a folder inbox."),
        ("run", ("kappaflow.toml",), "The source folder {}/inbox does not exist."),
        ("evaluate", ("kappaflow.toml",), "There is no warehouse in {}."),
    ],
)
def test_a_folder_that_is_no_project_stays_as_it_is(
    tmp_path: Path, kappaflow: Any, command: str, files: tuple[str, ...], expected: str
) -> None:
    for name in files:
        (tmp_path / name).touch()
    what, hint = kappaflow(command, "--project", tmp_path, code=2).stderr.splitlines()
    assert what == expected.format(tmp_path)
    assert hint
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files)


@pytest.mark.parametrize("made", ["inbox", "warehouse.duckdb"])
def test_an_inbox_or_a_warehouse_is_enough(tmp_path: Path, made: str) -> None:
    (tmp_path / made).mkdir()
    check_first_run(find_project(tmp_path), "pipeline", ())


def test_files_that_are_named_need_no_project(tmp_path: Path) -> None:
    check_first_run(find_project(tmp_path), "ingest", ("labels.csv",))
