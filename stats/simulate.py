"""Simulated raters and systems with known accuracy: the source paper's 14 experiments, and any other setting.

Source: Lehner (2015), doi:10.22237/jmasm/1430453520, "Performance and robustness", Figures 1-14. Not stated
there but forced by the printed figures: base rates from Dirichlet(1, ..., 1), and three equally likely levels
of difficulty for each item, the same for raters and systems.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
import polars as pl

from stats.accuracy import ESTIMATORS, lehner
from stats.accuracy.estimator import FloatArray, IntArray, Patterns
from stats.accuracy.valid import check_confidence
from stats.confusion import check_shape, confusion_matrix
from stats.drawing import Errors, World, answers, distinct_rows, draw_world, patterns_with, study_by_study
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
INTERVAL_SCHEMA = {"low": pl.Float64, "high": pl.Float64}
_ITEMS_AT_ONCE = 100_000
_CELLS_AT_ONCE = 2_000_000  # studies x patterns: a table of mostly zeros where patterns seldom recur

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Setting:
    """One experiment. raters and systems are accuracies (IPC); the rest as in
    `stats.confusion.confusion_matrix`.

    `difficulty` shifts raters and systems on easy and difficult items; `system_difficulty` replaces it for
    the systems. `ordered` tells the estimators that the labels have the order that `asymmetry` speaks of.
    """

    n_items: int
    raters: tuple[float, ...]
    systems: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)
    n_labels: int = 5
    asymmetry: float = 1.0
    error_range: float = 0.0
    difficulty: float = 0.0
    system_difficulty: float | None = None
    ordered: bool = True


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


def simulate(
    setting: Setting,
    *,
    runs: int,
    seed: int,
    methods: Sequence[str] = ("lehner",),
    confidence: float | None = None,
    progress: Progress = lambda _: None,
) -> pl.DataFrame:
    """Draw the setting `runs` times and estimate every system by every method: one row per run, system and
    method.

    Columns: run (from 0), system_accuracy (the setting's own number), method, kappa of the raters,
    expected_accuracy (of the system over the run's base rates and the levels of difficulty),
    in_sample_accuracy (on the run's items), estimate (null where undefined, e.g. raters who agree no better
    than chance). With a confidence also low and high, the interval that the method gives by itself (null where
    it has none); this takes a fit for each run and is slower. The same raters and items serve all systems of a
    run, and all methods. `progress` is told how many (run, system) have just been done.

    Raises StatsError for an unknown method, a setting out of range and a confidence outside (0, 1).

    >>> simulate(FIGURES[3], runs=2, seed=1).select("run", "system_accuracy").unique().height
    10
    """
    _check(setting, runs, methods, confidence)
    rng = np.random.default_rng(seed)
    parts = [_simulate_runs(setting, some, methods, confidence, progress, rng) for some in _portions(setting, runs)]
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
    errors = Errors(asymmetry, error_range, difficulty)
    world = draw_world(n_items, rates[None, :], rng)
    given = [answers(world, accuracy, errors, rng)[0][0] for accuracy in accuracies.values()]
    names = pl.Series(list(labels), dtype=pl.String)
    return pl.DataFrame(
        {
            "item": pl.Series(np.repeat(np.arange(1, n_items + 1), len(given))).cast(pl.String),
            "rater": list(accuracies) * n_items,
            "label": names.gather(np.stack(given, axis=1).ravel()),
            "truth": names.gather(np.repeat(world.truth[0], len(given))),
        }
    )


def _simulate_runs(
    setting: Setting,
    run_numbers: IntArray,
    methods: Sequence[str],
    confidence: float | None,
    progress: Progress,
    rng: np.random.Generator,
) -> pl.DataFrame:
    R, k = len(run_numbers), setting.n_labels
    world = draw_world(setting.n_items, rng.dirichlet(np.ones(k), R), rng)
    rows = _raters_rows(setting, world, any(ESTIMATORS[method].by_rater for method in methods), rng)
    shift = setting.difficulty if setting.system_difficulty is None else setting.system_difficulty
    errors = Errors(setting.asymmetry, setting.error_range, shift)
    parts = []
    for level in setting.systems:
        answer, expected = answers(world, level, errors, rng)
        patterns = {
            by_rater: patterns_with(*found, answer, k, ordered=setting.ordered, by_rater=by_rater)
            for by_rater, found in rows.items()
        }
        counts, W = patterns[False]
        shared = {
            "run": run_numbers,
            "system_accuracy": np.full(R, level),
            "kappa": lehner.kappa(lehner.rater_figures(counts.C, W).P_a, k),
            "expected_accuracy": expected,
            "in_sample_accuracy": (answer == world.truth).mean(axis=1),
        }
        for method in methods:
            of_method = patterns[ESTIMATORS[method].by_rater]
            columns = {**shared, "method": [method] * R, "estimate": ESTIMATORS[method].replicate(*of_method)}
            frame = pl.DataFrame({name: columns[name] for name in SIMULATION_SCHEMA}, schema=SIMULATION_SCHEMA)
            if confidence is not None:
                frame = frame.hstack(_intervals(method, *of_method, confidence, run_numbers))
            parts.append(frame)
        progress(R)
    return pl.concat(parts)


def _raters_rows(
    setting: Setting, world: World, by_rater: bool, rng: np.random.Generator
) -> dict[bool, tuple[IntArray, IntArray]]:
    """The raters' labels as `distinct_rows`: False -> without who gave them, True -> with, if wanted."""
    errors = Errors(setting.asymmetry, setting.error_range, setting.difficulty)
    given = np.stack([answers(world, accuracy, errors, rng)[0] for accuracy in setting.raters], axis=-1)
    given = given.reshape(-1, len(setting.raters))
    rows = {False: distinct_rows(np.sort(given, axis=-1), setting.n_labels)}
    return rows | {True: distinct_rows(given, setting.n_labels)} if by_rater else rows


def _intervals(
    method: str, patterns: Patterns, W: FloatArray, confidence: float, run_numbers: IntArray
) -> pl.DataFrame:
    """Columns low and high (R,); the number of a run is the seed of its bootstrap, if the method has one."""
    estimator, rows = ESTIMATORS[method], []
    for number, one in zip(run_numbers, study_by_study(patterns, W), strict=True):
        found = estimator.interval(one, estimator.fit(one), confidence, int(number))
        rows.append((found.low, found.high))
    return pl.DataFrame(rows, schema=INTERVAL_SCHEMA, orient="row")


def _portions(setting: Setting, runs: int) -> Iterator[IntArray]:
    """Run numbers in portions, so that memory does not grow with the runs.

    A portion has few items; and few patterns, of which there are no more than combinations of labels, nor than
    items.
    """
    n, k = setting.n_items, setting.n_labels
    combinations = k ** (len(setting.raters) + 1)
    step = min(_ITEMS_AT_ONCE // n, max(_CELLS_AT_ONCE // combinations, isqrt(_CELLS_AT_ONCE // n)))
    step = max(1, step)
    return (np.arange(start, min(start + step, runs)) for start in range(0, runs, step))


def _check(setting: Setting, runs: int, methods: Sequence[str], confidence: float | None) -> None:
    for accuracy in (*setting.raters, *setting.systems):
        check_shape(setting.n_labels, accuracy, setting.asymmetry, setting.error_range)
    for difficulty in (setting.difficulty, setting.system_difficulty or 0.0):
        if not 0 <= difficulty <= 1:
            raise StatsError(f"Difficulty lies between 0 and 1, found {difficulty}. Pass .2 for accuracies +-.2.")
    if setting.n_items < 1 or runs < 1 or len(setting.raters) < 2 or not setting.systems:
        raise StatsError(
            "A simulation has one run, item and system or more and two raters or more, found"
            f" {runs} runs, {setting.n_items} items, {len(setting.systems)} systems and {len(setting.raters)} raters."
            " Raise what is too small."
        )
    if confidence is not None:
        check_confidence(confidence)
    unknown = [name for name in methods if name not in ESTIMATORS]
    if unknown or not methods:
        raise StatsError(f"There is no method {', '.join(unknown)!r}. Choose from {', '.join(ESTIMATORS)}.")
