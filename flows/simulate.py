"""Flow: the source paper's experiments, for a schedule or a work pool; `kappaflow simulate` is the same by hand."""

from typing import Any

from prefect import flow

from tasks import steps


@flow(name="simulate")
def simulate(
    figures: list[int] | None = None, runs: int = 50, seed: int = 0, methods: list[str] | None = None
) -> list[dict[str, Any]]:
    """Figures 1 to 14 of Lehner (2015), or those named; leaves a table of how near the estimates came."""
    found = [steps.experiment(figure, runs, seed, methods or []) for figure in figures or range(1, 15)]
    steps.experiments_artifact(found)
    return found
