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
    assert planned.pop("batch_id")
    assert planned == {
        "file_name": "alone.csv",
        "source": "inbox",
        "questions": {"alone": 20},
        "is_answers": False,
        "dry_run": True,
        "undone": False,
    }
    said = kappaflow("withdraw", *there, "--by", "eve", "--because", "only a test").stdout
    assert "Rows of alone.csv that no longer count" in said
    assert "alone" in said
    assert "--undo" in said
    with connect(project / "warehouse.duckdb") as con:
        (found,) = con.execute("select detail from batches where file_name = 'alone.csv'").fetchall()
        assert found == ("Withdrawn by eve: only a test",)
        assert con.execute("select distinct question from current_ratings").fetchall() == [("tone",)]
    again = kappaflow("withdraw", *there, code=2)
    assert again.stderr.startswith("alone.csv is withdrawn already: nothing of it counts.")
    assert "The next" in kappaflow("withdraw", *there, "--undo").stdout


def test_undo_and_dry_run_do_not_go_together(project: Path, kappaflow: Kappaflow) -> None:
    refused = kappaflow("withdraw", "alone.csv", "--project", project, "--undo", "--dry-run", code=2)
    assert refused.stderr.startswith("--undo and --dry-run do not go together.")
