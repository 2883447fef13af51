"""Simulated raters and systems with known accuracy: the source paper's 14 experiments, and any other setting.

Source: Lehner (2015), doi:10.22237/jmasm/1430453520, "Performance and robustness", Figures 1-14. Not stated
there but forced by the printed figures: base rates from Dirichlet(1, ..., 1), and three equally likely levels
of difficulty for each item, the same for raters and systems.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.accuracy import ESTIMATORS, lehner
from stats.accuracy.estimator import FloatArray, IntArray
from stats.confusion import LEVELS, check_shape, confusion_matrices, confusion_matrix, expected_accuracy
from stats.errors import StatsError

__all__ = ["FIGURES", "PRINTED_KAPPA", "Setting", "confusion_matrix", "simulate", "simulate_ratings"]

SIMULATION_SCHEMA = {
    "run": pl.Int64,
    "system_accuracy": pl.Float64,
    "method": pl.String,
    "kappa": pl.Float64,
    "expected_accuracy": pl.Float64,
    "in_sample_accuracy": pl.Float64,
    "estimate": pl.Float64,
}
_ITEMS_AT_ONCE = 100_000


@dataclass(frozen=True)
class Setting:
    """One experiment. raters and systems are accuracies (IPC); the rest as in
    `stats.confusion.confusion_matrix`.

    `difficulty` shifts raters and systems on easy and difficult items; `system_difficulty` replaces it for
    the systems.
    """

    n_items: int
    raters: tuple[float, ...]
    systems: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    n_labels: int = 5
    asymmetry: float = 1.0
    error_range: float = 0.0
    difficulty: float = 0.0
    system_difficulty: float | None = None


def _violated(n_items: int, raters: tuple[float, ...]) -> Setting:
    return Setting(n_items, raters, asymmetry=2.0, error_range=1.0, difficulty=0.2)


FIGURES: dict[int, Setting] = {
    1: Setting(5000, (0.6, 0.6, 0.6)),
    2: Setting(200, (0.4, 0.4, 0.4)),
    3: Setting(200, (0.6, 0.6, 0.6)),
    4: Setting(200, (0.8, 0.8, 0.8)),
    5: Setting(50, (0.4, 0.4, 0.4)),
    6: Setting(50, (0.6, 0.6, 0.6)),
    7: Setting(50, (0.8, 0.8, 0.8)),
    8: _violated(5000, (0.5, 0.6, 0.7)),
    9: _violated(200, (0.3, 0.4, 0.5)),
    10: _violated(200, (0.5, 0.6, 0.7)),
    11: _violated(200, (0.7, 0.8, 0.9)),
    12: _violated(50, (0.3, 0.4, 0.5)),
    13: _violated(50, (0.5, 0.6, 0.7)),
    14: _violated(50, (0.7, 0.8, 0.9)),
}
# Mean kappa (with chance 1/N) that the paper prints for each figure.
PRINTED_KAPPA: dict[int, float] = {
    1: 0.251, 2: 0.065, 3: 0.255, 4: 0.562, 5: 0.060, 6: 0.244, 7: 0.546,
    8: 0.305, 9: 0.142, 10: 0.306, 11: 0.578, 12: 0.144, 13: 0.311, 14: 0.586,
}  # fmt: skip


def simulate(setting: Setting, *, runs: int, seed: int, methods: Sequence[str] = ("lehner",)) -> pl.DataFrame:
    """Draw the setting `runs` times and estimate every system by every method: one row per run, system and
    method.

    Columns: run (from 0), system_accuracy (the setting's own number), method, kappa of the raters,
    expected_accuracy (of the system over the run's base rates and the levels of difficulty),
    in_sample_accuracy (on the run's items), estimate (null where undefined, e.g. raters who agree no better
    than chance). The same raters and items serve all systems of a run. Raises StatsError for an unknown
    method and for a setting out of range.

    >>> simulate(FIGURES[3], runs=2, seed=1).select("run", "system_accuracy").unique().height
    10
    """
    _check(setting, runs, methods)
    rng = np.random.default_rng(seed)
    parts = [_simulate_runs(setting, some, methods, rng) for some in _portions(setting, runs)]
    frame = pl.concat(parts).with_columns(pl.col("estimate", "kappa").fill_nan(None))
    return frame.sort("run", "system_accuracy", "method", maintain_order=True)


def simulate_ratings(
    *,
    n_items: int,
    labels: Sequence[str],
    raters: Mapping[str, float],
    systems: Mapping[str, float],
    rng: np.random.Generator,
    base_rates: Sequence[float] | None = None,
    asymmetry: float = 1.0,
    error_range: float = 0.0,
    difficulty: float = 0.0,
) -> pl.DataFrame:
    """Ratings of `n_items` items by raters and systems of the given accuracies (name -> accuracy): one row
    per rating.

    Columns item ('1', '2', ...), rater, label, truth; sorted by item, then raters and systems as they were
    given. Difficulty is shared by all. base_rates default to a draw from Dirichlet(1, ..., 1). Raises
    StatsError for values out of range and for a name that is both rater and system.
    """
    accuracies = {**raters, **systems}
    if len(accuracies) < len(raters) + len(systems):
        raise StatsError("A name stands for a rater or a system, found one that is both. Rename one of them.")
    for accuracy in accuracies.values():
        check_shape(len(labels), accuracy, asymmetry, error_range)
    k = len(labels)
    rates = rng.dirichlet(np.ones(k)) if base_rates is None else np.asarray(base_rates, np.float64)
    if len(rates) != k or (rates < 0).any() or abs(rates.sum() - 1) > 1e-9:
        raise StatsError(f"Base rates are one share per label that sum to 1, found {rates.tolist()}. Give {k} of them.")
    setting = Setting(n_items, (), (), k, asymmetry, error_range, difficulty)
    world = _draw_world(setting, rates[None, :], rng)
    given = [_answers(world, accuracy, setting, difficulty, rng)[0][0] for accuracy in accuracies.values()]
    names = pl.Series(list(labels), dtype=pl.String)
    return pl.DataFrame(
        {
            "item": pl.Series(np.repeat(np.arange(1, n_items + 1), len(given))).cast(pl.String),
            "rater": list(accuracies) * n_items,
            "label": names.gather(np.stack(given, axis=1).ravel()),
            "truth": names.gather(np.repeat(world.truth[0], len(given))),
        }
    )


@dataclass(frozen=True)
class _World:
    """Base rates (R, N), right label (R, n) and level of difficulty (R, n) of the items of R runs."""

    base_rates: FloatArray
    truth: IntArray
    level: IntArray


def _simulate_runs(
    setting: Setting, run_numbers: IntArray, methods: Sequence[str], rng: np.random.Generator
) -> pl.DataFrame:
    R, k = len(run_numbers), setting.n_labels
    world = _draw_world(setting, rng.dirichlet(np.ones(k), R), rng)
    given = np.stack([_answers(world, a, setting, setting.difficulty, rng)[0] for a in setting.raters], axis=-1)
    rows, C = _unique_rows(np.sort(given, axis=-1).reshape(-1, len(setting.raters)), k)
    shift = setting.difficulty if setting.system_difficulty is None else setting.system_difficulty
    parts = []
    for level in setting.systems:
        answer, expected = _answers(world, level, setting, shift, rng)
        pattern = rows.reshape(R, -1) * k + answer
        seen, column = np.unique(pattern, return_inverse=True)
        cell = (column.reshape(R, -1) + len(seen) * np.arange(R)[:, None]).ravel()
        W = np.bincount(cell, minlength=R * len(seen)).reshape(R, -1).astype(np.float64)
        counts, system = C[seen // k], seen % k
        shared = {
            "run": run_numbers,
            "system_accuracy": np.full(R, level),
            "kappa": lehner.kappa(lehner.rater_figures(counts, W).P_a, k),
            "expected_accuracy": expected,
            "in_sample_accuracy": (answer == world.truth).mean(axis=1),
        }
        for method in methods:
            estimate = ESTIMATORS[method].replicate(counts, system, W)
            columns = {**shared, "method": [method] * R, "estimate": estimate}
            parts.append(pl.DataFrame({name: columns[name] for name in SIMULATION_SCHEMA}, schema=SIMULATION_SCHEMA))
    return pl.concat(parts)


def _draw_world(setting: Setting, base_rates: FloatArray, rng: np.random.Generator) -> _World:
    shape = (len(base_rates), setting.n_items)
    return _World(base_rates, _draw(base_rates[:, None, :], shape, rng), rng.integers(0, len(LEVELS), shape))


def _answers(
    world: _World, accuracy: float, setting: Setting, difficulty: float, rng: np.random.Generator
) -> tuple[IntArray, FloatArray]:
    """Labels (R, n) that a rater or system of this accuracy gives, and its expected accuracy (R,)."""
    # without difficulty there is one level, hence one draw of the errors, for all items
    levels = np.array(LEVELS) if difficulty else np.zeros(1)
    target = np.clip(accuracy + difficulty * levels, 0, 1) * np.ones((len(world.truth), 1))
    rates = world.base_rates[:, None, :]
    matrices = confusion_matrices(target, rates, setting.asymmetry, setting.error_range, rng)
    run = np.arange(len(world.truth))[:, None]
    labels = _draw(matrices[run, world.level % len(levels), world.truth], world.truth.shape, rng)
    return labels, expected_accuracy(matrices, rates).mean(axis=1)


def _draw(probabilities: FloatArray, shape: tuple[int, ...], rng: np.random.Generator) -> IntArray:
    """One code per cell of `shape`, from probabilities (..., N) that broadcast to it."""
    bounds = probabilities.cumsum(axis=-1)[..., :-1]
    return np.asarray((rng.random(shape)[..., None] > bounds).sum(axis=-1), dtype=np.int64)


def _unique_rows(labels: IntArray, k: int) -> tuple[IntArray, IntArray]:
    """Row number of each item's sorted labels (n, r), and the distinct rows as counts (rows, k).

    Columns are joined one after another, so that the key stays small however many raters and labels there
    are.
    """
    key = np.zeros(len(labels), np.int64)
    for column in labels.T:
        key = np.unique(key * k + column, return_inverse=True)[1]
    first = np.empty(int(key.max()) + 1, np.int64)
    first[key] = np.arange(len(key))
    return key, (labels[first][:, :, None] == np.arange(k)).sum(axis=1)


def _portions(setting: Setting, runs: int) -> Iterator[IntArray]:
    """Run numbers in portions of a fixed number of items, so that memory does not grow with the runs."""
    step = max(1, _ITEMS_AT_ONCE // setting.n_items)
    return (np.arange(start, min(start + step, runs)) for start in range(0, runs, step))


def _check(setting: Setting, runs: int, methods: Sequence[str]) -> None:
    for accuracy in (*setting.raters, *setting.systems):
        check_shape(setting.n_labels, accuracy, setting.asymmetry, setting.error_range)
    if setting.n_items < 1 or runs < 1 or len(setting.raters) < 2 or not setting.systems:
        raise StatsError(
            f"A simulation has one run, item and system or more and two raters or more, found {runs} runs of {setting}."
            " Raise what is too small."
        )
    unknown = [name for name in methods if name not in ESTIMATORS]
    if unknown or not methods:
        raise StatsError(f"There is no method {', '.join(unknown)!r}. Choose from {', '.join(ESTIMATORS)}.")
