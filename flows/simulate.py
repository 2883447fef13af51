"""Flow: the source paper's experiments, for a schedule or a work pool; `kappaflow simulate` is the same by hand."""

from pathlib import Path
from typing import Any

import polars as pl
from prefect import flow

from flows.environment import quiet_end
from tasks import experiments, steps


@flow(name="simulate")
def simulate(
    figures: list[int] | None = None,
    runs: int = 50,
    seed: int = 0,
    methods: list[str] | None = None,
    out: str | None = None,
) -> dict[str, Any]:
    """Figures 1 to 14 of Lehner (2015), or those named; leaves a table of how near the estimates came, and in the
    folder `out` the same files as `kappaflow simulate --out`."""
    quiet_end()
    studies, chosen = experiments.paper_studies(figures), experiments.chosen_methods(methods or [])
    numbers = [study.figure for study in studies if study.figure is not None]
    if out is not None:
        experiments.check_folder(Path(out))
    frame = pl.concat([steps.experiment(figure, runs, seed, chosen) for figure in numbers])
    files = [] if out is None else steps.write_experiments(Path(out), frame, numbers, seed)
    steps.experiments_artifact(frame, numbers)
    return experiments.as_json(frame, studies, chosen, files)
