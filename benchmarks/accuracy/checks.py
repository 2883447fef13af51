"""How often the checks of the assumptions raise an alarm, rightly and wrongly: writes docs/accuracy-checks.md.

Sets of ratings are drawn from worlds that meet all assumptions (size, and clean: with several systems and unequal
raters), that violate one of them (power), and from the source paper's settings that violate several at once (warnings).

    python -m benchmarks.accuracy.checks           # some minutes on two cores
    python -m benchmarks.accuracy.checks --quick   # one set in forty, printed and not written
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

from benchmarks.accuracy.checks_page import PAGE, page
from stats.accuracy.checks import CHECKS
from stats.accuracy.checks.check_inputs import CheckInputs, SystemAnswers
from stats.accuracy.checks.finding import CheckFinding, holm
from stats.accuracy.checks.verdicts import Verdict, verdicts
from stats.accuracy.estimators import lehner
from stats.accuracy.warnings_in_words import LOW_KAPPA
from stats.arrays import IntArray
from stats.defaults import CHECK_LEVEL
from stats.patterns import patterns_of
from stats.simulate import FIGURES
from stats.simulation.draws import ErrorProfile, SimulatedItems, draw_answers, draw_items

SETS, REPLICATES, SEED = 200, 99, 20_260_801
ITEMS, ACCURACIES, LABELS, RATERS = (50, 200, 1000), (0.4, 0.6, 0.8), (2, 5), (3, 5)
POWER_RATERS = (3, 4, 5)
EVEN = ErrorProfile(1.0, 0.0, 0.0)
CLEAN_SETS = {50: 1000, 200: 400}  # by items
CLEAN_RATERS = ((0.6,) * 3, (0.8,) * 3, (0.6,) * 5, (0.7,) * 8, (0.9, 0.6, 0.6), (0.5, 0.6, 0.7, 0.8, 0.9))
SYSTEMS = (0.9, 0.8, 0.85)  # accuracy of the first, second and third system
DESIGNS = (("even", 0.0), ("drawn", 0.0), ("drawn", 0.2))  # base rates, share of ratings missing


@dataclass(frozen=True)
class Cell:
    """A world, and `sets` sets of ratings from it; the systems are right in SYSTEMS.

    base_rates are `even` or, for each set, `drawn` from Dirichlet(1, ..., 1). `copier` ("system" or "rater", the
    second one) takes the first rater's label on the share `copied` of the items. Where people `favour` labels, each who
    does not know draws from label frequencies of his own, themselves from Dirichlet(1, ..., 1).
    """

    section: str
    world: str
    items: int
    raters: tuple[float, ...]
    labels: int = 5
    base_rates: str = "drawn"
    missing: float = 0.0
    errors: ErrorProfile = EVEN
    copier: str = ""
    copied: float = 0.0
    favour: bool = False
    systems: int = 1
    ordered: bool = True
    sets: int = SETS
    replicates: int = REPLICATES


VIOLATIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "AD=2": {"errors": ErrorProfile(2.0, 0.0, 0.0)},
    "PER=1": {"errors": ErrorProfile(1.0, 1.0, 0.0)},
    "raters .4 .6 .8": {"raters": (0.4, 0.6, 0.8)},
    "raters .5 .6 .7": {"raters": (0.5, 0.6, 0.7)},
    "difficulty .2": {"errors": ErrorProfile(1.0, 0.0, 0.2)},
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
        rows = [row for of_cell in workers.map(run, planned) for row in of_cell]
    text = page(pl.DataFrame(rows, infer_schema_length=None))
    if quick:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
    print(f"{sum(cell.sets for cell in planned):,} sets of ratings in {time.perf_counter() - started:.0f} s")


def plan() -> list[Cell]:
    """Everything that the page shows, the longest first."""
    return sorted([*_size(), *_clean(), *_power(), *_warnings()], key=lambda cell: -cell.items)


def _size() -> Iterator[Cell]:
    for n, p, k, r, (rates, missing) in product(ITEMS, ACCURACIES, LABELS, RATERS, DESIGNS):
        if r == 3 or rates == "drawn":
            yield Cell("size", "none", n, (p,) * r, k, rates, missing)


def _clean() -> Iterator[Cell]:
    for (n, sets), raters, k, systems in product(CLEAN_SETS.items(), CLEAN_RATERS, LABELS, (1, len(SYSTEMS))):
        for favour in (False, True) if n == max(CLEAN_SETS) else (False,):
            world, ordered = "favour" if favour else "none", not favour
            how = {"systems": systems, "favour": favour, "ordered": ordered, "sets": sets, "replicates": 199}
            yield Cell("clean", world, n, raters, k, **how)


def _power() -> Iterator[Cell]:
    for n, r, (world, changed) in product(ITEMS, POWER_RATERS, VIOLATIONS.items()):
        ends = changed.get("raters", (0.6, 0.6))
        raters = tuple(np.linspace(ends[0], ends[-1], r).round(2).tolist())
        rest = {name: value for name, value in changed.items() if name != "raters"}
        yield Cell("power", world, n, raters, **rest, sets=SETS // 2, replicates=2 * REPLICATES + 1)


def _warnings() -> Iterator[Cell]:
    for number, ordered in product(range(8, 15), (False, True)):
        figure = FIGURES[number]
        errors = ErrorProfile(figure.asymmetry, figure.error_range, figure.difficulty)
        how = {"errors": errors, "ordered": ordered, "sets": SETS // 4, "replicates": 2 * REPLICATES + 1}
        yield Cell("warnings", str(number), figure.n_items, figure.raters, **how)


def run(cell: Cell) -> list[dict[str, Any]]:
    """One row for each check: the share of the sets in which it was made, its p alone is at most .05, and it says
    violated, corrected for all checks and not (alone), or unclear; rows `verdict`, `verdict but raters` and
    `verdict on pairs` (of people), of the sets in which any of these checks says so; and a row `any`, of those in which
    any says so or kappa is low."""
    of_cell = {
        "section": cell.section,
        "world": cell.world,
        "items": cell.items,
        "accuracy": min(cell.raters),
        "accuracies": " ".join(f"{p:.1f}".removeprefix("0") for p in cell.raters),
        "raters": len(cell.raters),
        "labels": cell.labels,
        "systems": cell.systems,
        "base_rates": cell.base_rates,
        "missing": cell.missing,
        "ordered": cell.ordered,
        "sets": cell.sets,
    }
    looks = [_looked_at(material) for material in _drawn(cell)]
    return [of_cell | {"check": name} | _shares([look[name] for look in looks]) for name in looks[0]]


@dataclass(frozen=True)
class Look:
    """What one check, or all of them, say of one set: whether made, p <= .05 alone, violated among all checks, violated
    if each check stood alone, the effect (the largest of its rows), and whether a verdict is unclear."""

    made: bool
    significant: bool
    violated: bool
    alone: bool
    effect: float = np.nan
    unclear: bool = False


def _looked_at(material: CheckInputs) -> dict[str, Look]:
    """What each check says of one set, and all of them together."""
    findings = {
        name: [finding for finding in check(material) if finding.reason is None] for name, check in CHECKS.items()
    }
    decided = verdicts([finding for some in findings.values() for finding in some])
    looked = {
        name: _look(some, [finding for finding in decided if finding.name == name]) for name, some in findings.items()
    }
    C, n = material.counts
    low = float(lehner.kappa(lehner.rater_figures(C, n[None, :].astype(float)).P_a, material.k)[0]) < LOW_KAPPA
    looked["kappa"] = Look(True, low, low, low)
    counted = {
        "verdict": list(CHECKS),
        "verdict but raters": [name for name in CHECKS if name != "raters"],
        "verdict on pairs": ["copying", "alike"],
        "any": [*CHECKS, "kappa"],
    }
    for name, names in counted.items():
        some = [looked[finding] for finding in names]
        violated, alone = any(look.violated for look in some), any(look.alone for look in some)
        looked[name] = Look(True, violated, violated, alone, unclear=any(look.unclear for look in some))
    return looked


def _look(findings: list[CheckFinding], decided: list[Verdict]) -> Look:
    p = holm([finding.p_value or 0.0 for finding in findings])
    return Look(
        bool(findings),
        any(value <= CHECK_LEVEL for value in p),
        any(finding.violated or False for finding in decided),
        any(value < CHECK_LEVEL and finding.is_large for value, finding in zip(p, findings, strict=True)),
        max((finding.effect or 0.0 for finding in findings), default=np.nan),
        any(finding.p_value is not None and finding.violated is None for finding in decided),
    )


def _shares(looks: list[Look]) -> dict[str, float | None]:
    made = [look for look in looks if look.made]
    if not made:
        return {"made": 0.0, "significant": None, "violated": None, "alone": None, "effect": None, "unclear": None}
    names = ("significant", "violated", "alone", "effect", "unclear")
    means = {name: float(np.mean([getattr(look, name) for look in made])) for name in names}
    shares = {name: None if np.isnan(value) else value for name, value in means.items()}
    return {"made": len(made) / len(looks), **shares}


def _drawn(cell: Cell) -> Iterator[CheckInputs]:
    """The sets of a cell, one after another."""
    place = [SEED, cell.items, len(cell.raters), cell.labels, int(100 * sum(cell.raters)), int(10 * cell.missing)]
    rng = np.random.default_rng([*place, *map(ord, cell.base_rates + cell.world)])
    k, step = cell.labels, max(1, 20_000 // cell.items)
    for start in range(0, cell.sets, step):
        R = min(step, cell.sets - start)
        rates = rng.dirichlet(np.ones(k), R) if cell.base_rates == "drawn" else np.full((R, k), 1 / k)
        world = draw_items(cell.items, rates, rng)
        labels = np.stack([_answers(world, p, cell, rng) for p in cell.raters], axis=-1)
        answer = np.stack([_answers(world, p, cell, rng) for p in SYSTEMS[: cell.systems]], axis=-1)
        copied = rng.random(labels.shape[:2]) < cell.copied
        if cell.copier == "system":
            answer[..., 0] = np.where(copied, labels[..., 0], answer[..., 0])
        elif cell.copier == "rater":
            labels[..., 1] = np.where(copied, labels[..., 0], labels[..., 1])
        labels[rng.random(labels.shape) < cell.missing] = -1
        for number in range(R):
            yield material_of(labels[number], answer[number], cell, seed=start + number)


def _answers(world: SimulatedItems, accuracy: float, cell: Cell, rng: np.random.Generator) -> IntArray:
    """(R, n) labels of one rater or system."""
    if not cell.favour:
        return draw_answers(world, accuracy, cell.errors, rng)[0]
    k, (R, n) = cell.labels, world.truth.shape
    liked = rng.dirichlet(np.ones(k), R).cumsum(axis=1)[:, None, :-1]
    wrong = (rng.random((R, n, 1)) > liked).sum(axis=2)
    return np.where(rng.random((R, n)) < (k * accuracy - 1) / (k - 1), world.truth, wrong)


def material_of(labels: IntArray, answer: IntArray, cell: Cell, *, seed: int) -> CheckInputs:
    """The material of one set: label codes (n, r) of the raters and (n, s) of the systems, -1 for none."""
    r = labels.shape[1]
    rows, n_items = np.unique(np.column_stack([labels, answer]), axis=0, return_counts=True)
    humans = patterns_of(rows[:, :r], n_items, cell.labels)
    raters = [f"rater {g}" for g in range(r)]
    systems = {f"system {number + 1}": SystemAnswers(humans, rows[:, r + number]) for number in range(answer.shape[1])}
    return CheckInputs(humans, raters, systems, cell.ordered, seed, cell.replicates)


if __name__ == "__main__":
    main()
