"""How often the checks of the assumptions raise an alarm, rightly and wrongly: writes docs/accuracy-checks.md.

Sets of ratings are drawn from worlds that meet all assumptions (size), that violate one of them (power), and from the
source paper's settings that violate several at once (warnings).

    python -m benchmarks.checks           # some minutes on two cores
    python -m benchmarks.checks --quick   # one set in forty, printed and not written
"""

import argparse
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import product
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl

from benchmarks.checks_page import PAGE, page
from stats.accuracy import lehner
from stats.accuracy.checks import CHECKS
from stats.accuracy.checks.material import Answered, Material
from stats.accuracy.estimator import IntArray
from stats.accuracy.notes import LOW_KAPPA
from stats.drawing import Errors, answers, draw_world
from stats.patterns import patterns_of
from stats.simulate import FIGURES

SETS, REPLICATES, SEED = 400, 99, 20_260_801
ITEMS, ACCURACIES, LABELS, RATERS = (50, 200, 1000), (0.4, 0.6, 0.8), (2, 5), (3, 5)
EVEN = Errors(1.0, 0.0, 0.0)
DESIGNS = (("even", 0.0), ("drawn", 0.0), ("drawn", 0.2))  # base rates, share of ratings missing


@dataclass(frozen=True)
class Cell:
    """A world, and `sets` sets of ratings from it; the system is right in .9.

    base_rates are `even` or, for each set, `drawn` from Dirichlet(1, ..., 1). `copier` ("system" or "rater", the
    second one) takes the first rater's label on the share `copied` of the items.
    """

    section: str
    world: str
    items: int
    raters: tuple[float, ...]
    labels: int = 5
    base_rates: str = "drawn"
    missing: float = 0.0
    errors: Errors = EVEN
    copier: str = ""
    copied: float = 0.0
    ordered: bool = True
    sets: int = SETS
    replicates: int = REPLICATES


VIOLATIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "AD=2": {"errors": Errors(2.0, 0.0, 0.0)},
    "PER=1": {"errors": Errors(1.0, 1.0, 0.0)},
    "raters .4 .6 .8": {"raters": (0.4, 0.6, 0.8)},
    "raters .5 .6 .7": {"raters": (0.5, 0.6, 0.7)},
    "difficulty .2": {"errors": Errors(1.0, 0.0, 0.2)},
    "system copies 30 %": {"copier": "system", "copied": 0.3},
    "rater copies 30 %": {"copier": "rater", "copied": 0.3},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one set in forty; print the page, write nothing")
    quick = parser.parse_args().quick
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the workers are as many as the cores; they read it when they start
    started = time.perf_counter()
    planned = [replace(cell, sets=cell.sets // 40) if quick else cell for cell in plan()]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as workers:
        rows = [row for found in workers.map(run, planned) for row in found]
    text = page(pl.DataFrame(rows, infer_schema_length=None))
    if quick:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    print(f"{sum(cell.sets for cell in planned):,} sets of ratings in {time.perf_counter() - started:.0f} s")


def plan() -> list[Cell]:
    """Everything that the page shows, the longest first."""
    return sorted([*_size(), *_power(), *_warnings()], key=lambda cell: -cell.items)


def _size() -> Iterator[Cell]:
    for n, p, k, r, (rates, missing) in product(ITEMS, ACCURACIES, LABELS, RATERS, DESIGNS):
        if r == 3 or rates == "drawn":
            yield Cell("size", "none", n, (p,) * r, k, rates, missing)


def _power() -> Iterator[Cell]:
    for n, r, (world, changed) in product(ITEMS, RATERS, VIOLATIONS.items()):
        ends = changed.get("raters", (0.6, 0.6))
        raters = tuple(np.linspace(ends[0], ends[-1], r).round(2).tolist())
        rest = {name: value for name, value in changed.items() if name != "raters"}
        yield Cell("power", world, n, raters, **rest, sets=SETS // 2, replicates=2 * REPLICATES + 1)


def _warnings() -> Iterator[Cell]:
    for number, ordered in product(range(8, 15), (False, True)):
        figure = FIGURES[number]
        errors = Errors(figure.asymmetry, figure.error_range, figure.difficulty)
        how = {"errors": errors, "ordered": ordered, "sets": SETS // 4, "replicates": 2 * REPLICATES + 1}
        yield Cell("warnings", str(number), figure.n_items, figure.raters, **how)


def run(cell: Cell) -> list[dict[str, Any]]:
    """One row for each check: the share of the sets in which it was made, p is at most .05, and it says violated; and
    a row `any`, of the sets in which any says so or kappa is low."""
    of_cell = {
        "section": cell.section,
        "world": cell.world,
        "items": cell.items,
        "accuracy": min(cell.raters),
        "accuracies": " ".join(f"{p:.1f}".removeprefix("0") for p in cell.raters),
        "raters": len(cell.raters),
        "labels": cell.labels,
        "base_rates": cell.base_rates,
        "missing": cell.missing,
        "ordered": cell.ordered,
        "sets": cell.sets,
    }
    found = [_looked_at(material) for material in _drawn(cell)]
    return [of_cell | {"check": name} | _shares([one[name] for one in found]) for name in found[0]]


def _looked_at(material: Material) -> dict[str, tuple[bool, bool, bool, float]]:
    """For each check whether it was made, p <= .05, violated, and the effect (the largest one of its rows)."""
    looked = {}
    for name, check in CHECKS.items():
        made = [finding for finding in check(material) if finding.reason is None]
        looked[name] = (
            bool(made),
            any((finding.p_value or 0.0) <= 0.05 for finding in made),
            any(finding.violated or False for finding in made),
            max((finding.effect or 0.0 for finding in made), default=np.nan),
        )
    C, n = material.counts
    low = float(lehner.kappa(lehner.rater_figures(C, n[None, :].astype(float)).P_a, material.k)[0]) < LOW_KAPPA
    violated = any(one[2] for one in looked.values())
    looked["kappa"] = (True, low, low, np.nan)
    looked["any"] = (True, violated or low, violated or low, np.nan)
    return looked


def _shares(found: list[tuple[bool, bool, bool, float]]) -> dict[str, float | None]:
    made = [one for one in found if one[0]]
    if not made:
        return {"made": 0.0, "significant": None, "violated": None, "effect": None}
    columns = np.array([one[1:] for one in made], float)
    significant, violated, effect = columns.mean(axis=0).tolist()
    return {
        "made": len(made) / len(found),
        "significant": significant,
        "violated": violated,
        "effect": None if np.isnan(effect) else effect,
    }


def _drawn(cell: Cell) -> Iterator[Material]:
    """The sets of a cell, one after another."""
    place = [SEED, cell.items, len(cell.raters), cell.labels, int(100 * sum(cell.raters)), int(10 * cell.missing)]
    rng = np.random.default_rng([*place, *map(ord, cell.base_rates + cell.world)])
    k, step = cell.labels, max(1, 20_000 // cell.items)
    for start in range(0, cell.sets, step):
        R = min(step, cell.sets - start)
        rates = rng.dirichlet(np.ones(k), R) if cell.base_rates == "drawn" else np.full((R, k), 1 / k)
        world = draw_world(cell.items, rates, rng)
        given = np.stack([answers(world, p, cell.errors, rng)[0] for p in cell.raters], axis=-1)
        answer, _ = answers(world, 0.9, cell.errors, rng)
        copied = rng.random(answer.shape) < cell.copied
        if cell.copier == "system":
            answer = np.where(copied, given[..., 0], answer)
        elif cell.copier == "rater":
            given[..., 1] = np.where(copied, given[..., 0], given[..., 1])
        given[rng.random(given.shape) < cell.missing] = -1
        for number in range(R):
            yield material_of(given[number], answer[number], cell, seed=start + number)


def material_of(given: IntArray, answer: IntArray, cell: Cell, *, seed: int) -> Material:
    """The material of one set: label codes (n, r) of the raters and (n,) of a system, -1 for none."""
    rows, n_items = np.unique(np.column_stack([given, answer]), axis=0, return_counts=True)
    humans = patterns_of(rows[:, :-1], n_items, cell.labels)
    raters = [f"rater {g}" for g in range(given.shape[1])]
    systems = {"system": Answered(humans, rows[:, -1])}
    return Material(humans, raters, systems, cell.ordered, seed, cell.replicates)


if __name__ == "__main__":
    main()
