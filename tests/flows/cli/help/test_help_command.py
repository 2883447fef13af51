"""`help`, `--version`, `-h` and completion, as they are called."""

import json
from importlib.metadata import version

import pytest

from flows.cli import app


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    app(list(arguments), prog_name="kappaflow", standalone_mode=False)
    return capsys.readouterr().out


def test_help_lists_its_topics(capsys: pytest.CaptureFixture[str]) -> None:
    assert "settings" in printed(capsys, "help")
    rows = json.loads(printed(capsys, "help", "--json"))
    assert {"topic": "settings", "about": "Settings: kappaflow.toml"} in rows


def test_help_prints_a_page_a_section_and_the_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "help", "glossary").startswith("# Glossary")
    assert printed(capsys, "help", "settings", "publish").startswith("## [publish]")
    assert json.loads(printed(capsys, "help", "glossary", "--json"))["text"].startswith("# Glossary")
    assert "--benchmark" in printed(capsys, "help", "agree")


def test_the_version_and_the_short_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--version") == f"kappaflow {version('kappaflow')}\n"
    assert "--benchmark" in printed(capsys, "agree", "-h")
    assert "--until" in printed(capsys, "alerts", "mute", "-h")


def test_a_shell_completes_commands_and_options(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_KAPPAFLOW_COMPLETE", "complete_bash")
    for words, place, expected in (("kappaflow a", "1", {"agree", "accuracy", "audit", "as-of", "alerts"}),
                                   ("kappaflow agree --s", "2", {"--scale", "--system", "--seed"})):  # fmt: skip
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", place)
        with pytest.raises(SystemExit) as ended:
            app(prog_name="kappaflow", standalone_mode=False)
        assert ended.value.code == 0
        assert set(capsys.readouterr().out.split()) == expected
