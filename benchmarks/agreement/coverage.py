"""How often the 95 % intervals of the coefficients hold the true value: simulates it and writes docs/coverage.md.

Ratings are drawn from worlds whose agreement is known. All rating patterns of r raters and k labels are listed with
their shares, so that a set of n items is one multinomial draw, and thousands of sets are computed at once. The true
value of a coefficient is what it makes of a thousand million items in exactly these shares.

    python -m benchmarks.agreement.coverage           # ten minutes on two cores
    python -m benchmarks.agreement.coverage --quick   # one set in fifty, printed and not written
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl

from benchmarks.agreement.coverage_page import PAGE, page
from benchmarks.agreement.worlds import MODELS, World, population_of, setting, true_value
from stats.agreement import COEFFICIENTS
from stats.agreement.count_tables import CountTables
from stats.agreement.inference.estimates import CoefficientEstimates, compute_estimates
from stats.agreement.inference.interval_methods import ErrorOptions

KAPPAS, ITEMS, RATERS, LABELS = (0.2, 0.5, 0.8), (30, 100, 1000), (2, 3, 5), (2, 5)
SETS = {"t": 10_000, "jackknife": 4_000, "percentile": 1_000, "bca": 1_000}
BOOTSTRAP = ("percentile", "bca")
CELLS = 400_000  # patterns times sets that are worked on at once
SEED = 20_260_801

ANY = (
    "percent_agreement",
    "brennan_prediger",
    "fleiss_kappa",
    "conger_kappa",
    "light_kappa",
    "krippendorff_alpha",
    "gwet_ac1",
)
TWO = (*ANY, "cohen_kappa", "scott_pi", "bangdiwala_b", "information_agreement")
ICC = ("icc2", "icc3")


@dataclass(frozen=True)
class Task:
    """`sets` sets of `items` items from a world, with the intervals of some coefficients by one method."""

    section: str
    world: World
    items: int
    coefficients: tuple[str, ...]
    method: str
    sets: int
    seed: int = SEED


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one set in fifty; print the page, write nothing")
    quick = parser.parse_args().quick
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the workers are as many as the cores; they read it when they start
    started = time.perf_counter()
    planned = [replace(task, sets=task.sets // 50) if quick else task for task in plan()]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as workers:
        rows = [row for of_task in workers.map(run, planned) for row in of_task]
    text = page(pl.DataFrame(rows, infer_schema_length=None))
    if quick:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    print(f"{sum(task.sets for task in planned):,} sets of ratings in {time.perf_counter() - started:.0f} s")


def plan() -> list[Task]:
    """Everything that the page shows, the longest tasks first."""
    tasks = [*_grid("errors", SETS["t"]), *_grid("hard items", 4_000), *_gaps(), *_methods(), *_icc()]
    return sorted(tasks, key=lambda task: (task.method in BOOTSTRAP, _patterns(task)), reverse=True)


def _grid(model: str, sets: int) -> Iterator[Task]:
    for r in RATERS:
        for k in LABELS:
            names = ANY if r > 2 else TWO if k > 2 else (*TWO, "yule_y")
            for task in _tasks(model, [World(model, kappa, r, k) for kappa in KAPPAS], names, ("t",)):
                yield replace(task, sets=sets)


def _gaps() -> Iterator[Task]:
    worlds = [World("errors", kappa, 3, k, missing=0.2) for k in LABELS for kappa in KAPPAS]
    yield from _tasks("gaps", worlds, ANY, ("t", "jackknife"))


def _methods() -> Iterator[Task]:
    two = ("fleiss_kappa", "gwet_ac1", "bangdiwala_b", "yule_y", "information_agreement")
    for r, names in ((2, two), (3, ("fleiss_kappa", "gwet_ac1"))):
        worlds = [World("errors", kappa, r, 2) for kappa in KAPPAS]
        yield from _tasks("methods", worlds, names, tuple(SETS), items=(30, 100))


def _icc() -> Iterator[Task]:
    for model in ("grades", "errors"):
        worlds = [World(model, kappa, r, 5) for r in (2, 3) for kappa in KAPPAS]
        yield from _tasks("icc", worlds, ICC, ("t", "jackknife"))


def _tasks(
    section: str,
    worlds: Sequence[World],
    names: tuple[str, ...],
    methods: Sequence[str],
    items: Sequence[int] = ITEMS,
) -> Iterator[Task]:
    for world in worlds:
        for n in items:
            for method in methods:
                yield Task(section, world, n, names, method, SETS[method])


def _patterns(task: Task) -> int:
    n_patterns: int = task.world.labels**task.world.raters
    return n_patterns


def run(task: Task) -> list[dict[str, Any]]:
    """One row per coefficient: what became of its intervals."""
    world = task.world
    everyone, estimates = population_of(world), {name: list[CoefficientEstimates]() for name in task.coefficients}
    how = {name: setting(world.labels, "interval" if name in ICC else "nominal") for name in task.coefficients}
    for number, tables in enumerate(_drawn(task)):
        for name in task.coefficients:
            errors = ErrorOptions(method=task.method, seed=number)
            estimates[name].append(compute_estimates(COEFFICIENTS[name], tables, how[name], errors))
    of_task = {"section": task.section, **asdict(world), "items": task.items, "asked": task.method, "sets": task.sets}
    return [
        of_task | {"coefficient": name} | _summary(results, true_value(name, everyone, how[name]))
        for name, results in estimates.items()
    ]


def _drawn(task: Task) -> Iterator[CountTables]:
    """The sets of a task in blocks; one by one for the bootstrap, so that each set has random numbers of its own."""
    world, everyone = task.world, population_of(task.world)
    place = (list(MODELS).index(world.model), world.raters, world.labels, task.items)
    rng = np.random.default_rng([task.seed, round(100 * world.kappa), round(100 * world.missing), *place])
    block = 1 if task.method in BOOTSTRAP else max(CELLS // len(everyone.shares), 1)
    for start in range(0, task.sets, block):
        size = min(block, task.sets - start)
        yield everyone.tables(rng.multinomial(task.items, everyone.shares, size).astype(float))


def _summary(results: Sequence[CoefficientEstimates], truth: float) -> dict[str, Any]:
    """Of the sets that have an interval: the share that holds the truth, lies below it, lies above it.

    undefined, degenerate: sets without an interval, and those with a standard error of 0. bias and sd are of the
    estimate, se is the mean standard error, correlation that of estimate and standard error.
    """
    estimate, se, low, high = (
        np.concatenate([getattr(part, name) for part in results]) for name in ("estimate", "se", "low", "high")
    )
    defined = ~np.isnan(low)
    estimate, se, low, high = estimate[defined], se[defined], low[defined], high[defined]
    return {
        "method": results[0].method,
        "truth": truth,
        "undefined": int((~defined).sum()),
        "degenerate": int((se == 0).sum()),
        "coverage": float(((low <= truth) & (truth <= high)).mean()),
        "below": float((high < truth).mean()),
        "above": float((low > truth).mean()),
        "bias": float(estimate.mean() - truth),
        "sd": float(estimate.std(ddof=1)),
        "se": float(se.mean()),
        "correlation": float(np.corrcoef(estimate, se)[0, 1]),
    }


if __name__ == "__main__":
    main()
