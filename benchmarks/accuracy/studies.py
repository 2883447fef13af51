"""Worlds in which a system's accuracy is known, and sets of ratings from them with what the models find in each.

A world is a `stats.simulate.SimulationSetting`, drawn by the source paper's procedure (`stats.simulation.draws`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from stats.accuracy.estimators import average
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import data_of, solve
from stats.accuracy.fitting.model_data import ModelData, batches
from stats.accuracy.models import dawid_skene
from stats.arrays import FloatArray, IntArray
from stats.simulate import FIGURES, SimulationSetting
from stats.simulation.draws import (
    ErrorProfile,
    distinct_rows,
    draw_answers,
    draw_items,
    patterns_with_system,
    split_studies,
)

LABELS, RATERS, ITEMS = (2, 5, 10), (3, 5), (50, 200, 1000)
RECURRING = 1000  # ways to label an item, up to which the models are fitted to many sets at once


@dataclass(frozen=True)
class Kind:
    """A setting with its name in the tables: one of the paper's, or another."""

    name: str
    setting: SimulationSetting
    paper: bool

    @property
    def raters(self) -> float:
        """Mean accuracy of the raters."""
        return round(float(np.mean(self.setting.raters)), 3)

    @property
    def kappa(self) -> float:
        """Kappa, with chance 1/N, of raters who are all right in this mean and err evenly."""
        k = self.setting.n_labels
        return ((k * self.raters - 1) / (k - 1)) ** 2

    @property
    def violated(self) -> bool:
        """Whether the paper's assumptions on errors fail."""
        return self.setting.error_range > 0

    @property
    def recurring(self) -> bool:
        """Whether there are so few ways to label an item that many sets show the same."""
        ways: int = self.setting.n_labels ** (len(self.setting.raters) + 1)
        return ways <= RECURRING


@dataclass(frozen=True)
class Study:
    """One set of ratings and one system: its expected accuracy `truth`; patterns with raters by name (True) and
    without; the data of the former, the models solved, None where nothing can be estimated."""

    number: int
    system: float
    truth: float
    patterns: dict[bool, SystemPatterns]
    data: ModelData | None


def kinds() -> list[Kind]:
    """The paper's 14 settings, then others of its kind with raters of .6 and more."""
    paper = [Kind(f"figure {number}", setting, True) for number, setting in FIGURES.items()]
    grid = [_other(k, r, n, violated) for violated in (False, True) for k in LABELS for r in RATERS for n in ITEMS]
    return [*paper, *grid, *(_undeclared(_other(5, 3, n, True)) for n in ITEMS)]


def _undeclared(kind: Kind) -> Kind:
    """The same with labels that are not said to be ordered, though errors prefer neighbours."""
    return replace(kind, name=f"{kind.name}, nominal", setting=replace(kind.setting, ordered=False))


def _other(k: int, r: int, n: int, violated: bool) -> Kind:
    raters = tuple(np.linspace(0.5, 0.7, r).round(3).tolist()) if violated else (0.6,) * r
    errors = {"asymmetry": 2.0, "error_range": 1.0, "difficulty": 0.2} if violated else {}
    return Kind(f"{k} labels, {r} raters", SimulationSetting(n, raters, n_labels=k, **errors), False)  # type: ignore[arg-type]


def studies(kind: Kind, sets: int, rng: np.random.Generator) -> Iterator[Study]:
    """`sets` sets of ratings, each once with every system of the setting; with one system, each in its turn, where
    patterns seldom recur."""
    setting = kind.setting
    if kind.recurring:
        step = max(1, min(64, 200_000 // setting.n_items))
        for start in range(0, sets, step):
            yield from _portion(setting, np.arange(start, min(start + step, sets)), rng)
    else:
        for number in range(sets):
            system = setting.systems[number % len(setting.systems)]
            yield from _portion(replace(setting, systems=(system,)), np.array([number]), rng)


def _portion(setting: SimulationSetting, numbers: IntArray, rng: np.random.Generator) -> Iterator[Study]:
    k, errors = setting.n_labels, ErrorProfile(setting.asymmetry, setting.error_range, setting.difficulty)
    world = draw_items(setting.n_items, rng.dirichlet(np.ones(k), len(numbers)), rng)
    labels = np.stack([draw_answers(world, accuracy, errors, rng)[0] for accuracy in setting.raters], axis=-1)
    labels = labels.reshape(-1, len(setting.raters))
    rows = {True: distinct_rows(labels, k), False: distinct_rows(np.sort(labels, axis=-1), k)}
    for system in setting.systems:
        answer, truth = draw_answers(world, system, errors, rng)
        both = {
            by_rater: patterns_with_system(*row, answer, k, ordered=setting.ordered, by_rater=by_rater)
            for by_rater, row in rows.items()
        }
        own = zip(*(list(split_studies(*both[by_rater])) for by_rater in (True, False)), strict=True)
        data = _solved(*both[True])
        for place, (number, patterns) in enumerate(zip(numbers.tolist(), own, strict=True)):
            mine = _narrowed(data[place], patterns[0]) if place in data else None
            yield Study(number, system, float(truth[place]), dict(zip((True, False), patterns, strict=True)), mine)


def _solved(patterns: SystemPatterns, W: FloatArray) -> dict[int, ModelData]:
    """For each weighting that has an estimate, the data with all that the models find there."""
    further, solved = average.further_model(patterns), dict[int, ModelData]()
    models = [*average.models_for(patterns), dawid_skene.MODEL]
    for data, numbers in batches(patterns, W):
        for model in models:
            solve(model, data)
        one_by_one = [data.take(np.array([row])) for row in range(len(numbers))]
        pays = np.flatnonzero(average.difficulty_pays(data)) if further is not None else np.zeros(0, np.int64)
        if further is not None and pays.size:
            solution = solve(further, data.take(pays))
            for place, row in enumerate(pays):
                one_by_one[row].solutions[further.name] = solution.take(np.array([place]))
        solved |= dict(zip(numbers.tolist(), one_by_one, strict=True))
    return solved


def _narrowed(data: ModelData, patterns: SystemPatterns) -> ModelData:
    """The same on the patterns of one set alone."""
    own = data_of(patterns)
    own.solutions.update(data.solutions)
    return own
