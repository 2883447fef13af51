"""Difference between the accuracies of two systems by the likelihood models, on the same items.

Each system is fitted separately, and the difference is that of the two accuracies. The items are paired: answers on
items that only one system answered are left out. The errors are paired too (see
`stats.accuracy.comparison.influence`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from stats.accuracy import warnings_in_words
from stats.accuracy.comparison.influence import influence
from stats.accuracy.comparison.pooling import average_models, pooled_error, weights
from stats.accuracy.estimators import average
from stats.accuracy.fitting.em_solution import Solutions
from stats.accuracy.fitting.estimator import LogitError, SystemFit, SystemPatterns
from stats.accuracy.fitting.likelihood import Model, Why, data_of, figure, fit_of, solve, why_undefined
from stats.accuracy.fitting.logit import NORMAL
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import dawid_skene, difficulty, one_coin, ordinal, pooled_free
from stats.accuracy.system_patterns import SystemTable, located
from stats.arrays import FloatArray, IntArray

Undefined = tuple[str, str]  # reason code and sentence

SINGLE: dict[str, Callable[[SystemPatterns], Model]] = {
    "one_coin": lambda _: one_coin.MODEL,
    "pooled_free": lambda _: pooled_free.MODEL,
    "ordinal": lambda _: ordinal.MODEL,
    "dawid_skene": lambda _: dawid_skene.MODEL,
    "difficulty": difficulty.model_for,
}
METHODS = ("average", *SINGLE)


@dataclass(frozen=True)
class Side:
    """One system's answers (P,) to the rows of a table, as model data.

    `reason` says why the system has no accuracy, or is None.
    """

    patterns: SystemPatterns
    place: IntArray
    reason: Why
    _data: ModelData | None
    moves: dict[str, FloatArray | None] = field(default_factory=dict)

    @property
    def data(self) -> ModelData:
        """Return the model data. Raises ValueError where the system has no accuracy."""
        if self._data is None:
            raise ValueError("This system has no figure.")
        return self._data

    def influence(self, model: Model) -> FloatArray | None:
        """Return how far one item of each row of the table (P,) moves the system's accuracy; None where undefined."""
        if model.name not in self.moves:
            moves = influence(model, self.data)
            self.moves[model.name] = None if moves is None else self._by_row(moves)
        return self.moves[model.name]

    def _by_row(self, moves: FloatArray) -> FloatArray:
        rated = np.append(self.patterns.rated, False)  # the place -1 is the last one
        number = np.cumsum(rated) - 1
        return np.asarray(np.where(rated[self.place], moves[number[self.place] * rated[self.place]], 0.0))


Ends = tuple[float, float]


@dataclass(frozen=True)
class Difference:
    """Accuracy of A minus accuracy of B, with its error.

    - se: None where undefined. degrees: of the t distribution.
    - accuracies: of A and B on the common items.
    - centre: the middle of the interval, where that is not `value`.
    - errors: of logit(accuracy) of A and of B, where the difference must be no surer than the two accuracies.
    - intervals: those of the two accuracies, where `errors` does not say them.
    """

    value: float
    se: float | None
    degrees: float = NORMAL
    warnings: tuple[str, ...] = ()
    accuracies: tuple[float, float] | None = None
    centre: float | None = None
    errors: tuple[LogitError, LogitError] | None = None
    intervals: tuple[Ends, Ends] | None = None


def side_of(table: SystemTable, answer: IntArray, solutions: Solutions | None = None) -> Side:
    """Return a system's side from its answers (P,) to the rows of the table, with the model fits already computed."""
    patterns, place = located(table, answer)
    patterns = replace(patterns, solutions=Solutions() if solutions is None else solutions)
    reason = why_undefined(patterns)
    return Side(patterns, place, reason, data_of(patterns) if reason is None else None)


def difference(method: str, a: Side, b: Side, n_items: IntArray, n: int) -> Difference | Undefined:
    """Return the difference by one of METHODS. n_items (P,) are the items of the table's rows, n the common items.

    The value is the difference of the two accuracies of `accuracy`, where each system has its own weights of the
    models. The effect of different weights counts in the error, as variance between models.
    """
    why = a.reason or b.reason or (None if method == "average" else SINGLE[method](a.patterns).why_not(a.patterns))
    if why is not None:
        return why
    sides = [(side.patterns, side.data) for side in (a, b)]
    models = average_models(sides) if method == "average" else [SINGLE[method](a.patterns)]
    d = np.array([figure(solve(model, a.data), a.data.k)[0] - figure(solve(model, b.data), b.data.k)[0]
                  for model in models])  # fmt: skip
    w, v = weights(models, [a.data, b.data])
    fits = _fit(method, a, n), _fit(method, b, n)
    figures = fits[0].accuracy or 0.0, fits[1].accuracy or 0.0
    value = figures[0] - figures[1]
    errors = [_variance(model, a, b, n_items, n) for model in models]
    unsettled = [note for model, weight in zip(models, w, strict=True) if weight >= 0.01
                 for data in (a.data, b.data) for note in _unsettled(model, data)]  # fmt: skip
    warnings = tuple(dict.fromkeys(unsettled))
    error = pooled_error(d, errors, value, v)
    of_a, of_b = (None if fit.logit_error is None else fit.logit_error() for fit in fits)
    if error is None or of_a is None or of_b is None:
        return Difference(value, None, warnings=(*warnings, warnings_in_words.NO_INFORMATION), accuracies=figures)
    return Difference(value, error[0] ** 0.5, error[1], warnings, figures, errors=(of_a, of_b))


def _fit(method: str, side: Side, n: int) -> SystemFit:
    """Return the side's accuracy and its error, computed as in `accuracy`."""
    if method == "average":
        return average.fit_data(side.patterns, side.data)
    return fit_of(SINGLE[method](side.patterns), side.data, n)


def _variance(model: Model, a: Side, b: Side, n_items: IntArray, n: int) -> float | None:
    """Return the sum of the squared influences on the difference.

    One more item is added on which the systems differ, half for each, because three items that all favour one system
    are no proof.
    """
    of_a, of_b = a.influence(model), b.influence(model)
    if of_a is None or of_b is None:
        return None
    return float((n_items * (of_a - of_b) ** 2).sum()) + 1 / n**2


def _unsettled(model: Model, data: ModelData) -> list[str]:
    solution = solve(model, data)
    return warnings_in_words.on_steps(int(solution.steps[0]), bool(solution.converged[0]))
