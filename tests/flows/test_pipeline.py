"""The main job as a user runs it: `kappaflow run` on a project folder, under a real Prefect server."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import DemoRuns

Json = Callable[..., Any]


def _rows(project: Path, query: str) -> list[dict[str, Any]]:
    with duckdb.connect(str(project / "published" / "snapshot.duckdb"), read_only=True) as con:
        return con.sql(query).pl().to_dicts()


def test_the_demo_from_exports_to_sql(
    demo_runs: DemoRuns, tmp_path: Path, kappaflow_json: Json, prefect_server: str
) -> None:
    demo, first = demo_runs.after_first, demo_runs.first
    status = {file["file_name"]: file["status"] for file in first["files"]}
    assert status.pop("support_2026-02-05.json") == "rejected"
    assert set(status.values()) == {"stored"}
    assert first["failed"] == []
    assert (demo / "report.html").stat().st_size > 10_000

    # Every row that came in is accounted for.
    for batch in _rows(demo, "select * from batches"):
        assert batch["n_rows"] == sum(batch[n] for n in ("n_ratings", "n_unchanged", "n_skipped", "n_rejected"))
    reasons = _rows(demo, "select reason from rejected_rows order by reason")
    assert [row["reason"] for row in reasons] == [
        "bad_time", "missing_label", "missing_rater", "ragged_row", "unknown_label"]  # fmt: skip

    # Lehner (2015), Table 2: kappa .111, and the system's accuracy .7314.
    table_2 = _rows(
        demo,
        "select accuracy from latest_system_accuracy where question = 'lehner_2015_table_2' and method = 'lehner'",
    )
    assert table_2[0]["accuracy"] == pytest.approx(0.73143, abs=5e-6)
    kappa = _rows(
        demo,
        "select estimate from latest_agreement where question = "
        "'lehner_2015_table_2' and coefficient = 'brennan_prediger' and period = 'all'",
    )
    assert kappa[0]["estimate"] == pytest.approx(1 / 9)

    # The judge is better than every annotator, and found to be so without gold.
    best = _rows(
        demo,
        "select accuracy from latest_system_accuracy where question = 'intent' and system = 'judge-llm'",
    )
    raters = _rows(
        demo,
        "select max(accuracy) as best from rater_leaderboard where question = 'intent' and rater_kind = 'human'",
    )
    assert best[0]["accuracy"] > raters[0]["best"]

    tables = ("batches", "ratings", "rejected_rows", "agreement", "system_accuracy", "item_consensus")
    before = {name: _rows(demo, f"select count(*) as n from {name}") for name in tables}
    runs = _rows(demo, "select count(*) as n from runs")[0]["n"]

    # Again: nothing new but the run's own row.
    demo = shutil.copytree(demo, tmp_path / "demo")
    second = kappaflow_json("run", "--project", demo, PREFECT_API_URL=prefect_server)
    assert second["files"] == second["evaluated"] == []
    assert {name: _rows(demo, f"select count(*) as n from {name}") for name in tables} == before
    assert _rows(demo, "select count(*) as n from runs")[0]["n"] == runs + 1

    # The late export: what it repeats is unchanged, what was edited supersedes, and only its questions run.
    demo, third = demo_runs.folder, demo_runs.late
    assert [file["file_name"] for file in third["files"]] == ["support_2026-03-27.json"]
    assert third["files"][0]["n_unchanged"] > 500
    assert sorted(third["evaluated"]) == ["intent", "urgency"]
    edits = _rows(demo, "select count(*) as n from ratings where superseded_at is not null")
    assert 9 <= edits[0]["n"] <= 18
    twice = _rows(demo, "select question from current_ratings group by question, item, rater having count(*) > 1")
    assert twice == []
    alerts = _rows(demo, "select question, kind, subject from alerts where closed_at is null order by kind")
    assert [tuple(alert.values()) for alert in alerts] == [
        ("intent", "agreement", None),
        ("intent", "low_agreement", None),
        ("intent", "rater", "3"),
    ]


def test_a_question_that_cannot_be_evaluated_fails_the_run_but_not_the_others(
    tmp_path: Path, kappaflow: Any, kappaflow_json: Json, prefect_server: str
) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    (project / "kappaflow.toml").write_text('[questions.mood]\nscale = "ordinal"\n')
    table = "item,rater,label\n" + "".join(f"{i},{r},{'low' if i % 2 else 'high'}\n" for i in range(9) for r in "ab")
    (project / "inbox" / "mood.csv").write_text(table)
    (project / "inbox" / "tone.csv").write_text(table + "10,a,low\n")
    result = kappaflow("run", "--project", project, code=1, PREFECT_API_URL=prefect_server)
    assert result.stdout.count("mood could not be evaluated") == 1  # evaluation and monitoring fail alike
    assert "no declared order" in result.stdout
    assert "Traceback" not in result.stderr
    results = _rows(project, "select distinct question from latest_agreement")
    assert results == [{"question": "tone"}]
    # Declared, it is evaluated, and only it.
    (project / "kappaflow.toml").write_text('[questions.mood]\nscale = "ordinal"\nlabels = ["low", "high"]\n')
    assert kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)["evaluated"] == ["mood"]


def test_a_file_that_could_not_be_read_is_read_once_the_settings_say_how(
    tmp_path: Path, kappaflow_json: Json, prefect_server: str
) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    rows = "".join(f"{i};{r};{'x' if i % 3 else 'y'}\n" for i in range(6) for r in "ab")
    (project / "inbox" / "odd.csv").write_text("alpha;beta;gamma\n" + rows)
    first = kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)
    assert first["files"][0]["status"] == "rejected"
    assert kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)["files"] == []
    (project / "kappaflow.toml").write_text('[source]\ncolumns = { item = "alpha", rater = "beta", label = "gamma" }\n')
    again = kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)
    assert (again["files"][0]["status"], again["files"][0]["n_ratings"]) == ("stored", 12)


def test_run_in_a_folder_without_an_inbox_says_what_to_do(tmp_path: Path, kappaflow: Any, prefect_server: str) -> None:
    result = kappaflow("run", code=2, PREFECT_API_URL=prefect_server)
    assert "is not a project: it has neither kappaflow.toml nor a folder inbox." in result.stderr
    assert len(result.stderr.strip().splitlines()) == 2


@pytest.mark.field_trial(7)
def test_names_that_no_data_have_are_said_at_every_run(
    tmp_path: Path, kappaflow: Json, kappaflow_json: Json, prefect_server: str
) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    (project / "kappaflow.toml").write_text(
        '[questions.tone]\nlabels = ["yes", "no"]\nsystems = ["ghost"]\ngold = ["nobody"]\n[questions.tome]\n'
    )
    rows = [f"{i},{rater},{'yes' if i % 3 else 'no'}" for i in range(9) for rater in ("ann", "bob")]
    (project / "inbox" / "tone.csv").write_text("\n".join(["item,rater,label", *rows]) + "\n")
    expected = (
        ("[questions.tone] systems 'ghost'", "The raters are: ann, bob."),
        ("[questions.tone] gold 'nobody'", "The raters are: ann, bob."),
        ("[questions.tome]", "The questions are: tone."),  # tone has a section already
    )
    for command in ("ingest", "evaluate", "run"):
        notes = kappaflow_json(command, "--project", project, PREFECT_API_URL=prefect_server)["notes"]
        assert len(notes) == 3
        for text, (place, hint) in zip(notes, expected, strict=True):
            assert (place in text, hint in text) == (True, True), command
    result = kappaflow("run", "--project", project, PREFECT_API_URL=prefect_server)  # finds nothing new
    assert all(place in result.stdout and place in result.stderr for place, _ in expected)  # the log has them too

    results = kappaflow_json("doctor", "--project", project, code=1)
    (wrong,) = (check for check in results["checks"] if not check["ok"])
    assert (wrong["check"], wrong["where"], wrong["n_rows"]) == ("names in the settings", "settings", 3)
    assert [row["name"] for row in wrong["rows"]] == ["ghost", "nobody", "tome"]

    (project / "kappaflow.toml").write_text('[questions.tone]\nlabels = ["yes", "no"]\ngold = ["bob"]\n')
    assert kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)["notes"] == []
    assert kappaflow_json("doctor", "--project", project)["ok"]
