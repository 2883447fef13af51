"""A printed hint can be copied: its command finds the project from where the reader called."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from flows.cli import app
from flows.cli.command_hints import (
    ALERT_COMMANDS,
    OF_FILES,
    OF_PROJECT,
    HintProject,
    project_option,
    remember_project,
    with_project,
)

Kappaflow = Callable[..., Any]


def test_each_command_that_gets_the_option_has_it() -> None:
    group: Any = typer.main.get_command(app)
    of_alerts = group.commands["alerts"].commands
    assert "|".join(of_alerts) == ALERT_COMMANDS  # without a command it lists
    commands = {name: group.commands[name] for name in (*OF_PROJECT, "plan") if name != "alerts"} | of_alerts
    for name, command in commands.items():
        options = {option for parameter in command.params for option in parameter.opts}
        assert "--project" in options, name
    assert not set(OF_FILES.split()) & set(OF_PROJECT)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Run `kappaflow run` once.", "Run `kappaflow run --project X` once."),
        ('Ids: kappaflow sql "select 1".', 'Ids: kappaflow sql --project X "select 1".'),
        ("`kappaflow alerts show ID`", "`kappaflow alerts show --project X ID`"),
        ("`kappaflow alerts`, with --all", "`kappaflow alerts --project X`, with --all"),
        ("`kappaflow plan --question q`", "`kappaflow plan --project X --question q`"),
        ("`kappaflow plan`", "`kappaflow plan`"),
        ("kappaflow status --project Y", "kappaflow status --project Y"),
        ("With --project DIR, or `kappaflow run`.", "With --project DIR, or `kappaflow run --project X`."),
        ("`kappaflow inspect FILE`, kappaflow runs", "`kappaflow inspect FILE`, kappaflow runs"),
        ("`kappaflow forget-rater NAME`", "`kappaflow forget-rater --project X NAME`"),
    ],
)  # fmt: skip
def test_the_option_follows_the_command(text: str, shown: str) -> None:
    HintProject.option = " --project X"
    assert with_project(text) == shown


def test_no_option_is_needed_where_the_project_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAPPAFLOW_HOME", raising=False)
    outer, inner = tmp_path / "my project", tmp_path / "my project" / "inner"
    (inner / "deep").mkdir(parents=True)
    (outer / "kappaflow.toml").write_text("")
    monkeypatch.chdir(inner / "deep")
    assert project_option(outer) == ""
    (inner / "kappaflow.toml").write_text("")  # from here, this one is found
    assert project_option(outer) == f" --project {shlex.quote(str(outer))}"
    assert project_option(inner) == ""
    monkeypatch.chdir(tmp_path)
    assert project_option(outer) == " --project 'my project'"
    monkeypatch.setenv("KAPPAFLOW_HOME", str(outer))
    assert project_option(outer) == ""
    remember_project(inner)
    assert with_project("`kappaflow run`") == "`kappaflow run --project 'my project/inner'`"
    remember_project(None)
    assert with_project("`kappaflow run`") == "`kappaflow run`"


def test_a_copied_hint_finds_the_project(tmp_path: Path, kappaflow: Kappaflow) -> None:
    folder = tmp_path / "my project"
    folder.mkdir()
    (folder / "kappaflow.toml").write_text("")
    output = kappaflow("status", "--project", folder, code=2).stderr
    assert "run `kappaflow run --project 'my project'`." in output
    assert "run `kappaflow run`." in kappaflow("status", "--project", tmp_path, code=2).stderr
