"""A whole run under a real Prefect: messages of alerts to a real webhook, and what Prefect shows of the run."""

import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.cli.status_output import print_status
from flows.project_folder import find_project
from flows.project_status import read_project_status
from tests.tasks.notify.outbox import TEAM, messages, open_alert_in
from tests.tasks.notify.webhook import webhook

Json = Callable[..., Any]
SETTINGS = """
[project]
name = "Support"
[[notify]]
"""
RATINGS = "item,rater,label\n" + "".join(f"{item},{rater},{'ab'[item % 2]}\n" for item in range(9) for rater in "xyz")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "support"
    (folder / "inbox").mkdir(parents=True)
    (folder / "kappaflow.toml").write_text(SETTINGS)
    (folder / "inbox" / "tone.csv").write_text(RATINGS)
    return folder


def ask(server: str, path: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        f"{server}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_a_failed_channel_is_said_and_the_next_run_sends_what_waits(
    project: Path, kappaflow: Callable[..., Any], kappaflow_json: Json, prefect_server: str
) -> None:
    kappaflow("run", "--project", project, PREFECT_API_URL=prefect_server)  # its charts are up to date then
    open_alert_in(project / "warehouse.duckdb", question="tone", subject="z")
    with webhook() as receiver:
        environment = {"PREFECT_API_URL": prefect_server, TEAM.channel: receiver.url("T0psecret")}
        receiver.answers.append(403)
        logs = {f"PREFECT_LOGGING_{name}LEVEL": "DEBUG" for name in ("", "ROOT_", "HANDLERS_CONSOLE_")}
        failed = kappaflow("run", "--project", project, **environment, **logs)
        assert "could not be sent to KAPPAFLOW_NOTIFY_URL: the service answered with HTTP 403" in failed.stdout
        assert "DEBUG" in failed.stderr
        assert "T0psecret" not in failed.stdout + failed.stderr
        (waiting,) = kappaflow_json("sql", "--project", project, "select n_attempts, error, sent_at from messages")
        assert (waiting["n_attempts"], waiting["sent_at"]) == (1, None)
        assert "HTTP 403" in waiting["error"]

        sent = kappaflow_json("run", "--project", project, **environment)
        assert sent["notes"] == ["1 message sent to KAPPAFLOW_NOTIFY_URL."]
        assert sent["messages"] == [{"channel": TEAM.channel, "status": "sent", "n_messages": 1, "error": None}]
        (body,) = receiver.bodies
        assert "Alert opened in tone: annotator z" in body["message"]
        assert str(project / "report.html") in body["message"]
        (published,) = kappaflow_json("sql", "--project", project, "select n_attempts, error, sent_at from messages")
        assert (published["n_attempts"], published["error"]) == (2, None)
        assert published["sent_at"] is not None
        assert kappaflow_json("run", "--project", project, **environment)["messages"] == []
    snapshot, report = project / "published" / "snapshot.duckdb", project / "report.html"
    assert snapshot.stat().st_mtime <= report.stat().st_mtime  # so the next run may be idle
    assert messages(project / "warehouse.duckdb", "n_attempts, error") == [(2, None)]


def test_prefect_shows_name_events_and_tables(project: Path, kappaflow_json: Json, prefect_server: str) -> None:
    first = kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)
    assert first["messages"] == [{"channel": TEAM.channel, "status": "unset", "n_messages": 0, "error": None}]
    assert first["notes"][-1] == "Nothing can be sent to KAPPAFLOW_NOTIFY_URL: this environment variable is not set."

    runs = ask(prefect_server, "flow_runs/filter", {"flow_runs": {"name": {"like_": "Support: pipeline, "}}})
    (run,) = [each for each in runs if each["parameters"]["folder"] == str(project)]
    assert run["name"].endswith(": 1 batch, 1 question")

    artifacts = ask(prefect_server, "artifacts/filter", {"artifacts": {"flow_run_id": {"any_": [run["id"]]}}})
    by_key = {artifact["key"]: artifact for artifact in artifacts}
    assert set(by_key) == {"agreement", "files", "summary"}
    assert by_key["summary"]["data"].startswith("**1 batch, 1 question.**")
    assert json.loads(by_key["files"]["data"])[0]["ratings"] == 27

    events = {event["event"]: event for event in _events(prefect_server, str(project), 2)}
    assert set(events) == {"kappaflow.batch.stored", "kappaflow.question.evaluated"}
    assert events["kappaflow.batch.stored"]["payload"]["n_ratings"] == 27
    resource = events["kappaflow.question.evaluated"]["resource"]
    assert resource["prefect.resource.id"] == "kappaflow.question.Support.tone"
    assert (resource["kappaflow.project"], resource["kappaflow.question"]) == ("Support", "tone")


def test_a_target_that_fails_is_said_and_the_run_succeeds(
    project: Path, kappaflow_json: Json, prefect_server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    target = '\n[[publish.target]]\ntype = "postgres"\nurl_env = "NOT_SET"\n'
    (project / "kappaflow.toml").write_text(SETTINGS + target)
    result = kappaflow_json("run", "--project", project, PREFECT_API_URL=prefect_server)
    name = "Postgres (NOT_SET), schema kappaflow"
    assert [(row["target"], row["status"]) for row in result["publications"]] == [(name, "unset")]
    assert result["notes"][-1] == (
        f"Nothing was published to {name}: the environment variable NOT_SET is not set. The next run tries again."
    )
    status = read_project_status(find_project(project))
    (publication,) = status["publications"]
    assert (publication["status"], publication["written_at"]) == ("unset", None)
    print_status(status, find_project(project))
    assert f"Published to {name}: never written. Last try: the environment variable" in capsys.readouterr().out


def _events(server: str, folder: str, number: int) -> list[dict[str, Any]]:
    """The events of a project; the server stores them a moment after they come."""
    body = {"filter": {"event": {"prefix": ["kappaflow."]}, "resource": {"labels": {"kappaflow.folder": [folder]}}}}
    for _ in range(100):
        events: list[dict[str, Any]] = ask(server, "events/filter", body)["events"]
        if len(events) >= number:
            break
        time.sleep(0.2)
    return events
