"""[raters]: aliases reach all that is named in the settings."""

from pathlib import Path

import pytest

from flows.project_folder import Project
from flows.settings import task_inputs
from flows.settings.model import load_settings
from tasks.errors import SettingsError

TOML = """
[raters]
aliases = { "bot@lab" = "bot", "eve@lab" = "eve" }

[questions.tone]
systems = ["bot@lab"]
gold = ["eve"]
"""


def project(folder: Path, text: str) -> Project:
    (folder / "kappaflow.toml").write_text(text)
    return Project(folder, load_settings(folder))


def test_a_system_may_be_named_by_its_alias(tmp_path: Path) -> None:
    loaded = project(tmp_path, TOML)
    config = task_inputs.question_configs(loaded).of("tone")
    assert (config.systems, config.gold) == ({"bot"}, {"eve"})
    assert task_inputs.ingest_rules(loaded).aliases == {"bot@lab": "bot", "eve@lab": "eve"}
    raters = {name.name for name in task_inputs.setting_names(loaded) if name.kind == "rater"}
    assert raters == {"bot", "eve"}


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        ('{ a = "" }', "a name is blank"),
        ('{ " " = "a" }', "a name is blank"),
        ('{ a = "a" }', "the same name on both sides"),
        ('{ a = "b", b = "c" }', "'a' leads to 'b', which is an alias of 'c'"),
    ],
)
def test_an_alias_leads_to_a_rater_in_one_step(tmp_path: Path, aliases: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        project(tmp_path, f"[raters]\naliases = {aliases}")
