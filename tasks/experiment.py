"""One of the source paper's experiments: how near the estimates come to the truth that was simulated."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from stats.simulate import FIGURES, simulate
from tasks.errors import InputError


def experiment(figure: int, *, runs: int, seed: int, methods: Sequence[str] = ()) -> dict[str, Any]:
    """Figure 1 to 14 of Lehner (2015), `runs` times; `lehner` is always among the methods.

    Gives {"figure", "runs", "kappa", "systems": [{"system_accuracy", "expected_accuracy", "method", "mean",
    "rmse"}]}: kappa is the mean over the runs, rmse is that of the estimates against the expected accuracy.
    """
    if figure not in FIGURES:
        raise InputError(f"There is no figure {figure}.", f"The paper has figures {min(FIGURES)} to {max(FIGURES)}.")
    found = simulate(FIGURES[figure], runs=runs, seed=seed, methods=tuple(dict.fromkeys(["lehner", *methods])))
    error = pl.col("estimate") - pl.col("expected_accuracy")
    systems = (
        found.group_by("system_accuracy", "method")
        .agg(
            pl.col("expected_accuracy").mean(),
            mean=pl.col("estimate").mean(),
            rmse=error.pow(2).mean().sqrt(),
        )
        .sort("system_accuracy", "method")
    )
    return {
        "figure": figure,
        "runs": runs,
        "kappa": found["kappa"].mean(),
        "systems": systems.select("system_accuracy", "expected_accuracy", "method", "mean", "rmse").to_dicts(),
    }
