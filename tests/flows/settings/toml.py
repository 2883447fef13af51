"""Projects from the text of their kappaflow.toml."""

from pathlib import Path

import pytest

from flows.project_folder import Project
from flows.settings.model import load_settings
from tasks.errors import SettingsError


def project(folder: Path, text: str) -> Project:
    (folder / "kappaflow.toml").write_text(text, encoding="utf-8")
    return Project(folder, load_settings(folder))


def refused(folder: Path, text: str) -> tuple[str, str]:
    """What is said of settings that cannot be: what is wrong, and what to do."""
    with pytest.raises(SettingsError) as caught:
        project(folder, text)
    return str(caught.value), caught.value.hint
