"""Which files arguments mean."""

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from flows.cli import app
from flows.cli.files.input_files import input_files
from tasks.errors import InputError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.csv", "a.csv", "c.json", "odd[1].csv"):
        (tmp_path / name).write_text("item,rater,label\n1,ann,yes\n1,bob,yes\n2,ann,no\n2,bob,yes\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["b.csv", "a.csv", "b.csv"], ["b.csv", "a.csv"]),
        (["?.csv"], ["a.csv", "b.csv"]),
        (["odd[1].csv"], ["odd[1].csv"]),
        (["none.csv"], ["none.csv"]),
    ],
)
def test_names_and_patterns(folder: Path, arguments: list[str], names: list[str]) -> None:
    with input_files(arguments) as files:
        assert [str(path) for path in files.values()] == names


def test_a_pattern_without_files(folder: Path) -> None:
    with pytest.raises(InputError, match=r"No file matches 'x\*.csv'"), input_files(["x*.csv"]):
        pass


def test_stdin_is_a_file_for_a_while(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = os.urandom(10)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    with input_files(["-", "a.csv"]) as files:
        assert list(files) == ["stdin", "a.csv"]
        assert files["stdin"].read_bytes() == content
    assert not files["stdin"].exists()
    with pytest.raises(InputError, match="Nothing came"), input_files(["-"]):
        pass


def test_commands_take_stdin_and_several_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(Path("a.csv").read_bytes())))
    app(["agree", "-"], prog_name="kappaflow", standalone_mode=False)
    assert "stdin: 2 items, 2 raters, 4 ratings" in capsys.readouterr().out
    app(["inspect", "a.csv", "b.csv"], prog_name="kappaflow", standalone_mode=False)
    shown = capsys.readouterr().out
    assert "a.csv: long: 4 ratings" in shown
    assert "b.csv: long: 4 ratings" in shown
