"""How often a slice with low accuracy is named, rightly and wrongly: `python -m benchmarks.accuracy.slices`.

Prints the table of docs/how-to/slices.md. Each question has slices of items, three labels, three people and a system.

    python -m benchmarks.accuracy.slices           # a quarter of an hour on two cores
    python -m benchmarks.accuracy.slices --quick   # one question in ten
"""

import argparse
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy import accuracy
from stats.accuracy.comparison.low_slices import low_slices
from stats.arrays import IntArray

SEED = 7
LABELS = ("A", "B", "C")
PEOPLE = (0.85, 0.8, 0.75)  # how often each is right
CONFIDENCE = 0.95
FALLS = 0.7  # share of people who fall for the trap of an item


@dataclass(frozen=True)
class World:
    """Questions with these slices. The first slice is the one that differs, if any does.

    - items: of each slice. right: how often the system is right on each. people: the same of people on the first one.
    - trap: share of the items of the first slice on which people fall for the same wrong label.
    - gold: items of each slice with gold, drawn at random.
    """

    title: str
    n_questions: int
    items: tuple[int, ...]
    right: tuple[float, ...]
    people: tuple[float, float, float] = PEOPLE
    trap: float = 0.0
    gold: int = 0

    @property
    def is_low(self) -> bool:
        """Whether the system is less often right on the first slice than on the others."""
        return self.right[0] < self.right[-1]


HEADER = """| what is planted | items a slice | gold a slice | questions | named wrongly | the low slice is named |
| --- | ---: | ---: | ---: | ---: | ---: |"""
EVEN, LOW = (0.85,) * 4, (0.65, 0.9, 0.9, 0.9)
WORLDS = (
    World("no difference, 4 slices", 200, (100,) * 4, EVEN),
    World("no difference, 10 slices", 100, (60,) * 10, (0.8,) * 10),
    World("no difference, 4 slices of different size", 200, (30, 300, 300, 300), (0.8,) * 4),
    World("no difference; people are right in .60 on one of 4 slices", 200, (200,) * 4, EVEN, people=(0.6, 0.6, 0.6)),
    World("no difference; people fall for one wrong label on .20 of one of 4 slices", 200, (200,) * 4, EVEN, trap=0.2),
    World("the same on .30", 200, (400,) * 4, EVEN, trap=0.3),
    World("no difference, 4 slices", 200, (200,) * 4, EVEN, gold=20),
    *(World(".65 on one of 4 slices, .90 on the others", 100, (n,) * 4, LOW) for n in (50, 100, 200, 400)),
    World("the same with 2 slices", 100, (200, 200), (0.65, 0.9)),
    *(World(".65 on one of 4 slices, .90 on the others", 100, (200,) * 4, LOW, gold=n) for n in (10, 20, 50)),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the questions, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.slices", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one question in ten")
    share = 10 if parser.parse_args(arguments).quick else 1
    print(HEADER)
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for world in WORLDS:
            seeds = range(world.n_questions // share)
            print(table_row(world, list(pool.map(partial(named_slices, world), seeds, chunksize=5))), flush=True)


def named_slices(world: World, seed: int) -> set[str]:
    """Draw a question, and return the slices that are named."""
    rng = np.random.default_rng([seed, SEED])
    rows = [_accuracy_row(world, place, rng) for place in range(len(world.items))]
    return {low.value for low in low_slices(rows)}


def table_row(world: World, named: Sequence[set[str]]) -> str:
    """Return the line of the table: what was named in each question."""
    wrong = np.mean([bool(each - {"0"} if world.is_low else each) for each in named])
    result = f"{np.mean(['0' in each for each in named]):.2f}".lstrip("0") if world.is_low else ""
    sizes = ", ".join(map(str, world.items if len(set(world.items)) > 1 else world.items[:1]))
    return f"| {world.title} | {sizes} | {world.gold} | {len(named)} | {f'{wrong:.2f}'.lstrip('0')} | {result} |"


def _accuracy_row(world: World, place: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw the ratings of a slice, and return the system's row as in `latest_system_accuracy`."""
    n, k = world.items[place], len(LABELS)
    truth = rng.integers(k, size=n)
    answers = dict(_answers(world, place, truth, rng))
    items = [f"{place}-{number}" for number in range(n)]
    ratings = pl.concat(
        [pl.DataFrame({"item": items, "rater": rater, "label": _names(codes)}) for rater, codes in answers.items()]
    )
    gold = None
    if world.gold:
        drawn = rng.choice(n, size=world.gold, replace=False)
        gold = pl.DataFrame({"item": [items[i] for i in drawn], "label": _names(truth[drawn])})
    figures = accuracy(
        ratings, systems=["system"], labels=LABELS, methods=["average"], gold=gold, confidence=CONFIDENCE
    )
    return figures.to_dicts()[0] | {
        "scope": f"slice:key={place}",
        "system_version": None,
        "confidence": CONFIDENCE,
        "gold_origin": "drawn" if world.gold else None,
    }


def _answers(world: World, place: int, truth: IntArray, rng: np.random.Generator) -> Iterator[tuple[str, IntArray]]:
    """Yield each rater with the labels given, as codes."""
    n, k = len(truth), len(LABELS)
    is_trap = rng.random(n) < (world.trap if place == 0 else 0.0)
    lure = (truth + rng.integers(1, k, size=n)) % k
    people = world.people if place == 0 else PEOPLE
    raters = {**{f"person {number}": right for number, right in enumerate(people)}, "system": world.right[place]}
    for rater, right in raters.items():
        falls = np.zeros(n, bool) if rater == "system" else is_trap & (rng.random(n) < FALLS)
        wrong = (truth + rng.integers(1, k, size=n)) % k
        yield rater, np.where(falls, lure, np.where(rng.random(n) < right, truth, wrong))


def _names(codes: IntArray) -> list[str]:
    return [LABELS[code] for code in codes]


if __name__ == "__main__":
    main()
