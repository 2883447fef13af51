"""Difference between the accuracies of two systems by the likelihood models, on the same items.

Both systems are fitted as always, each by itself. Three things are paired: the items (answers on items that only one of
them answered are left out), the model weights (one set for both, by the mean of their criteria, so that a difference is
never one between models), and the errors (see `stats.accuracy.compare.influence`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from stats.accuracy import dawid_skene, difficulty, notes, one_coin, ordinal, pooled_free
from stats.accuracy.compare.influence import influence
from stats.accuracy.compare.pooling import average_models, pooled_error, weights
from stats.accuracy.data import Data
from stats.accuracy.em import Solutions
from stats.accuracy.estimator import FloatArray, IntArray, Patterns
from stats.accuracy.likelihood import Model, Why, data_of, figure, solve, why_undefined
from stats.accuracy.logit import NORMAL
from stats.accuracy.tables import Table, located

Undefined = tuple[str, str]  # reason code and sentence

SINGLE: dict[str, Callable[[Patterns], Model]] = {
    "one_coin": one_coin.model_for,
    "pooled_free": pooled_free.model_for,
    "ordinal": ordinal.model_for,
    "dawid_skene": dawid_skene.model_for,
    "difficulty": difficulty.model_for,
}
METHODS = ("average", *SINGLE)


@dataclass(frozen=True)
class Side:
    """One system's answers (P,) to the rows of a table, as data; `reason` where it has no figure."""

    patterns: Patterns
    place: IntArray
    reason: Why
    _data: Data | None
    moves: dict[str, FloatArray | None] = field(default_factory=dict)

    @property
    def data(self) -> Data:
        if self._data is None:
            raise ValueError("This system has no figure.")
        return self._data

    def influence(self, model: Model) -> FloatArray | None:
        """(P,) by row of the table."""
        if model.name not in self.moves:
            found = influence(model, self.data)
            self.moves[model.name] = None if found is None else self._by_row(found)
        return self.moves[model.name]

    def _by_row(self, found: FloatArray) -> FloatArray:
        rated = np.append(self.patterns.rated, False)  # the place -1 is the last one
        number = np.cumsum(rated) - 1
        return np.asarray(np.where(rated[self.place], found[number[self.place] * rated[self.place]], 0.0))


@dataclass(frozen=True)
class Difference:
    """Accuracy of A less that of B, its standard error (None where undefined) and the t distribution's degrees."""

    value: float
    se: float | None
    degrees: float = NORMAL
    warnings: tuple[str, ...] = ()


def side_of(table: Table, answer: IntArray, found: Solutions | None = None) -> Side:
    """The data of a system that gave these answers to the rows of the table, and what the models found in them."""
    patterns, place = located(table, answer)
    if found is not None:
        patterns = replace(patterns, solutions=found)
    reason = why_undefined(patterns)
    return Side(patterns, place, reason, data_of(patterns) if reason is None else None)


def difference(method: str, a: Side, b: Side, n_items: IntArray, n: int) -> Difference | Undefined:
    """By one of METHODS. n_items (P,) items of the table's rows, n common items."""
    why = a.reason or b.reason or (None if method == "average" else SINGLE[method](a.patterns).why_not(a.patterns))
    if why is not None:
        return why
    sides = [(side.patterns, side.data) for side in (a, b)]
    models = average_models(sides) if method == "average" else [SINGLE[method](a.patterns)]
    d = np.array([figure(solve(model, a.data), a.data.k)[0] - figure(solve(model, b.data), b.data.k)[0]
                  for model in models])  # fmt: skip
    w, v = weights(models, [a.data, b.data])
    value = float(w @ d)
    errors = [_variance(model, a, b, n_items, n) for model in models]
    unsettled = [note for model, weight in zip(models, w, strict=True) if weight >= 0.01
                 for data in (a.data, b.data) for note in _unsettled(model, data)]  # fmt: skip
    warnings = tuple(dict.fromkeys(unsettled))
    found = pooled_error(d, errors, value, v)
    if found is None:
        return Difference(value, None, warnings=(*warnings, notes.NO_INFORMATION))
    return Difference(value, found[0] ** 0.5, found[1], warnings)


def _variance(model: Model, a: Side, b: Side, n_items: IntArray, n: int) -> float | None:
    """Sum of the squared influences on the difference, with one more item on which the systems differ, half for each:
    three items that all speak for one system are no proof."""
    of_a, of_b = a.influence(model), b.influence(model)
    if of_a is None or of_b is None:
        return None
    return float((n_items * (of_a - of_b) ** 2).sum()) + 1 / n**2


def _unsettled(model: Model, data: Data) -> list[str]:
    solution = solve(model, data)
    return notes.on_steps(int(solution.steps[0]), bool(solution.converged[0]))
