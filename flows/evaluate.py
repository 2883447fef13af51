"""Flow: agreement and accuracy of the questions whose ratings or settings changed, then publish."""

from prefect import flow

from flows.work import Done, recorded, work_through


@flow(name="evaluate")
def evaluate(folder: str | None = None, everything: bool = False) -> Done:
    """Evaluate the project in `folder`; `everything` also what has not changed."""
    return recorded(
        "evaluate", folder, lambda project: Done(outcomes=work_through(project, "evaluate", everything=everything))
    )
