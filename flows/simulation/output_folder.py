"""The files of a simulation: the page, every run as Parquet, the table of how close as CSV."""

import os
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from flows.simulation.closeness import closeness
from flows.simulation.study import Study
from tasks.atomic_files import write_atomically
from tasks.errors import InputError

PAGE, RUNS, TABLE = "simulation.html", "simulation.parquet", "closeness.csv"


def check_folder(folder: Path) -> None:
    """Make the folder, before any time is spent on what goes into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"{folder} is no folder, a file has its name.", "Name another folder with --out.") from error


def write_folder(
    folder: Path, frame: pl.DataFrame, studies: Sequence[Study], *, seed: int, confidence: float | None = None
) -> list[Path]:
    """Write simulation.html, simulation.parquet and closeness.csv into the folder; gives their paths.

    The same runs give the same bytes: nothing in the files tells when they were made.
    """
    from flows.simulation.simulation_page import (
        render,  # its drawing takes a second to import, which `--json` need not wait for
    )

    check_folder(folder)
    page, runs, table = folder / PAGE, folder / RUNS, folder / TABLE
    write_atomically(page, render(frame, studies, seed=seed, confidence=confidence))
    part = folder / f".{RUNS}.tmp"
    frame.write_parquet(part)
    os.replace(part, runs)
    write_atomically(table, closeness(frame, studies).write_csv())
    return [page, runs, table]
