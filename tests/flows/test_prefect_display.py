"""The events of a run, without a server."""

from pathlib import Path
from typing import Any

import pytest

from flows import prefect_display
from flows.prefect_display import emit_events, name_run
from flows.project_folder import Project
from flows.run_result import RunResult
from flows.run_summary import what_happened
from flows.settings.model import Settings
from tasks.ingest.file_result import FileResult
from tasks.question_result import QuestionResult
from warehouse.alerting.alert_changes import AlertChange
from warehouse.batches import BatchCounts

COUNTS = BatchCounts(n_ratings=3, n_unchanged=2, n_skipped=1, n_rejected=0, questions=(), repeated=False)
OPENED = AlertChange("a1", "i1", "tone/a b", "rater", "r3", "warning", None, "opened")
CLOSED = AlertChange("a2", "i2", "tone/a b", "agreement", None, "critical", "ann", "closed")
RESULT = RunResult(
    files=(
        FileResult("ok.csv", "stored", "long", COUNTS, None, None, ()),
        FileResult("bad.csv", "rejected", None, COUNTS, "empty", None, ()),
    ),
    questions=(
        QuestionResult("evaluate", "tone/a b", 12, ()),
        QuestionResult("evaluate", "broken", 12, (), "it broke"),
        QuestionResult("monitor", "tone/a b", 12, (), None, (OPENED, CLOSED)),
    ),
)


def test_events_have_names_resources_and_payloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[tuple[str, dict[str, str], dict[str, Any]]] = []
    monkeypatch.setattr(
        prefect_display, "emit_event", lambda event, resource, payload: events.append((event, resource, payload))
    )
    emit_events(Project(tmp_path, Settings()), RESULT)
    assert [(event, resource["prefect.resource.id"]) for event, resource, _ in events] == [
        ("kappaflow.batch.stored", "kappaflow.batch.kappaflow.ok.csv"),
        ("kappaflow.question.evaluated", "kappaflow.question.kappaflow.tone%2Fa%20b"),
        ("kappaflow.alert.opened", "kappaflow.alert.kappaflow.a1"),
        ("kappaflow.alert.closed", "kappaflow.alert.kappaflow.a2"),
    ]
    assert events[2][1]["kappaflow.question"] == "tone/a b"
    assert events[3][2] == {
        "alert_id": "a2", "incident_id": "i2", "question": "tone/a b", "kind": "agreement", "subject": None,
        "severity": "critical", "owner": "ann", "event": "closed",
    }  # fmt: skip


def test_what_a_run_did_is_counted() -> None:
    assert what_happened(RESULT) == "1 batch, 2 questions, 1 alert opened, 1 alert closed"


def test_outside_a_flow_nothing_is_named() -> None:
    name_run(RESULT)
