"""Two hidden kinds of items, easy and difficult ones, each with its own coins for raters and system.

Raters who err on the same difficult items agree less than their accuracy says, and a system that errs there too
looks like them; with one coin this passes for independence. Errors are spread as in `one_coin`, on an ordered scale
as in `ordinal`. It pays from about a thousand items on. With two labels, raters who guess on difficult items leave
the system's accuracy there without any evidence, so that it is not identified.
"""

from functools import partial

import numpy as np

from stats.accuracy import coins
from stats.accuracy.data import Data
from stats.accuracy.estimator import FloatArray, IntArray, Patterns
from stats.accuracy.likelihood import Model, Why, estimator


def why_not(patterns: Patterns) -> Why:
    """It needs three labels."""
    if patterns.n_labels < 3:
        return "not_identified", (
            "With two labels nothing is known of the system on items so difficult that the raters guess; the model"
            " needs three labels or more."
        )
    return None


def levels(C: IntArray) -> FloatArray:
    """(p, 2) share of each pattern that EM starts from as easy and as difficult, by how far its raters agree.

    >>> levels(np.array([[3, 0], [1, 1], [1, 0]])).tolist()
    [[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]
    """
    m = C.sum(axis=1)
    agreeing = (C * (C - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1)
    easy = 0.25 + 0.5 * np.where(m > 1, agreeing, 0.5)
    return np.stack([easy, 1 - easy], axis=1)


def _model(name: str, *, distance: bool) -> Model:
    def start(data: Data) -> FloatArray:
        return data.start(data.pooled, levels(data.pooled.C))

    return Model(
        name=name,
        view=lambda data: data.pooled,
        start=start,
        prior=lambda data: coins.prior(data.used, 2),
        m_step=partial(coins.m_step, levels=2, distance=distance),
        n_parameters=lambda data: data.n_classes + 4 + distance,
        tangent=partial(coins.tangent, levels=2, distance=distance),
        why_not=why_not,
        gain=1e-5,  # without difficult items the two levels drift along a ridge for thousands of steps, for nothing
    )


EVEN = _model("difficulty", distance=False)
ORDERED = _model("ordered difficulty", distance=True)


def model_for(patterns: Patterns) -> Model:
    """With errors falling with the distance where the labels are ordered."""
    return ORDERED if patterns.ordered else EVEN


DIFFICULTY = estimator("Two levels of difficulty of the items", model_for, name="difficulty")
