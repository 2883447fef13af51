"""One coin for all raters and one for the system: Lehner's assumptions, by maximum likelihood.

Raters are right with chance c on every item and label, the system with chance s, errors spread evenly over the
other N - 1 labels, all independent given the right label. Where the assumptions hold nothing is more accurate. The
raters' coin is held at 1/N or above.
"""

from functools import partial

from stats.accuracy import coins
from stats.accuracy.estimator import Patterns
from stats.accuracy.likelihood import Model, estimator

MODEL = Model(
    name="one_coin",
    view=lambda data: data.pooled,
    start=lambda data: data.start(data.pooled),
    prior=lambda data: coins.prior(data.used, 1),
    m_step=partial(coins.m_step, levels=1, distance=False),
    n_parameters=lambda data: data.n_classes + 1,
    tangent=partial(coins.tangent, levels=1, distance=False),
)


def model_for(_: Patterns) -> Model:
    return MODEL


ONE_COIN = estimator("One coin: equal raters, errors spread evenly", model_for, name="one_coin")
