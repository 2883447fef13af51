"""What 20, 50 and 100 gold items are worth: gold alone, the model alone, and both, on simulated ratings.

    python -m benchmarks.gold.audit               # 80 runs, six minutes
    python -m benchmarks.gold.audit --runs 3

Four kinds of worlds, 200 items, five labels and three raters: raters right in .4 where the model holds; raters
right in .4, .6 and .8 on average where all its assumptions are violated, as in Figures 9 to 11 of Lehner (2015).
Systems are right in .1, .3, .5, .7 and .9. The truth that an estimate is held against is the expected accuracy.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy import ESTIMATORS
from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.gold.audit import GoldItems, audit, gold_items
from stats.accuracy.system_patterns import patterns_by_rater, patterns_of, tables
from stats.arrays import FloatArray
from stats.simulate import simulate_ratings
from stats.simulation.confusion_matrices import LEVELS

LABELS = ("A", "B", "C", "D", "E")
N_ITEMS = 200
SYSTEMS = {f"system {accuracy}": accuracy for accuracy in (0.1, 0.3, 0.5, 0.7, 0.9)}
VIOLATED: dict[str, Any] = {"asymmetry": 2.0, "error_range": 1.0, "difficulty": 0.2}
WORLDS: dict[str, tuple[tuple[float, ...], dict[str, Any]]] = {
    "raters .4": ((0.4, 0.4, 0.4), {}),
    "raters .4, violated": ((0.3, 0.4, 0.5), VIOLATED),
    "raters .6, violated": ((0.5, 0.6, 0.7), VIOLATED),
    "raters .8, violated": ((0.7, 0.8, 0.9), VIOLATED),
}
SIZES = (20, 50, 100)
DRAWS = 5  # samples of gold items from each run
CONFIDENCE = 0.9
SCHEMA = ["world", "n_gold", "estimate", "error", "covered", "half_width"]
ORDER = ("model alone", "gold alone", "prediction-powered", "audited")


@dataclass(frozen=True)
class Case:
    """One system of one run: its patterns, the model's fit, and the right answers of all items."""

    world: str
    truth: float
    patterns: SystemPatterns
    fitted: SystemFit
    low: float | None
    high: float | None
    right: GoldItems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=80, help="of each kind of world")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--method", choices=list(ESTIMATORS), default="average", help="the model")
    options = parser.parse_args()
    print(table(measure(options.runs, options.seed, options.method)))


def measure(runs: int, seed: int, method: str = "average") -> pl.DataFrame:
    """One row per world, run, system and sample of gold items: world, n_gold, estimate (name), error, covered (by the
    nominal 90 % interval; null without one), half_width."""
    rng = np.random.default_rng([seed, len(WORLDS)])
    rows = [row for case in _cases(runs, seed, method) for row in _rows(case, rng)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row", infer_schema_length=None)


def table(figures: pl.DataFrame) -> str:
    """Root mean squared error by world and in all, bias, coverage and half-width, a line per estimate."""
    worlds = list(WORLDS)
    lines = [f"{'gold':>4}  {'estimate':<19}{''.join(f'{name:>21}' for name in worlds)}"
             f"{'all':>7}{'bias':>8}{'covered':>9}{'half-width':>12}"]  # fmt: skip
    for n_gold, name in sorted(figures.select("n_gold", "estimate").unique().rows(), key=lambda row: _place(*row)):
        part = figures.filter(pl.col("n_gold") == n_gold, pl.col("estimate") == name)
        errors = [_rmse(part.filter(world=world)) for world in worlds]
        bias, covered, width = (part[column].mean() for column in ("error", "covered", "half_width"))
        lines.append(
            f"{n_gold or '-':>4}  {name:<19}{''.join(f'{error:>21.3f}' for error in errors)}{_rmse(part):>7.3f}"
            f"{_cell(bias, '+.3f'):>8}{_cell(covered, '.2f'):>9}{_cell(width, '.3f'):>12}"
        )
    return "\n".join(lines)


def _cases(runs: int, seed: int, method: str) -> Iterator[Case]:
    estimator, shaped = ESTIMATORS[method], patterns_by_rater if ESTIMATORS[method].by_rater else patterns_of
    for number, (world, (accuracies, violations)) in enumerate(WORLDS.items()):
        rng, raters = np.random.default_rng([seed, number]), {f"rater {j}": a for j, a in enumerate(accuracies)}
        for _ in range(runs):
            drawn = simulate_ratings(
                n_items=N_ITEMS, labels=LABELS, raters=raters, systems=SYSTEMS, rng=rng, **violations
            )
            ratings, truth = drawn.drop("truth"), drawn.select("item", label="truth").unique()
            system_tables = tables(ratings, systems=list(SYSTEMS), labels=LABELS, ordered=True)
            for system, accuracy in SYSTEMS.items():
                patterns = shaped(system_tables[system], system)
                fitted = estimator.fit(patterns)
                if fitted.logit_error is not None:
                    fitted = replace(fitted, logit_error=cache(fitted.logit_error))  # the same for every sample
                error = estimator.interval(patterns, fitted, CONFIDENCE, seed)
                right = gold_items(ratings, truth, system=system, systems=list(SYSTEMS), labels=LABELS)
                expected = np.clip(accuracy + violations.get("difficulty", 0) * np.array(LEVELS), 0, 1).mean()
                yield Case(world, float(expected), patterns, fitted, error.low, error.high, right)


def _rows(case: Case, rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    # Where the model has no estimate, a guess is all that it leaves.
    model = 1 / len(LABELS) if case.fitted.accuracy is None else case.fitted.accuracy
    yield _row(case, 0, "model alone", model, case.low, case.high)
    for size in SIZES:
        for _ in range(DRAWS):
            some = rng.choice(len(case.right.system), size, replace=False)
            gold = GoldItems(case.right.C[some], case.right.system[some], case.right.truth[some], 0)
            audited = audit(case.patterns, case.fitted, gold, confidence=CONFIDENCE)
            yield _row(case, size, "gold alone", float(gold.correct.mean()), None, None)
            yield _row(case, size, "prediction-powered", audited.unbiased or 0.0, None, None)
            yield _row(case, size, "audited", audited.accuracy, audited.low, audited.high)


def _row(case: Case, n_gold: int, name: str, estimate: float, low: float | None, high: float | None) -> tuple[Any, ...]:
    if low is None or high is None:
        return case.world, n_gold, name, estimate - case.truth, None, None
    return case.world, n_gold, name, estimate - case.truth, float(low <= case.truth <= high), (high - low) / 2


def _rmse(part: pl.DataFrame) -> float:
    errors: FloatArray = part["error"].to_numpy()
    return float(np.sqrt((errors**2).mean()))


def _place(n_gold: int, name: str) -> tuple[int, int]:
    return n_gold, ORDER.index(name)


def _cell(value: object, how: str) -> str:
    return format(value, how) if isinstance(value, float) else "-"


if __name__ == "__main__":
    main()
