"""A run that has nothing to do is recorded without Prefect; whatever may be due starts the whole pipeline."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from flows.idle_run import record_idle_run
from flows.project_folder import find_project
from tests.conftest import Kappaflow

DAY = 86_400.0


@pytest.fixture
def settled(demo_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo after its runs, in which nothing is due."""
    for name in list(os.environ):
        if name.startswith(("PREFECT_", "KAPPAFLOW_")):
            monkeypatch.delenv(name)
    return Path(shutil.copytree(demo_project, tmp_path / "settled"))


def test_a_run_with_nothing_due_is_recorded(settled: Path, kappaflow: Kappaflow) -> None:
    before = runs(settled)
    result = kappaflow("run", "--project", settled)
    assert "Nothing new: no file came in and no question changed." in result.stdout
    assert "ALERT" in result.stdout  # open alerts are shown as by any other run
    assert runs(settled) == [("pipeline", "succeeded"), *before]
    assert not (settled / ".kappaflow" / "prefect" / "prefect.db").exists()


LOOK = """
import sys
import flows.cli.runs.run_commands
from flows.cli.project_output import print_run_result
from flows.idle_run import record_idle_run
from flows.project_folder import find_project
from tasks.summary.run_figures import read_run_figures
project = find_project(sys.argv[1])
print_run_result(record_idle_run(project), read_run_figures(project.snapshot, set(), []), project)
heavy = {"prefect", "stats.accuracy", "stats.agreement", "stats.monitoring", "jinja2", "numpy", "pyarrow"}
print("loaded:", *sorted(heavy & set(sys.modules)))
"""


def test_looking_loads_nothing_that_computes(settled: Path) -> None:
    result = subprocess.run([sys.executable, "-c", LOOK, str(settled)], check=True, capture_output=True, text=True)
    assert "Nothing new" in result.stdout
    assert result.stdout.splitlines()[-1].strip() == "loaded:"


def test_a_copy_of_a_stored_file_is_named(settled: Path, kappaflow: Kappaflow) -> None:
    file = settled / "inbox" / "support_2026-03-20.json"
    shutil.copy(file, file.with_name("again.json"))
    result = kappaflow("run", "--project", settled)
    assert "Nothing new" in result.stdout
    text = " ".join(result.stdout.split())
    assert "again.json is a copy of support_2026-03-20.json: its ratings are stored once." in text
    for number in range(6):
        shutil.copy(file, file.with_name(f"copy-{number}.json"))
    text = " ".join(kappaflow("run", "--project", settled).stdout.split())
    assert text.count("is a copy of support_2026-03-20.json") == 5
    assert "2 more files are copies of others." in text


@pytest.mark.parametrize("is_restored", [True, False])
def test_a_snapshot_of_another_state_is_replaced(
    settled: Path, kappaflow: Kappaflow, prefect_server: str, is_restored: bool
) -> None:
    """The warehouse was restored from a backup, or a run was killed after it was closed and before it published.

    The runs have a server, which saves the start of one. A run with a server is never an idle one, so that is asked by
    itself.
    """
    new_file(settled)
    former = {path: path.read_bytes() for path in map(settled.joinpath, FORMER[is_restored])}
    kappaflow("run", "--project", settled, PREFECT_API_URL=prefect_server)
    if is_restored:  # and the file is gone, so nothing is left to do but to publish
        (settled / "inbox" / "new.csv").unlink()
    for path, content in former.items():
        path.write_bytes(content)
    assert record_idle_run(find_project(settled)) is None
    kappaflow("run", "--project", settled, PREFECT_API_URL=prefect_server)
    query = "select file_name, status from batches order by all"
    with duckdb.connect(str(settled / "warehouse.duckdb"), read_only=True) as con:
        batches = con.execute(query).fetchall()
    assert (("new.csv", "stored") in batches) is not is_restored
    with duckdb.connect(str(settled / "published" / "snapshot.duckdb"), read_only=True) as con:
        assert con.execute(query).fetchall() == batches
    assert (">new<" in (settled / "report.html").read_text()) is not is_restored
    assert "Nothing new" in kappaflow("run", "--project", settled).stdout


FORMER = {True: ["warehouse.duckdb"], False: ["published/snapshot.duckdb", "report.html"]}


def new_file(folder: Path) -> None:
    (folder / "inbox" / "new.csv").write_text("item,rater,label\n1,1,a\n1,2,a\n2,1,b\n2,2,a\n")


def edited_settings(folder: Path) -> None:
    os.utime(folder / "kappaflow.toml", (time.time() + 5,) * 2)


def after_a_run_with_a_clock_that_was_ahead(folder: Path) -> None:
    change(folder, "update runs set started_at = started_at + interval 1 hour, ended_at = ended_at + interval 1 hour")


def published_yesterday(folder: Path) -> None:
    os.utime(folder / "report.html", (time.time() - DAY,) * 2)


def without_report(folder: Path) -> None:
    (folder / "report.html").unlink()


def after_a_failure(folder: Path) -> None:
    change(folder, "update runs set status = 'failed' where question is null")


def after_an_update(folder: Path) -> None:
    change(folder, "update runs set code_version = '0.0.1' where question is null")


def with_a_live_source(folder: Path) -> None:
    settings = folder / "kappaflow.toml"
    modified = settings.stat().st_mtime
    source = ['type = "label_studio"', 'url = "http://127.0.0.1:9"', "project = [1]", 'token_env = "TOKEN"']
    settings.write_text("\n".join([settings.read_text(), "[[source]]", *source]))
    os.utime(settings, (modified,) * 2)


def after_an_edit_of_a_question(folder: Path) -> None:
    change(folder, "update runs set settings_hash = 'other' where question = 'intent' and kind = 'evaluate'")


def with_an_acknowledged_alert(folder: Path) -> None:
    change(folder, "update alerts set acknowledged_at = now(), acknowledged_by = 'mara'")


def with_a_newer_snapshot(folder: Path) -> None:
    os.utime(folder / "published" / "snapshot.duckdb", (time.time() + 5,) * 2)


def with_a_rule_on_late_batches(folder: Path) -> None:
    settings = folder / "kappaflow.toml"
    modified = settings.stat().st_mtime
    settings.write_text(settings.read_text() + '\n[rules]\nbatch_late = "36h"\n')
    os.utime(settings, (modified,) * 2)


def with_a_target_that_has_not_this_snapshot(folder: Path) -> None:
    settings = folder / "kappaflow.toml"
    modified = settings.stat().st_mtime
    settings.write_text(settings.read_text() + '\n[[publish.target]]\ntype = "postgres"\n')
    os.utime(settings, (modified,) * 2)


def with_a_server(folder: Path) -> None:
    os.environ["PREFECT_API_URL"] = "http://127.0.0.1:4200/api"


@pytest.mark.parametrize(
    "something",
    [new_file, edited_settings, after_a_run_with_a_clock_that_was_ahead, published_yesterday, without_report,
     after_a_failure, after_an_update, with_a_live_source, after_an_edit_of_a_question, with_an_acknowledged_alert,
     with_a_newer_snapshot, with_a_rule_on_late_batches, with_a_target_that_has_not_this_snapshot, with_a_server],
)  # fmt: skip
def test_what_may_be_due_starts_the_pipeline(
    settled: Path, something: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "t")
    monkeypatch.setenv("PREFECT_API_URL", "")
    before = runs(settled)
    something(settled)
    assert record_idle_run(find_project(settled)) is None
    assert len(runs(settled)) == len(before)


def test_without_a_project_s_warehouse_nothing_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    assert record_idle_run(find_project(tmp_path)) is None
    assert not (tmp_path / "warehouse.duckdb").exists()


def runs(folder: Path) -> list[tuple[str, str]]:
    with duckdb.connect(str(folder / "warehouse.duckdb"), read_only=True) as con:
        return con.execute("select kind, status from runs where question is null order by started_at desc").fetchall()


def change(folder: Path, statement: str) -> None:
    with duckdb.connect(str(folder / "warehouse.duckdb")) as con:
        con.execute(statement)
