"""How wide the intervals come out that `plan` promises: `python -m benchmarks.accuracy.planned_widths`.

Prints the table of docs/how-to/plan-a-study.md. Each project has as many items as planned, three people as accurate as
planned and a system that is right in .9, who err independently and evenly.

    python -m benchmarks.accuracy.planned_widths           # less than a minute on two cores
    python -m benchmarks.accuracy.planned_widths --quick   # one project in twenty
"""

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context

import numpy as np
import polars as pl

from stats.accuracy import accuracy
from stats.accuracy.planning.items_needed import StudyPlan, plan

SEED, PROJECTS = 11, 200
CONFIDENCE, SYSTEM_ACCURACY, N_RATERS = 0.9, 0.9, 3
METHODS = ("one_coin", "average")
HEADER = """| labels | kappa | wanted | items | `one_coin`, width | holds truth | `average`, width | holds truth |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


@dataclass(frozen=True)
class Width:
    """A half-width as a multiple of the wanted one, and whether the interval holds the system's accuracy."""

    ratio: float
    holds: bool


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the projects, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.planned_widths", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one project in twenty")
    n_projects = PROJECTS // 20 if parser.parse_args(arguments).quick else PROJECTS
    print(HEADER)
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for n_labels, kappa, half_width in product((2, 3, 5), (0.3, 0.55), (0.1, 0.03)):
            planned = plan(n_labels=n_labels, n_raters=N_RATERS, kappa=kappa, half_width=half_width,
                           confidence=CONFIDENCE, system_accuracy=SYSTEM_ACCURACY)  # fmt: skip
            widths = list(pool.map(partial(drawn_widths, planned), range(n_projects), chunksize=5))
            print(table_row(planned, widths), flush=True)


def drawn_widths(planned: StudyPlan, seed: int) -> dict[str, Width]:
    """Draw a project, and return the width of the system's interval by each method that has one."""
    rng = np.random.default_rng([seed, SEED])
    n, k = planned.n_items, planned.n_labels
    truth = rng.integers(k, size=n)
    rights = {f"person {number}": planned.rater_accuracy for number in range(N_RATERS)} | {"system": SYSTEM_ACCURACY}
    ratings = pl.concat(
        pl.DataFrame({"item": np.arange(n), "rater": rater, "label": codes}).cast(pl.String)
        for rater, right in rights.items()
        for codes in [np.where(rng.random(n) < right, truth, (truth + rng.integers(1, k, size=n)) % k)]
    )
    figures = accuracy(ratings, systems=["system"], labels=[str(label) for label in range(k)], methods=METHODS,
                       confidence=CONFIDENCE)  # fmt: skip
    rows = figures.drop_nulls("low").select("method", "low", "high").iter_rows()
    return {
        method: Width((high - low) / 2 / planned.half_width, low <= SYSTEM_ACCURACY <= high)
        for method, low, high in rows
    }


def table_row(planned: StudyPlan, widths: Sequence[dict[str, Width]]) -> str:
    """Return the line of the table of one plan."""
    cells = [f"{planned.n_labels}", f"{planned.kappa:g}", f"±{planned.half_width:g}", f"{planned.n_items:,}"]
    for method in METHODS:
        of_method = [each[method] for each in widths if method in each]
        cells.append(f"{np.mean([width.ratio for width in of_method]):.2f}")
        cells.append(f"{np.mean([width.holds for width in of_method]):.2f}")
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
