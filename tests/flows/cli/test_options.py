"""The small texts of the command line."""

from pathlib import Path

import pytest

from flows.cli.command_hints import project_option
from flows.cli.options import parse_columns, parse_labels
from flows.cli.runs.history_commands import parse_moment
from flows.cli.terminal import cell, clean, interval, note_no_width
from flows.settings.values import parse_seconds
from tasks.errors import InputError, SettingsError


def test_columns_may_come_in_one_text_or_several() -> None:
    assert parse_columns(["item=a, rater=b", "label=c"]) == {"item": "a", "rater": "b", "label": "c"}
    assert parse_columns(None) == {}
    with pytest.raises(InputError, match="gives the role 'item' to two columns"):
        parse_columns(["item=a", "item=b"])


@pytest.mark.parametrize("text", ["item", "item=", "=a", "thing=a", "item=a,,rater=b"])
def test_wrong_columns_are_named(text: str) -> None:
    with pytest.raises(InputError, match="--columns") as caught:
        parse_columns([text])
    assert "item=" in caught.value.hint


def test_labels_keep_their_order_and_their_commas() -> None:
    assert parse_labels('z,a,"other, misc"') == ("z", "a", "other, misc")


def test_a_command_names_the_project_unless_one_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "my project"
    (project / "inbox").mkdir(parents=True)
    (project / "kappaflow.toml").write_text("")
    (tmp_path / "elsewhere").mkdir()
    for here, option in (
        (tmp_path, " --project 'my project'"),
        (project, ""),
        (project / "inbox", ""),
        (tmp_path / "elsewhere", f" --project '{project}'"),
    ):
        monkeypatch.chdir(here)
        assert project_option(project) == option


@pytest.mark.parametrize("text", ["", "a,,b", "a,b,a", "a,"])
def test_an_empty_or_repeated_label_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--labels"):
        parse_labels(text)


@pytest.mark.parametrize("text", ["0", "-5", "1.5", "", "15 weeks", "99999999"])
def test_a_text_that_is_not_a_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="not a length of time"):
        parse_seconds(text)


def test_a_terminal_shows_no_escape_sequence_of_a_label() -> None:
    assert "\x1b" not in clean("\x1b]0;owned\x07 \x1b[2J")
    assert clean("Ärger 好 👍🏽") == "Ärger 好 👍🏽"


def test_what_is_undefined_is_a_dash_and_never_nan() -> None:
    assert (cell(None), interval(None, 1.0), cell(0.12345), cell(1234567)) == ("—", "—", "0.123", "1,234,567")


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "0001-01-01T00:00+10:00", "9999-12-31T23:59-12:00"])
def test_a_text_that_is_not_a_time_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="neither a day nor a time"):
        parse_moment(text)


def test_questions_whose_interval_has_no_width_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    alike = [{"question": name, "low": 1.0, "high": 1.0} for name in ("a", "b", "b", "c", "d", "e")]
    note_no_width([{"question": "wide", "low": 0.1, "high": 0.2}, {"question": "none", "low": None, "high": None}])
    assert capsys.readouterr().out == ""
    note_no_width(alike)
    shown = " ".join(capsys.readouterr().out.split())
    assert "a, b, c and 2 more: agreement is the same on all items, so the interval has no width." in shown
