"""One coin, errors falling with the distance on an ordered scale: as AD^-(d - 1), AD estimated with the rest.

AD is common to raters and system. For labels in the order of a declared scale, three or more of them; on labels
without an order it finds patterns that are none.
"""

from functools import partial

from stats.accuracy import coins
from stats.accuracy.estimator import Patterns
from stats.accuracy.likelihood import Model, Why, estimator


def why_not(patterns: Patterns) -> Why:
    """It needs an order, and two labels have no distances."""
    if not patterns.ordered:
        return "not_applicable", (
            "The labels have no declared order, and this model reads their distances. Declare the scale as ordinal,"
            " interval or ratio if they have one."
        )
    if patterns.n_labels < 3:
        return "not_applicable", "Two labels have one distance only; the model is then the same as one_coin."
    return None


MODEL = Model(
    name="ordinal",
    view=lambda data: data.pooled,
    start=lambda data: data.start(data.pooled),
    prior=lambda data: coins.prior(data.used, 1),
    m_step=partial(coins.m_step, levels=1, distance=True),
    n_parameters=lambda data: data.n_classes + 2,
    tangent=partial(coins.tangent, levels=1, distance=True),
    why_not=why_not,
)


def model_for(_: Patterns) -> Model:
    return MODEL


ORDINAL = estimator("One coin, errors falling with the distance of ordered labels", model_for, name="ordinal")
