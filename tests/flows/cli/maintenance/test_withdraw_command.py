"""withdraw from the command line: what it prints, and what it refuses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gate_project import make_project
from warehouse.connect import connect

Kappaflow = Callable[..., Any]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project").folder


def test_a_file_is_withdrawn_and_wanted_again(project: Path, kappaflow: Kappaflow, kappaflow_json: Kappaflow) -> None:
    there = ("alone.csv", "--project", project)
    planned = kappaflow_json("withdraw", *there, "--dry-run")
    (file,) = planned.pop("files")
    assert planned == {"dry_run": True, "undone": False}
    assert file.pop("batch_id")
    assert file == {
        "file_name": "alone.csv",
        "source": "inbox",
        "questions": {"alone": 20},
        "is_answers": False,
        "has_metadata": False,
    }
    path = project / "inbox" / "alone.csv"
    assert kappaflow_json("withdraw", path, "--project", project, "--dry-run")["files"][0]["file_name"] == "alone.csv"
    output = kappaflow("withdraw", *there, "--by", "eve", "--because", "only a test").stdout
    assert "Ratings of these files no longer count" in output
    assert "alone.csv  inbox   alone          20" in output
    assert "--undo" in output
    with connect(project / "warehouse.duckdb") as con:
        (result,) = con.execute("select detail from batches where file_name = 'alone.csv'").fetchall()
        assert result == ("Withdrawn by eve: only a test",)
        assert con.execute("select distinct question from current_ratings").fetchall() == [("tone",)]
    again = kappaflow("withdraw", *there, code=2)
    assert again.stderr.startswith("alone.csv is withdrawn already: nothing of it counts.")
    undone = kappaflow("withdraw", *there, "--undo").stdout
    assert "The next" in undone
    assert "does not exist" not in undone


def test_undo_says_if_the_file_is_no_longer_in_its_source(project: Path, kappaflow: Kappaflow) -> None:
    kappaflow("withdraw", "alone.csv", "--project", project)
    path = project / "inbox" / "alone.csv"
    path.unlink()
    text = "".join(kappaflow("withdraw", "alone.csv", "--project", project, "--undo").stdout.split())
    assert "".join(f"{path} does not exist. Put the file there again,".split()) in text


def test_undo_goes_with_no_other_option(project: Path, kappaflow: Kappaflow) -> None:
    for option in (["--dry-run"], ["--because", "x"], ["--force"]):
        refused = kappaflow("withdraw", "alone.csv", "--project", project, "--undo", *option, code=2)
        assert refused.stderr.startswith("--undo goes with no other option.")


def test_an_unknown_file_is_said(project: Path, kappaflow: Kappaflow) -> None:
    output = kappaflow("withdraw", "nothing.csv", "--project", project, code=2).stderr
    assert output.startswith("No file 'nothing.csv' was taken in.")
