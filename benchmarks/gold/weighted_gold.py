"""How often the intervals hold where gold was drawn by strata, with weights and without.

    python -m benchmarks.gold.weighted_gold [--runs 2000]

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
METHODS = {
    "accuracy": "accuracy",
    "unweighted": "accuracy, without weights",
    "ppi": "rate, ppi",
    "rogan_gladen": "rate, rogan_gladen",
    "gold_only": "rate, gold_only",
}
COLUMNS = ("held", "in the worst population", "bias", "half-width")


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


def population(world: World, rng: np.random.Generator) -> tuple[IntArray, IntArray, FloatArray]:
    """A population: the system's label, the right label, and the model's score of each item."""
    k = len(world.given)
    answer = rng.choice(k, N, p=world.given)
    right = rng.random(N) < np.array(world.precision)[answer]
    truth = np.where(right, answer, (answer + rng.integers(1, k, N)) % k)
    score = np.clip(0.5 + world.signal * (right - 0.5) + 0.2 * rng.standard_normal(N), 0, 1)
    return answer, truth, score


def drawn(
    world: World, m: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, FloatArray, IntArray, FloatArray]:
    """A population, its gold items and what each stands for."""
    answer, truth, score = population(world, rng)
    k = len(world.given)
    rows, weight = [], []
    for label in range(k):
        of_label = np.flatnonzero(answer == label)
        size = min(m // k, len(of_label))
        rows.append(rng.choice(of_label, size, replace=False))
        weight.append(np.full(size, len(of_label) / size))
    return answer, truth, score, np.concatenate(rows), np.concatenate(weight)


def study(world: World, m: int, runs: int, rng: np.random.Generator) -> dict[str, float]:
    """Coverage, bias and half-width of the accuracy, and the same of the rate of the last label by each method."""
    rows = [row for _ in range(runs) for row in _draw(world, m, rng)]
    frame = pl.DataFrame(rows, schema=["what", "estimate", "truth", "low", "high"], orient="row").drop_nulls()
    held = pl.col("truth").is_between(pl.col("low"), pl.col("high"))
    by_figure = frame.group_by("what").agg(
        held=held.mean(), bias=(pl.col("estimate") - pl.col("truth")).mean(),
        half=((pl.col("high") - pl.col("low")) / 2).mean(),
    )  # fmt: skip
    return {f"{row['what']} {name}": row[name] for row in by_figure.to_dicts() for name in ("held", "bias", "half")}


def _draw(world: World, m: int, rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    answer, truth, score, gold, weight = drawn(world, m, rng)
    k, right = len(world.given), np.asarray(answer == truth, dtype=np.float64)
    expected = float(np.dot(world.given, world.precision))
    for name, w in (("accuracy", weight), ("unweighted", None)):
        estimate = prediction_powered(Score(right[gold], score[gold], float(score.mean()), N, w))
        half = estimate.half_width(len(gold), CONFIDENCE)
        yield name, estimate.accuracy, expected, estimate.accuracy - half, estimate.accuracy + half
    wrong = [world.given[label] * (1 - world.precision[label]) / (k - 1) for label in range(k - 1)]
    rate = world.given[-1] * world.precision[-1] + sum(wrong)
    answers = np.bincount(answer, minlength=k).astype(np.float64)
    for label, row in corrected_rates(answers, answer[gold], truth[gold], weight, CONFIDENCE):
        if label == k - 1 and row["method"] != "raw":
            yield row["method"], row.get("estimate"), rate, row.get("low"), row.get("high")


def figures(m: int, runs: int) -> pl.DataFrame:
    """Return a row per population and method with m gold items: n_gold, method, held, bias, half."""
    rows = []
    for number, world in enumerate(WORLDS, start=1):
        shares = study(world, m, runs, np.random.default_rng([SEED, m, number]))
        rows += [(m, name, *(shares[f"{name} {what}"] for what in ("held", "bias", "half"))) for name in METHODS]
    return pl.DataFrame(rows, schema=["n_gold", "method", "held", "bias", "half"], orient="row")


def table(figures: pl.DataFrame, runs: int) -> Table:
    """Return the means over the populations, and the worst of them."""
    means = figures.group_by("n_gold", "method", maintain_order=True).agg(
        pl.col("held").mean(), lowest=pl.col("held").min(), bias=pl.col("bias").abs().mean(), half=pl.col("half").mean()
    )
    rows = [
        (str(n_gold), METHODS[method], *(f"{value:.3f}" for value in values))
        for n_gold, method, *values in means.iter_rows()
    ]
    about = (
        f"{runs:,} runs of each population. As many gold items of each label that the system gives, so that items of a"
        " rare label are more likely to be drawn. Accuracies are audited; rates are those of the last label. Bias: mean"
        " distance from 0 over the populations."
    )
    return Table("Gold by strata", about, ("gold", "figure", *COLUMNS), rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000)
    runs = parser.parse_args().runs
    print(as_text(table(pl.concat([figures(m, runs) for m in SIZES]), runs)))


if __name__ == "__main__":
    main()
