"""What is said where a file stands in place of a project, and a folder in place of its settings."""

from pathlib import Path

import pytest

from flows.cli.new_project import create_project
from flows.project_folder import find_project
from tasks.errors import SettingsError


def test_a_file_is_no_project(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.touch()
    with pytest.raises(SettingsError) as caught:
        find_project(path)
    assert str(caught.value) == f"{path} is a file, not the folder of a project."
    assert caught.value.hint == "Name the folder with kappaflow.toml."


def test_a_path_that_databases_cannot_have_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "which one?" / "project"
    folder.mkdir(parents=True)
    for look in (find_project, create_project):
        with pytest.raises(SettingsError, match="do not allow a question mark in their path"):
            look(folder)
    assert list(tmp_path.rglob("*")) == [folder.parent, folder]


def test_a_folder_in_place_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").mkdir()
    with pytest.raises(SettingsError, match="cannot be read: Is a directory") as caught:
        find_project(tmp_path)
    assert caught.value.hint == "Write a file in its place."
