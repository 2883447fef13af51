"""The folder of Prefect's own files."""

from pathlib import Path

import pytest

from flows.project_folder import find_project
from flows.service.environment import prefect_environment
from tasks.errors import SettingsError


def test_the_folder_that_a_user_named_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kappaflow.toml").write_text("", encoding="utf-8")
    project = find_project(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for named, home in (("~/new/prefect", tmp_path / "new/prefect"), ("", project.prefect_home)):
        monkeypatch.setenv("PREFECT_HOME", named)
        assert prefect_environment(project)["PREFECT_HOME"] == str(home)
        assert home.is_dir()


@pytest.mark.parametrize("named", ["~nobody-of-this-name/prefect", "{file}/prefect"])
def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str) -> None:
    (tmp_path / "kappaflow.toml").write_text("", encoding="utf-8")
    monkeypatch.setenv("PREFECT_HOME", named.format(file=tmp_path / "kappaflow.toml"))
    with pytest.raises(SettingsError, match=r"PREFECT_HOME is .*, and such a folder cannot be made"):
        prefect_environment(find_project(tmp_path))
