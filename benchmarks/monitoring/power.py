"""How often healthy charts raise an alarm, and how soon real changes are found: writes docs/monitoring-power.md.

Streams of ratings are simulated day by day and go through the scores and the detector of `stats.monitoring`.

    python -m benchmarks.monitoring.power                 # seven minutes of processor time
    python -m benchmarks.monitoring.power --streams 30    # a trial: printed, and not written
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.monitoring.power_page import PAGE, page, tables
from benchmarks.monitoring.stream_charts import agreement_statistic, rater_statistic, system_statistic
from benchmarks.monitoring.streams import StreamWorld, draw_answers, draw_streams
from benchmarks.page import as_text
from stats.arrays import FloatArray
from stats.monitoring import AlarmBudget, agreement_variance, plan_alarm

STREAMS, AT_ONCE, SEED = 1000, 100, 20_261_122
RATERS, LABELS, KAPPAS, CORRELATIONS, SHARES = (3, 5), (2, 5), (0.4, 0.6, 0.8), (0.0, 0.02, 0.05), ("even", "uneven")
THRESHOLDS, CHANGE_THRESHOLDS, SYSTEM_THRESHOLDS = (300, 1000, 3000, 6000), (1000, 6000), (500, 1000)
RATER_THRESHOLD = 2000  # beside that of the usual budget for so many raters
RATER_ITEMS = 10  # of a look: a rater's own items of a day are fewer than all
HEALTHY_LOOKS, HARD_DAY, NEAR = 300, 150, 10
GOOD_LOOKS = {"drop": 250, "rater": 90, "system": 100, "people": 100}
LOOKS_AFTER = {"drop": 100, "rater": 100, "system": 60, "people": 50}
WITHIN = 200  # items
KAPPA_DROP, HARD_DROP, ACCURACY, ACCURACY_DROP = 0.15, 0.45, 0.85, 0.10
Row = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A world and what happens in it: healthy, hard day, drop, rater, system or people. random_share: of the rater."""

    section: str
    world: StreamWorld
    random_share: float = 0.0
    streams: int = STREAMS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=STREAMS, help=f"streams of each setting; {STREAMS} if not given")
    parser.add_argument("--out", type=Path, help=f"the page; {PAGE.name} of docs from {STREAMS} streams on")
    options = parser.parse_args()
    out = options.out or (PAGE if options.streams >= STREAMS else None)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the workers are as many as the cores; they read it when they start
    started, cells = time.perf_counter(), plan(options.streams)
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as workers:
        rows = [row for of_cell in workers.map(run, cells) for row in of_cell]
    results = pl.DataFrame(rows, infer_schema_length=None)
    for table in tables(results):
        print(f"\n{as_text(table)}")
    if out is not None:
        out.write_text(page(results), encoding="utf-8")
    print(f"\n{sum(cell.streams for cell in cells):,} streams in {time.perf_counter() - started:.0f} s")


def plan(streams: int) -> list[Cell]:
    """Return everything that the page shows, the longest first."""
    worlds = [StreamWorld(*values) for values in product(RATERS, LABELS, KAPPAS, CORRELATIONS, SHARES)]
    at_06 = [world for world in worlds if (world.kappa, world.correlation, world.shares) == (0.6, 0.02, "even")]
    at_08 = [world for world in worlds if (world.kappa, world.correlation, world.shares) == (0.8, 0.02, "even")]
    cells = [Cell("drop", world, streams=streams) for world in worlds if world.correlation != 0.02]
    cells += [Cell("healthy", world, streams=streams) for world in worlds]
    for world, share in product([*at_06, *at_08], (1.0, 0.3)):
        cells.append(Cell("rater", replace(world, items_per_look=RATER_ITEMS), share, streams))
    cells += [Cell(section, world, streams=streams) for section in ("system", "people", "hard day") for world in at_06]
    return cells


def run(cell: Cell) -> list[Row]:
    """Return the rows of a cell: one for each threshold."""
    statistics = list(_statistics(cell))
    statistic = {name: np.concatenate([part[name] for part in statistics]) for name in statistics[0]}
    of_cell = {"section": cell.section, **asdict(cell.world), "random_share": cell.random_share}
    return [of_cell | {"streams": cell.streams} | row for row in SECTIONS[cell.section](cell, **statistic)]


def _statistics(cell: Cell) -> Iterator[dict[str, FloatArray]]:
    """Yield the statistics of some streams at once."""
    world, section = cell.world, cell.section
    place = [ord(letter) for letter in section + world.shares]
    numbers = [
        world.raters,
        world.labels,
        *(round(100 * x) for x in (world.kappa, world.correlation, cell.random_share)),
    ]
    rng = np.random.default_rng([SEED, *numbers, *place])
    good = GOOD_LOOKS.get(section, HEALTHY_LOOKS)
    looks = np.arange(good + LOOKS_AFTER.get(section, 0))
    changed, hard = looks >= good, looks == HARD_DAY
    kappas = world.kappa - KAPPA_DROP * (changed & (section in ("drop", "people")))
    kappas = kappas - HARD_DROP * (hard & (section == "hard day"))
    for start in range(0, cell.streams, AT_ONCE):
        n_streams = min(AT_ONCE, cell.streams - start)
        streams = draw_streams(
            world, kappas, n_streams, rng, cell.random_share * changed if section == "rater" else None
        )
        if section == "rater":
            yield {"statistic": rater_statistic(streams.labels, world.labels)}
        elif section in ("system", "people"):
            accuracy = ACCURACY - ACCURACY_DROP * (changed & (section == "system"))
            answers = draw_answers(world, streams.truth, accuracy, rng)
            yield {"statistic": system_statistic(streams.labels, answers, world.labels)}
        else:
            yield {"statistic": agreement_statistic(streams.labels, world.labels)}


def _healthy(cell: Cell, statistic: FloatArray) -> Iterator[Row]:
    for threshold in THRESHOLDS:
        yield {"threshold": threshold, "alarms": float((statistic >= threshold).any(axis=1).mean())}


def _hard_day(cell: Cell, statistic: FloatArray) -> Iterator[Row]:
    """The share of streams with an alarm on the hard day or soon after, of those without an alarm before."""
    for threshold in CHANGE_THRESHOLDS:
        quiet = ~(statistic[:, :HARD_DAY] >= threshold).any(axis=1)
        near = statistic[quiet, HARD_DAY : HARD_DAY + NEAR] >= threshold
        yield {"threshold": threshold, "alarms": float(near.any(axis=1).mean())}


def _drop(cell: Cell, statistic: FloatArray) -> Iterator[Row]:
    world = cell.world
    for threshold in CHANGE_THRESHOLDS:
        planned = plan_alarm(
            variance=agreement_variance(world.labels, world.raters, world.kappa),
            drop=KAPPA_DROP,
            smallest_change=KAPPA_DROP,
            threshold=threshold,
            items_per_day=world.items_per_look,
            items_before=GOOD_LOOKS["drop"] * world.items_per_look,
            correlation=world.correlation,
            within_items=WITHIN,
        )
        plans = {"plan_median": planned.median_items, "plan_80": planned.items_80, "plan_best": planned.best_power}
        yield _alarms(cell, statistic, threshold) | plans | {"plan_power": planned.power}


def _rater(cell: Cell, statistic: FloatArray) -> Iterator[Row]:
    """statistic (S, r, T); the first rater gets worse. A false accusation: an alarm of somebody else, or before."""
    good = GOOD_LOOKS["rater"]
    usual = int(AlarmBudget().threshold("rater", n_raters=cell.world.raters))
    for threshold in (RATER_THRESHOLD, usual):
        alarms = statistic >= threshold
        healthy, others = alarms[:, :, :good].any(axis=2), alarms[:, 1:, good:].any(axis=2)
        accused = {"accused_before": float(healthy.mean()), "accused_after": float(others.mean())}
        yield _alarms(cell, statistic[:, 0], threshold) | accused


def _system(cell: Cell, statistic: FloatArray) -> Iterator[Row]:
    for threshold in SYSTEM_THRESHOLDS:
        yield _alarms(cell, statistic, threshold)


SECTIONS: dict[str, Callable[..., Iterator[Row]]] = {
    "healthy": _healthy,
    "hard day": _hard_day,
    "drop": _drop,
    "rater": _rater,
    "system": _system,
    "people": _system,
}


def _alarms(cell: Cell, statistic: FloatArray, threshold: float) -> Row:
    """Return how soon the change is found in the streams (S, T) that have no alarm before it.

    alarms: the share with an alarm at any look after it. within: the share in WITHIN items. median, items_80: items
    after which half of the streams and 80 % have their alarm, None if they do not.
    """
    change = GOOD_LOOKS[cell.section]
    quiet = ~(statistic[:, :change] >= threshold).any(axis=1)
    alarms = statistic[quiet, change:] >= threshold
    items = np.where(alarms.any(axis=1), (alarms.argmax(axis=1) + 1) * cell.world.items_per_look, np.inf)
    median, most = (float(np.quantile(items, share, method="higher")) for share in (0.5, 0.8))
    return {
        "threshold": threshold,
        "before": float(1 - quiet.mean()),
        "alarms": float(np.isfinite(items).mean()),
        "within": float((items <= WITHIN).mean()),
        "median": median if np.isfinite(median) else None,
        "items_80": most if np.isfinite(most) else None,
    }


if __name__ == "__main__":
    main()
