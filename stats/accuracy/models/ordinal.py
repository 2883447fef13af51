"""The ordinal model: one coin, and errors that fall as AD^-(d - 1) with the distance d on an ordered scale.

AD is estimated together with the coins and is common to raters and system. The model needs three or more labels in the
order of a declared scale. On labels without an order it would fit patterns that do not exist.
"""

from functools import partial

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.likelihood import Model, Why, estimator
from stats.accuracy.models import coins


def why_not(patterns: SystemPatterns) -> Why:
    """Return why the model does not apply: it needs an order and three or more labels."""
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
ORDINAL = estimator("One coin, errors falling with the distance of ordered labels", lambda _: MODEL, name="ordinal")
