"""What the status of a project says of figures that are not those of now."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.project_folder import Project, find_project
from flows.project_status import future_run, overdue_run, read_project_status
from flows.service.service_record import Service
from flows.settings import task_inputs
from tasks.ingest.ingest_files import ingest
from tasks.sources.folder import FolderSource, find_files
from tasks.summary.run_figures import read_brief_figures
from tests.gate_project import rating_rows, write_table
from tests.tasks.inbox import InboxProject
from warehouse.alerting.alert_changes import AlertChange
from warehouse.alerting.messages import MessageRoute, mark_failed, mark_sent, take_digests, write_messages
from warehouse.connect import connect
from warehouse.publication.snapshot import publish

SETTINGS = '[questions.tone]\nsystems = ["gpt"]\n'


@pytest.fixture
def project(tmp_path: Path) -> InboxProject:
    """A project that is evaluated with its settings, and a question that is not evaluated."""
    (tmp_path / "kappaflow.toml").write_text(SETTINGS, encoding="utf-8")
    made = InboxProject(tmp_path)
    write_table(made.inbox / "tone.csv", rating_rows(30))
    made.ingest()
    loaded = find_project(tmp_path)
    made.work("evaluate", task_inputs.question_configs(loaded), task_inputs.evaluation_options(loaded))
    write_table(made.inbox / "new.csv", rating_rows(5))
    made.ingest()
    return made


def outdated(project: InboxProject) -> object:
    return read_project_status(find_project(project.folder))["outdated"]


def test_figures_of_the_present_ratings_and_settings_are_not_outdated(project: InboxProject) -> None:
    assert outdated(project) == []  # and a question without figures has no outdated ones


def test_other_settings_and_later_ratings_are_told(project: InboxProject) -> None:
    (project.folder / "kappaflow.toml").write_text(SETTINGS + 'labels = ["kind", "rude"]\n', encoding="utf-8")
    assert outdated(project) == [
        "tone: The settings of the question changed after this evaluation; `kappaflow run` makes a new one."
    ]
    (project.inbox / "tone.csv").write_text(
        (project.inbox / "tone.csv").read_text(encoding="utf-8") + "99,ann,kind\n", encoding="utf-8"
    )
    project.ingest()
    assert outdated(project) == ["tone: The ratings changed after this evaluation; `kappaflow run` makes a new one."]


def evaluated(folder: Path, table: list[str]) -> Project:
    """Take in a table and evaluate it, with the settings in the folder."""
    made = InboxProject(folder)
    (made.inbox / "table.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    loaded = find_project(folder)
    files = find_files([FolderSource("inbox", made.inbox)]).readable
    assert len(list(ingest(made.db, files, task_inputs.ingest_rules(loaded)))) == 1
    made.work("evaluate", task_inputs.question_configs(loaded), task_inputs.evaluation_options(loaded))
    return loaded


def test_who_puts_options_in_the_opposite_order_is_told_by_status_and_by_a_brief_run(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text('[questions.table]\nanswers = "ranking"\n', encoding="utf-8")
    orders = ["a > b > c > d", "b > a > d > c", "c > d > a > b"]
    table = ["item,rater,label"]
    for item in range(30):
        order = orders[item % 3]
        table += [f"{item},{rater},{order}" for rater in ("ann", "ben", "cid")]
        table.append(f"{item},dia,{' > '.join(reversed(order.split(' > ')))}")
    project = evaluated(tmp_path, table)
    sentence = (
        "table: dia contradicts the others (Spearman's rho -1.00 [-1.00, -1.00]; that of the others among themselves is"
        " 1.00). Perhaps the order was taken upside down."
    )
    assert read_project_status(project)["contradictions"] == [sentence]
    assert read_brief_figures(project.warehouse).contradictions == [sentence]


def test_a_voter_who_contradicts_the_others_is_told_by_status_and_by_a_brief_run(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text("", encoding="utf-8")
    table = ["item,rater,model_a,model_b,winner"]
    for item in range(40):
        worse, better = ("model_a", "model_b") if item % 2 else ("model_b", "model_a")
        models = "old,new" if item % 2 else "new,old"
        table += [f"{item},{rater},{models},{better}" for rater in ("ann", "ben", "cid")]
        table.append(f"{item},dia,{models},{worse}")
    project = evaluated(tmp_path, table)
    (sentence,) = read_project_status(project)["contradictions"]
    assert sentence.startswith(
        "table, dia: This voter contradicts the others: they choose the same model in 0 % [0, 0]"
    )
    assert read_brief_figures(project.warehouse).contradictions == [sentence]


def test_who_has_a_scale_upside_down_is_named_although_most_answers_lie_in_its_middle(tmp_path: Path) -> None:
    (tmp_path / "kappaflow.toml").write_text(
        '[questions.table]\nlabels = ["bad", "fair", "good"]\nscale = "ordinal"\n', encoding="utf-8"
    )
    other_end = {"bad": "good", "fair": "fair", "good": "bad"}
    table = ["item,rater,label"]
    for item in range(60):
        label = ("bad", "good", "fair", "fair", "fair", "fair", "fair")[item % 7]
        table += [f"{item},ann,{label}", f"{item},bob,{label}", f"{item},dia,{other_end[label]}"]
    project = evaluated(tmp_path, table)
    with connect(project.warehouse, read_only=True) as con:
        ((high,),) = con.execute(
            "select min(high) from latest_pairwise_agreement where coefficient = 'cohen_kappa'"
        ).fetchall()
    assert high > 0.4  # kappa without weights shows nothing
    (sentence,) = read_project_status(project)["contradictions"]
    assert sentence.startswith("table: dia contradicts the others (kappa with quadratic weights -1.00")
    assert read_brief_figures(project.warehouse).contradictions == [sentence]


def problems(folder: Path) -> list[str]:
    """What the status says is wrong, without the time of the snapshot."""
    return [
        sentence.partition(" What follows")[0] for sentence in read_project_status(find_project(folder))["problems"]
    ]


def test_a_warehouse_that_does_not_open_or_is_gone_is_told_beside_the_figures_of_the_snapshot(
    project: InboxProject,
) -> None:
    assert problems(project.folder) == []
    publish(project.db, project.folder / "published")
    (project.folder / "away.duckdb").write_bytes(project.db.read_bytes())
    project.db.write_bytes(b"no database" * 1000)
    assert problems(project.folder) == [
        f"{project.db} is not a DuckDB file. Move it away, or correct the warehouse path. Until then every run fails."
    ]
    assert read_project_status(find_project(project.folder))["n_ratings"] > 0
    project.db.unlink()
    assert problems(project.folder) == [
        f"There is no warehouse {project.db}. Put a backup or a copy of the snapshot there: else the next run begins a "
        "new one, without the history."
    ]


def test_a_warehouse_that_another_program_holds_is_no_problem(
    project: InboxProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(project.db, project.folder / "published")
    held = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", held, project.db], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert problems(project.folder) == []
        # The snapshot does not have the runs that found nothing new, so it does not tell whether one is overdue.
        long_ago = Service(holder.pid, datetime(2026, 6, 1, 12, tzinfo=UTC), 900, None, "UTC")
        monkeypatch.setattr("flows.project_status.running_service", lambda project: long_ago)
        assert problems(project.folder) == []
    assert problems(project.folder)[0].startswith("No run has begun")


def run_row(started_at: datetime, status: str = "failed", kind: str = "pipeline") -> dict[str, object]:
    return {"kind": kind, "status": status, "started_at": started_at}


def test_a_service_whose_runs_do_not_begin_is_told() -> None:
    start = datetime(2026, 6, 1, 12, tzinfo=UTC)
    service = Service(7, start, 900, None, "UTC")

    def told(last_runs: list[dict[str, object]], minutes: int) -> str | None:
        return overdue_run(service, last_runs, start + timedelta(minutes=minutes))

    before = run_row(start - timedelta(days=1))
    assert told([before], 19) is None, "the first run of the schedule was due at 12:15, and has five minutes"
    assert told([before], 20) == (
        "No run has begun since 2026-05-31 12:00 UTC, although one was due at 2026-06-01 12:15 UTC. `kappaflow serve` "
        "(process 7) prints why."
    )
    assert str(told([], 20)).startswith("No run has begun yet, although one was due at 2026-06-01 12:15 UTC.")
    assert told([run_row(start + timedelta(minutes=16)), before], 34) is None
    assert told([run_row(start + timedelta(minutes=16)), before], 35) is not None
    assert told([run_row(start + timedelta(minutes=16), "running"), before], 500) is None
    assert told([run_row(start + timedelta(minutes=16), kind="ingest"), before], 20) is not None


def test_a_clock_that_was_ahead_is_told() -> None:
    now = datetime(2026, 6, 1, 12, tzinfo=UTC)
    assert future_run([], now) is None
    assert future_run([run_row(now + timedelta(minutes=59))], now) is None
    sentence = future_run([run_row(now + timedelta(days=400)), run_row(now)], now)
    assert str(sentence).startswith("The last run began at 2027-07-06 12:00 UTC, but now it is 2026-06-01 12:00 UTC.")


def test_a_channel_that_failed_is_told_with_the_messages_that_wait(project: InboxProject) -> None:
    settings = project.folder / "kappaflow.toml"
    settings.write_text(f'{SETTINGS}[[notify]]\nurl_env = "TEAM"\n', encoding="utf-8")
    route, now = MessageRoute("TEAM"), datetime(2026, 6, 1, tzinfo=UTC)
    changes = [AlertChange(f"a{n}", f"i{n}", "tone", "rater", "ann", "warning", None, "opened") for n in range(2)]
    with connect(project.db) as con:
        write_messages(con, changes, [route, MessageRoute("OTHER")], run_id=None, now=now)
    assert problems(project.folder) == [], "they were not sent yet"
    with connect(project.db) as con:
        digests, _ = take_digests(con, ["TEAM", "OTHER"], now=now)
        for digest in digests:
            mark_failed(con, digest, error="HTTP 500", next_attempt_at=now, refused=True)
    assert problems(project.folder) == ["2 messages about alerts wait for TEAM, which was tried 1 time: HTTP 500."], (
        "the settings do not name the other channel"
    )
    with connect(project.db) as con:
        (digest,), _ = take_digests(con, ["TEAM"], now=now)
        mark_sent(con, digest.digest_id, now=now)
    assert problems(project.folder) == []
