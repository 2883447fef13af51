"""Flow: agreement per day, week, month and batch, and the alerts that follow, then publish."""

from prefect import flow

from flows.work import Done, recorded, work_through


@flow(name="monitor")
def monitor(folder: str | None = None) -> Done:
    """Look at the trends of the project in `folder`."""
    return recorded("monitor", folder, lambda project: Done(outcomes=work_through(project, "monitor")))
