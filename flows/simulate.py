"""The flow of the source paper's experiments, for a schedule or a work pool. `kappaflow simulate` does the same."""

from pathlib import Path
from typing import Any

import polars as pl
from prefect import flow

from flows import prefect_tasks, simulation
from flows.service.environment import quiet_end


@flow(name="simulate")
def simulate(
    figures: list[int] | None = None,
    runs: int = 50,
    seed: int = 0,
    methods: list[str] | None = None,
    out: str | None = None,
) -> dict[str, Any]:
    """Simulate Figures 1 to 14 of Lehner (2015), or only `figures`, and return the summaries.

    The run's page in Prefect gets a table of the errors of the estimates. The folder `out` gets the same files as with
    `kappaflow simulate --out`.
    """
    quiet_end()
    studies, estimators = simulation.paper_studies(figures), simulation.chosen_methods(methods or [])
    numbers = [study.figure for study in studies if study.figure is not None]
    if out is not None:
        simulation.check_folder(Path(out))
    frame = pl.concat([prefect_tasks.simulate_figure(figure, runs, seed, estimators) for figure in numbers])
    files = [] if out is None else prefect_tasks.write_simulation(Path(out), frame, numbers, seed)
    prefect_tasks.write_simulation_artifact(frame, numbers)
    return simulation.as_json(frame, studies, estimators, files)
