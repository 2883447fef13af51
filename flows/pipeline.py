"""The flows: ingest, evaluate, monitor, and the pipeline of all three, which the schedule runs.

The stages are plain functions (flows.stages), not subflows: a subflow costs a second of Prefect's own time.
"""

from prefect import flow

from flows.prefect_display import run_name
from flows.run_result import RunResult
from flows.run_tracking import tracked_run
from flows.stages import (
    evaluate_questions,
    ingest_sources,
    monitor_questions,
    notify_channels,
    publish_elsewhere,
    publish_run,
    rename_raters,
    show_run,
)


@flow(name="pipeline", flow_run_name=run_name)
def pipeline(folder: str | None = None) -> RunResult:
    """Run every stage on the project in `folder`, else KAPPAFLOW_HOME, else the current folder."""
    with tracked_run("pipeline", folder) as run:
        rename_raters(run)
        run.files += ingest_sources(run.project)
        run.questions += evaluate_questions(run.project)
        run.questions += monitor_questions(run.project, run.run_id)
        publish_run(run)
        notify_channels(run)
        publish_elsewhere(run)
        show_run(run)
    return run.result


@flow(name="ingest", flow_run_name=run_name)
def ingest(folder: str | None = None, paths: list[str] | None = None, retry_rejects: bool = False) -> RunResult:
    """Store what is new in the sources of the project in `folder`, or in the files and folders `paths`.

    With `retry_rejects`, also read again the files that had rejected rows.
    """
    with tracked_run("ingest", folder) as run:
        rename_raters(run)
        run.files += ingest_sources(run.project, paths or [], retry_rejects=retry_rejects)
        publish_run(run)
        publish_elsewhere(run)
        show_run(run)
    return run.result


@flow(name="evaluate", flow_run_name=run_name)
def evaluate(folder: str | None = None, everything: bool = False) -> RunResult:
    """Compute agreement and accuracy of the questions whose ratings or settings changed; with `everything` of all."""
    with tracked_run("evaluate", folder) as run:
        run.questions += evaluate_questions(run.project, everything=everything)
        publish_run(run)
        publish_elsewhere(run)
        show_run(run)
    return run.result


@flow(name="monitor", flow_run_name=run_name)
def monitor(folder: str | None = None) -> RunResult:
    """Compute agreement by day, week, month and batch, and the alerts that follow from it. Send their messages."""
    with tracked_run("monitor", folder) as run:
        run.questions += monitor_questions(run.project, run.run_id)
        publish_run(run)
        notify_channels(run)
        publish_elsewhere(run)
        show_run(run)
    return run.result
