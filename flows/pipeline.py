"""Flow: the main job. Ingest, evaluate, monitor, publish, report; this is what the schedule runs."""

from prefect import flow

from flows.project import Project, find
from flows.work import Done, ingest_sources, recorded, work_through
from tasks import steps


@flow(name="pipeline")
def pipeline(folder: str | None = None) -> Done:
    """The whole pipeline on the project in `folder`, else KAPPAFLOW_HOME, else the current folder."""
    done = recorded("pipeline", folder, _work)
    steps.table_artifact(find(folder).snapshot)
    return done


def _work(project: Project) -> Done:
    files = ingest_sources(project)
    return Done(files, work_through(project, "evaluate") + work_through(project, "monitor"))
