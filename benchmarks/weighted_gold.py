"""How often the intervals hold where gold was drawn by strata, with weights and without.

    python -m benchmarks.weighted_gold [--runs 2000]

Populations of 1,000 items. Gold is stratified by the system's label, with as many items of each. So items
with a rare label are drawn with a higher probability, and the system is wrong on them more often.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from benchmarks.page import Table, as_text
from stats.accuracy.gold.prediction_powered import Score, prediction_powered
from stats.accuracy.rates.label_rates import corrected_rates
from stats.arrays import FloatArray, IntArray

N, CONFIDENCE, SEED = 1_000, 0.95, 20_261_123
SIZES = (20, 50, 200)


@dataclass(frozen=True)
class World:
    """How often the system gives each label, how often it is then right, and how much the model's score tells."""

    given: tuple[float, ...]
    precision: tuple[float, ...]
    signal: float


WORLDS = (
    World((0.9, 0.1), (0.97, 0.6), 0.0),
    World((0.9, 0.1), (0.97, 0.6), 0.7),
    World((0.8, 0.2), (0.9, 0.9), 0.5),
    World((0.9, 0.1), (0.85, 0.95), 0.5),
    World((0.7, 0.2, 0.1), (0.95, 0.8, 0.5), 0.5),
    World((0.5, 0.3, 0.2), (0.9, 0.8, 0.7), 0.5),
)


def drawn(
    world: World, m: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, FloatArray, IntArray, FloatArray]:
    """A population (system's label, right label, score), the gold items and what each stands for."""
    k = len(world.given)
    given = rng.choice(k, N, p=world.given)
    right = rng.random(N) < np.array(world.precision)[given]
    truth = np.where(right, given, (given + rng.integers(1, k, N)) % k)
    score = np.clip(0.5 + world.signal * (right - 0.5) + 0.2 * rng.standard_normal(N), 0, 1)
    rows, weight = [], []
    for label in range(k):
        of_label = np.flatnonzero(given == label)
        size = min(m // k, len(of_label))
        rows.append(rng.choice(of_label, size, replace=False))
        weight.append(np.full(size, len(of_label) / size))
    return given, truth, score, np.concatenate(rows), np.concatenate(weight)


def study(world: World, m: int, runs: int, rng: np.random.Generator) -> dict[str, float]:
    """Coverage, bias and half-width of the accuracy, and the same of the rate of the last label by each method."""
    rows = [row for _ in range(runs) for row in _one(world, m, rng)]
    frame = pl.DataFrame(rows, schema=["what", "estimate", "truth", "low", "high"], orient="row").drop_nulls()
    held = pl.col("truth").is_between(pl.col("low"), pl.col("high"))
    found = frame.group_by("what").agg(
        held=held.mean(), bias=(pl.col("estimate") - pl.col("truth")).mean(),
        half=((pl.col("high") - pl.col("low")) / 2).mean(),
    )  # fmt: skip
    return {f"{row['what']} {name}": row[name] for row in found.to_dicts() for name in ("held", "bias", "half")}


def _one(world: World, m: int, rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    given, truth, score, gold, weight = drawn(world, m, rng)
    k, right = len(world.given), np.asarray(given == truth, dtype=np.float64)
    expected = float(np.dot(world.given, world.precision))
    for name, w in (("accuracy", weight), ("unweighted", None)):
        found = prediction_powered(Score(right[gold], score[gold], float(score.mean()), N, w))
        half = found.half_width(len(gold), CONFIDENCE)
        yield name, found.accuracy, expected, found.accuracy - half, found.accuracy + half
    wrong = [world.given[label] * (1 - world.precision[label]) / (k - 1) for label in range(k - 1)]
    rate = world.given[-1] * world.precision[-1] + sum(wrong)
    answers = np.bincount(given, minlength=k).astype(np.float64)
    for label, row in corrected_rates(answers, given[gold], truth[gold], weight, CONFIDENCE):
        if label == k - 1 and row["method"] != "raw":
            yield row["method"], row.get("estimate"), rate, row.get("low"), row.get("high")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    runs, rng = parser.parse_args().runs, np.random.default_rng(SEED)
    methods = ("accuracy", "unweighted", "ppi", "rogan_gladen", "gold_only")
    header = ("gold", "world", *(f"{name} {what}" for name in methods for what in ("held", "bias", "half-width")))
    rows = []
    for m in SIZES:
        for number, world in enumerate(WORLDS, start=1):
            found = study(world, m, runs, rng)
            figures = [f"{found[f'{name} {what}']:.3f}" for name in methods for what in ("held", "bias", "half")]
            rows.append((str(m), str(number), *figures))
    about = f"{runs} runs of each. Share of nominal {CONFIDENCE:.0%} intervals that hold the true value."
    print(as_text(Table("Gold by strata", about, header, rows)))


if __name__ == "__main__":
    main()
