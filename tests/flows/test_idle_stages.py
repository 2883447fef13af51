"""`ingest` and `evaluate` look first whether there is anything to do, and then need no Prefect."""

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli.runs import run_flow as prefect_runs
from flows.cli.runs.run_commands import app
from flows.idle_run import record_idle_run
from flows.project_folder import CODE_VERSION, Project, find_project
from flows.run_result import RunResult
from flows.settings import task_inputs
from tasks.errors import InputError
from tasks.evaluate.pending_questions import pending_questions
from tasks.ingest.ingest_files import ingest
from tasks.question_runs import process_questions
from tasks.runs.run_records import close_run, open_run
from tasks.sources.folder import find_files
from tests.gate_project import rating_rows, write_table
from warehouse.connect import connect
from warehouse.publication.snapshot import publish

SETTINGS = '[questions.tone]\nsystems = ["gpt"]\n'


@pytest.fixture
def settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project after a pipeline run of today that stored one file; the question was not evaluated."""
    for name in list(os.environ):
        if name.startswith(("PREFECT_", "KAPPAFLOW_")):
            monkeypatch.delenv(name)
    settings = tmp_path / "kappaflow.toml"
    settings.write_text(SETTINGS)
    os.utime(settings, (time.time() - 1,) * 2)
    (tmp_path / "inbox").mkdir()
    write(tmp_path / "inbox" / "tone.csv", 12)
    project = find_project(tmp_path)
    run_id = open_run(project.warehouse, "pipeline", CODE_VERSION, now=datetime.now(UTC))
    files = find_files(task_inputs.folder_sources(project)).readable
    readings = task_inputs.readings(project)
    assert len(list(ingest(project.warehouse, files, task_inputs.ingest_rules(project), readings=readings))) == 1
    close_run(project.warehouse, run_id, "succeeded", None, now=datetime.now(UTC))
    publish(project.warehouse, project.published, **project.publishing)
    project.report.write_text("report")
    return project


def write(path: Path, n_items: int, seed: int = 1) -> Path:
    """Write a file of ratings that was not modified just now: no second look is due."""
    write_table(path, rating_rows(n_items, seed=seed))
    os.utime(path, (time.time() - 60,) * 2)
    return path


def runs(project: Project) -> list[tuple[str, str, bool]]:
    """The kind and status of the runs on all questions, and whether they ended, in order."""
    with connect(project.warehouse, read_only=True) as con:
        return con.execute(
            "select kind, status, ended_at >= started_at from runs where question is null order by started_at"
        ).fetchall()


def invoke(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, object]]]:
    """The flows that Prefect would have run, with their parameters."""
    flows: list[tuple[str, dict[str, object]]] = []

    def run_flow(kind: str, project: Project, *, quiet: bool, detail: object, **parameters: object
                 ) -> tuple[RunResult, bool]:  # fmt: skip
        flows.append((kind, parameters))
        return RunResult(), False

    monkeypatch.setattr(prefect_runs, "run_flow", run_flow)
    return flows


def test_an_ingest_of_nothing_new_is_recorded_and_says_so(
    settled: Project, started: list[tuple[str, dict[str, object]]]
) -> None:
    exit_code, shown = invoke("ingest", "--project", settled.folder, "--json")
    assert exit_code == 0
    empty = ("files", "evaluated", "failed", "notes", "messages", "publications")
    assert json.loads(shown) == {**{name: [] for name in empty}, "warehouse": str(settled.warehouse),
                                 "snapshot": str(settled.snapshot), "report": str(settled.report)}  # fmt: skip
    exit_code, shown = invoke("ingest", settled.folder / "inbox" / "tone.csv", "--project", settled.folder)
    assert (exit_code, started) == (0, [])
    assert runs(settled) == [("pipeline", "succeeded", True), *[("ingest", "succeeded", True)] * 2]


def test_what_is_new_or_to_be_done_again_starts_prefect(
    settled: Project, started: list[tuple[str, dict[str, object]]]
) -> None:
    folder, inbox = settled.folder, settled.folder / "inbox"
    assert invoke("ingest", "--retry-rejects", "--project", folder)[0] == 0
    assert invoke("evaluate", "--project", folder)[0] == 0
    assert invoke("evaluate", "--all", "--project", folder)[0] == 0
    assert invoke("ingest", "s3://bucket/a.csv", "--project", folder)[0] == 0
    new = write(inbox / "more.csv", 3, seed=2)
    assert invoke("ingest", "--project", folder)[0] == 0
    assert invoke("ingest", new, "--project", folder)[0] == 0
    assert started == [
        ("ingest", {"paths": [], "retry_rejects": True}),
        ("evaluate", {"everything": False}),
        ("evaluate", {"everything": True}),
        ("ingest", {"paths": ["s3://bucket/a.csv"], "retry_rejects": False}),
        ("ingest", {"paths": [], "retry_rejects": False}),
        ("ingest", {"paths": [str(new)], "retry_rejects": False}),
    ]
    assert len(runs(settled)) == 1


def test_an_evaluation_with_no_question_due_is_recorded_whatever_lies_in_the_inbox(settled: Project) -> None:
    assert record_idle_run(settled, "evaluate") is None
    configs, options = task_inputs.question_configs(settled), task_inputs.evaluation_options(settled)
    due = pending_questions(settled.warehouse, "evaluate", configs, options, everything=False)
    (result,) = process_questions(settled.warehouse, "evaluate", due, configs, options, recount=False)
    assert result.error is None
    assert record_idle_run(settled, "evaluate") is None, "nothing is due but to publish the result"
    publish(settled.warehouse, settled.published, **settled.publishing)
    os.utime(settled.report)
    write(settled.folder / "inbox" / "more.csv", 3, seed=2)
    assert record_idle_run(settled, "evaluate") == RunResult()
    assert runs(settled)[1:] == [("evaluate", "succeeded", True)]


@pytest.mark.parametrize("kind", ["pipeline", "ingest", "evaluate"])
def test_a_report_that_was_written_again_does_not_hide_an_edit_of_the_settings(settled: Project, kind: str) -> None:
    """A new limit under [rules] was not judged until the next day if `kappaflow report` ran after the edit."""
    os.utime(settled.settings_file, (time.time() + 1,) * 2)
    os.utime(settled.report, (time.time() + 2,) * 2)
    assert record_idle_run(settled, kind) is None


def test_an_ingest_does_not_count_as_a_run_of_the_pipeline(settled: Project) -> None:
    with connect(settled.warehouse) as con:
        con.execute("update runs set kind = 'ingest'")
    assert record_idle_run(settled, "evaluate") is None
    assert record_idle_run(settled) is None
    assert record_idle_run(settled, "ingest") == RunResult()


def test_a_path_that_is_not_there_is_left_to_the_run_that_says_so(settled: Project) -> None:
    assert record_idle_run(settled, "ingest", [str(settled.folder / "none.csv")]) is None


def test_a_path_of_the_command_line_that_is_not_there_is_said_at_once(
    settled: Project, started: list[tuple[str, dict[str, object]]]
) -> None:
    result = CliRunner().invoke(app, ["ingest", "none.csv", "--project", str(settled.folder)])
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("There is no file or folder none.csv.")
    result = CliRunner().invoke(app, ["ingest", "/dev/null", "--project", str(settled.folder)])
    assert isinstance(result.exception, InputError)
    assert str(result.exception) == "/dev/null is a device or a pipe, not a file."
    assert (started, len(runs(settled))) == ([], 1)
