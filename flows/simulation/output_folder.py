"""The files of a simulation: the page, all runs as Parquet, and the table of errors as CSV."""

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
    """Make the folder. Called before the simulation, so that a wrong folder costs no time.

    Raises InputError if a file has its name.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(
            f"{folder} is not a folder: a file has its name.", "Choose another folder with --out."
        ) from error


def write_folder(
    folder: Path, frame: pl.DataFrame, studies: Sequence[Study], *, seed: int, confidence: float | None = None
) -> list[Path]:
    """Write simulation.html, simulation.parquet and closeness.csv into the folder, and return their paths.

    The same runs make the same bytes, because the files do not contain the time.
    """
    from flows.simulation.simulation_page import render  # imported here, because it takes a second

    check_folder(folder)
    page, runs, table = folder / PAGE, folder / RUNS, folder / TABLE
    write_atomically(page, render(frame, studies, seed=seed, confidence=confidence))
    draft = folder / f".{RUNS}.tmp"
    frame.write_parquet(draft)
    os.replace(draft, runs)
    write_atomically(table, closeness(frame, studies).write_csv())
    return [page, runs, table]
