"""The difficulty model: two hidden kinds of items, easy and difficult, each with its own coins for raters and system.

Raters who err on the same difficult items agree less than their accuracy suggests. A system that errs on those items
too resembles the raters, and a one-coin model takes this for independence. Errors are spread as in `one_coin`, or as
in `ordinal` on an ordered scale. The model pays from about a thousand items on. With two labels, raters who guess on
difficult items leave no evidence about the system there, so its accuracy is not identified.
"""

from functools import partial

import numpy as np

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import Model, Why, estimator
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import coins
from stats.arrays import FloatArray, IntArray


def why_not(patterns: SystemPatterns) -> Why:
    """Return why the model does not apply: it needs three or more labels."""
    if patterns.n_labels < 3:
        return "not_identified", (
            "With two labels nothing is known of the system on items so difficult that the raters guess; the model"
            " needs three labels or more."
        )
    return None


def levels(C: IntArray) -> FloatArray:
    """Return the shares (p, 2) of each pattern that EM starts from as easy and as difficult.

    The more the raters of a pattern agree, the easier it starts.

    >>> levels(np.array([[3, 0], [1, 1], [1, 0]])).tolist()
    [[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]]
    """
    m = C.sum(axis=1)
    agreeing = (C * (C - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1)
    easy = 0.25 + 0.5 * np.where(m > 1, agreeing, 0.5)
    return np.stack([easy, 1 - easy], axis=1)


def _model(name: str, *, distance: bool) -> Model:
    def start(data: ModelData) -> FloatArray:
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
    )


EVEN = _model("difficulty", distance=False)
ORDERED = _model("ordered difficulty", distance=True)


def model_for(patterns: SystemPatterns) -> Model:
    """Return the model for the patterns: errors fall with distance where the labels are ordered."""
    return ORDERED if patterns.ordered else EVEN


DIFFICULTY = estimator("Two levels of difficulty of the items", model_for, name="difficulty")
