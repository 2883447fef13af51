"""Simulate raters and systems of known accuracy: the 14 experiments of the source paper, or any other setting.

Source: Lehner (2015), doi:10.22237/jmasm/1430453520, "Performance and robustness", Figures 1-14. The paper does not
state two things that its printed figures imply: base rates come from Dirichlet(1, ..., 1), and each item has one of
three equally likely levels of difficulty, the same for raters and systems.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
import polars as pl

from stats.accuracy import ESTIMATORS
from stats.accuracy.arguments import check_confidence, check_seed
from stats.accuracy.estimators import lehner
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray
from stats.errors import StatsError, as_list, check_numbers, check_sequences, check_whole_numbers
from stats.ratings import list_names
from stats.simulation.confusion_matrices import check_shape, confusion_matrix
from stats.simulation.draws import (
    ErrorProfile,
    SimulatedItems,
    distinct_rows,
    draw_answers,
    draw_items,
    patterns_with_system,
    split_studies,
)

__all__ = ["FIGURES", "PRINTED_KAPPA", "SimulationSetting", "confusion_matrix", "simulate", "simulate_ratings"]

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
MAX_ITEMS_AT_ONCE = 100_000
MAX_CELLS_AT_ONCE = 2_000_000  # studies x patterns, mostly zeros where patterns seldom recur

Progress = Callable[[int], None]


@dataclass(frozen=True)
class SimulationSetting:
    """One experiment.

    raters and systems: accuracies (IPC) in 0..1. difficulty: shift of the accuracy of raters and systems on easy and
    difficult items, in 0..1. system_difficulty: the same for the systems, if it differs. ordered: whether the
    estimators know that the labels are ordered, as `asymmetry` supposes. The other fields are arguments of
    `stats.simulation.confusion_matrices.confusion_matrix`.
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


def _violated(n_items: int, raters: tuple[float, ...]) -> SimulationSetting:
    return SimulationSetting(n_items, raters, asymmetry=2.0, error_range=1.0, difficulty=0.2)


FIGURES: dict[int, SimulationSetting] = {
    1: SimulationSetting(5000, (0.6, 0.6, 0.6)),
    2: SimulationSetting(200, (0.4, 0.4, 0.4)),
    3: SimulationSetting(200, (0.6, 0.6, 0.6)),
    4: SimulationSetting(200, (0.8, 0.8, 0.8)),
    5: SimulationSetting(50, (0.4, 0.4, 0.4)),
    6: SimulationSetting(50, (0.6, 0.6, 0.6)),
    7: SimulationSetting(50, (0.8, 0.8, 0.8)),
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
    setting: SimulationSetting,
    *,
    runs: int,
    seed: int,
    methods: Sequence[str] = ("lehner",),
    confidence: float | None = None,
    progress: Progress = lambda _: None,
) -> pl.DataFrame:
    """Simulate the setting `runs` times and estimate every system by every method.

    Returns one row per run, system and method. All systems and methods of a run share its raters and items. Columns:

    - run: its number, from 0; system_accuracy: as in the setting; method;
    - kappa: of the raters, with chance 1/N;
    - expected_accuracy: of the system over the run's base rates and levels of difficulty;
    - in_sample_accuracy: of the system on the run's items;
    - estimate: null where undefined, for example if the raters agree no better than chance;
    - low, high: only with `confidence`, the method's own interval, null where it has none. This takes one fit per run.

    `progress` is called with the number of (run, system) just finished. Raises StatsError for an unknown method, a
    setting out of range, a negative seed and a confidence outside (0, 1).

    >>> simulate(FIGURES[3], runs=2, seed=1).select("run", "system_accuracy").unique().height
    10
    """
    _check(setting, runs, methods, confidence)
    check_seed(seed)
    rng = np.random.default_rng(seed)
    frames = [
        _simulate_runs(setting, run_numbers, methods, confidence, progress, rng)
        for run_numbers in _portions(setting, runs)
    ]
    frame = pl.concat(frames).with_columns(pl.col("estimate", "kappa").fill_nan(None))
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
    """Simulate ratings of `n_items` items by raters and systems (name -> accuracy in 0..1).

    Returns one row per rating with the text columns item ('1', '2', ...), rater, label and truth, sorted by item, then
    by rater in the order of the arguments. An item is equally difficult for all. `base_rates` are drawn from
    Dirichlet(1, ..., 1) if None. Raises StatsError for values out of range and for a name that is both rater and
    system.
    """
    accuracies = {**raters, **systems}
    if len(accuracies) < len(raters) + len(systems):
        raise StatsError("A name stands for a rater or a system, found one that is both. Rename one of them.")
    for accuracy in accuracies.values():
        check_shape(len(labels), accuracy, asymmetry, error_range)
    k = len(labels)
    rates = rng.dirichlet(np.ones(k)) if base_rates is None else np.asarray(base_rates, np.float64)
    if len(rates) != k or not ((rates >= 0).all() and abs(rates.sum() - 1) <= 1e-9):
        raise StatsError(f"Base rates are one share per label that sum to 1, found {rates.tolist()}. Give {k} of them.")
    errors = ErrorProfile(asymmetry, error_range, difficulty)
    items = draw_items(n_items, rates[None, :], rng)
    answers = [draw_answers(items, accuracy, errors, rng)[0][0] for accuracy in accuracies.values()]
    names = pl.Series(list(labels), dtype=pl.String)
    return pl.DataFrame(
        {
            "item": pl.Series(np.repeat(np.arange(1, n_items + 1), len(answers))).cast(pl.String),
            "rater": list(accuracies) * n_items,
            "label": names.gather(np.stack(answers, axis=1).ravel()),
            "truth": names.gather(np.repeat(items.truth[0], len(answers))),
        }
    )


def _simulate_runs(
    setting: SimulationSetting,
    run_numbers: IntArray,
    methods: Sequence[str],
    confidence: float | None,
    progress: Progress,
    rng: np.random.Generator,
) -> pl.DataFrame:
    R, k = len(run_numbers), setting.n_labels
    items = draw_items(setting.n_items, rng.dirichlet(np.ones(k), R), rng)
    rows = _raters_rows(setting, items, any(ESTIMATORS[method].by_rater for method in methods), rng)
    shift = setting.difficulty if setting.system_difficulty is None else setting.system_difficulty
    errors = ErrorProfile(setting.asymmetry, setting.error_range, shift)
    frames = []
    for level in setting.systems:
        answer, expected = draw_answers(items, level, errors, rng)
        patterns = {
            by_rater: patterns_with_system(*raters_rows, answer, k, ordered=setting.ordered, by_rater=by_rater)
            for by_rater, raters_rows in rows.items()
        }
        counts, W = patterns[False]
        shared = {
            "run": run_numbers,
            "system_accuracy": np.full(R, level),
            "kappa": lehner.kappa(lehner.rater_figures(counts.C, W).P_a, k),
            "expected_accuracy": expected,
            "in_sample_accuracy": (answer == items.truth).mean(axis=1),
        }
        for method in methods:
            of_method = patterns[ESTIMATORS[method].by_rater]
            columns = {**shared, "method": [method] * R, "estimate": ESTIMATORS[method].replicate(*of_method)}
            frame = pl.DataFrame({name: columns[name] for name in SIMULATION_SCHEMA}, schema=SIMULATION_SCHEMA)
            if confidence is not None:
                frame = frame.hstack(_intervals(method, *of_method, confidence, run_numbers))
            frames.append(frame)
        progress(R)
    return pl.concat(frames)


def _raters_rows(
    setting: SimulationSetting, items: SimulatedItems, by_rater: bool, rng: np.random.Generator
) -> dict[bool, tuple[IntArray, IntArray]]:
    """Return `distinct_rows` of the raters' labels: False -> rater identity left out, True -> kept, if `by_rater`."""
    errors = ErrorProfile(setting.asymmetry, setting.error_range, setting.difficulty)
    answers = np.stack([draw_answers(items, accuracy, errors, rng)[0] for accuracy in setting.raters], axis=-1)
    answers = answers.reshape(-1, len(setting.raters))
    rows = {False: distinct_rows(np.sort(answers, axis=-1), setting.n_labels)}
    return rows | {True: distinct_rows(answers, setting.n_labels)} if by_rater else rows


def _intervals(
    method: str, patterns: SystemPatterns, W: FloatArray, confidence: float, run_numbers: IntArray
) -> pl.DataFrame:
    """Return the columns low and high (R,). The number of a run is the seed of its bootstrap, if the method has one."""
    estimator, rows = ESTIMATORS[method], []
    for number, study in zip(run_numbers, split_studies(patterns, W), strict=True):
        interval = estimator.interval(study, estimator.fit(study), confidence, int(number))
        rows.append((interval.low, interval.high))
    return pl.DataFrame(rows, schema=INTERVAL_SCHEMA, orient="row")


def _portions(setting: SimulationSetting, runs: int) -> Iterator[IntArray]:
    """Yield the run numbers in portions, so that memory does not grow with the runs.

    A portion limits the items, and the patterns, which cannot outnumber the combinations of labels or the items.
    """
    n, k = setting.n_items, setting.n_labels
    combinations = k ** (len(setting.raters) + 1)
    step = min(MAX_ITEMS_AT_ONCE // n, max(MAX_CELLS_AT_ONCE // combinations, isqrt(MAX_CELLS_AT_ONCE // n)))
    step = max(1, step)
    return (np.arange(start, min(start + step, runs)) for start in range(0, runs, step))


def _check(setting: SimulationSetting, runs: int, methods: Sequence[str], confidence: float | None) -> None:
    if not isinstance(setting, SimulationSetting):
        raise StatsError(f"The setting is a SimulationSetting, found {setting!r}. Make one, or take one of FIGURES.")
    check_whole_numbers(runs=runs, n_items=setting.n_items, n_labels=setting.n_labels)
    check_sequences(raters=setting.raters, systems=setting.systems)
    for accuracy in (*setting.raters, *setting.systems):
        check_numbers(accuracy=accuracy, asymmetry=setting.asymmetry, error_range=setting.error_range)
        check_shape(setting.n_labels, accuracy, setting.asymmetry, setting.error_range)
    for difficulty in (setting.difficulty, setting.system_difficulty or 0.0):
        check_numbers(difficulty=difficulty)
        if not 0 <= difficulty <= 1:
            raise StatsError(f"Difficulty lies between 0 and 1, found {difficulty}. Pass .2 for accuracies +-.2.")
    if len(setting.raters) < 2:
        raise StatsError(
            f"A simulation needs the accuracies of two raters or more, found {len(setting.raters)}. Add a rater."
        )
    for what, n in (("run", runs), ("item", setting.n_items), ("system", len(setting.systems))):
        if n < 1:
            raise StatsError(f"A simulation needs one {what} or more, found {n}. Give one.")
    if confidence is not None:
        check_confidence(confidence)
    unknown = [name for name in as_list(methods) if not isinstance(name, str) or name not in ESTIMATORS]
    if unknown:
        raise StatsError(f"There is no method {list_names(unknown)}. Choose from {', '.join(ESTIMATORS)}.")
    if isinstance(methods, str) or not methods:
        raise StatsError(f"Methods are a list of names, found {methods!r}. Choose from {', '.join(ESTIMATORS)}.")
