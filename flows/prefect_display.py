"""What Prefect shows of a run beside its tasks: its name, and events for automations."""

from datetime import datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

from prefect.client.orchestration import get_client
from prefect.context import FlowRunContext
from prefect.events import emit_event
from prefect.runtime import flow_run

from flows.project_folder import Project, find_project
from flows.run_result import RunResult
from flows.run_summary import what_happened
from tasks.errors import KappaflowError
from tasks.question_result import QuestionResult

MAX_NAME = 100  # characters of a project's name in the name of a run


def run_name() -> str:
    """Return the name of the run that begins: its project, its flow, and the time in the project's time zone."""
    kind = flow_run.flow_name or "run"
    try:
        project = find_project(flow_run.parameters.get("folder"))
    except KappaflowError:  # the run will say it
        return kind
    now = datetime.now(ZoneInfo(project.settings.project.timezone))
    name = " ".join(project.settings.project.name.split())[:MAX_NAME]
    return f"{name}: {kind}, {now:%Y-%m-%d %H:%M}"


def name_run(result: RunResult) -> None:
    """Add what the run did to its name: batches, questions, alerts. Does nothing outside a flow run."""
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        return
    with get_client(sync_client=True) as client:
        client.set_flow_run_name(context.flow_run.id, f"{context.flow_run.name}: {what_happened(result)}")


def emit_events(project: Project, result: RunResult) -> None:
    """Emit an event for each stored batch, each evaluated question, and each alert that was opened or closed.

    The id of an event's resource holds names in percent encoding; labels and payload hold them as they are.
    """
    for file in result.files:
        if file.status == "stored":
            payload = {
                "file_name": file.file_name,
                "reader": file.reader,
                "n_ratings": file.counts.n_ratings,
                "n_unchanged": file.counts.n_unchanged,
                "n_skipped": file.counts.n_skipped,
                "n_rejected": file.counts.n_rejected,
            }
            emit_event("kappaflow.batch.stored", _resource(project, "batch", file.file_name), payload=payload)
    for question in result.questions:
        _emit_question_events(project, question)


def _emit_question_events(project: Project, question: QuestionResult) -> None:
    if question.kind == "evaluate" and not question.error:
        payload = {"question": question.question, "n_ratings": question.n_ratings}
        resource = _resource(project, "question", question.question, question=question.question)
        emit_event("kappaflow.question.evaluated", resource, payload=payload)
    for change in question.alert_changes:
        labels = {"question": change.question, "kind": change.kind, "severity": change.severity}
        resource = _resource(project, "alert", change.alert_id, **labels)
        emit_event(f"kappaflow.alert.{change.event}", resource, payload=dict(vars(change)))


def _resource(project: Project, what: str, name: str, /, **labels: str) -> dict[str, str]:
    project_name = project.settings.project.name
    return {
        "prefect.resource.id": f"kappaflow.{what}.{quote(project_name, safe='')}.{quote(name, safe='')}",
        "prefect.resource.name": name,
        "kappaflow.project": project_name,
        "kappaflow.folder": str(project.folder),
        **{f"kappaflow.{label}": value for label, value in labels.items()},
    }
