"""The one-coin model: one coin for all raters and one for the system, by maximum likelihood.

The assumptions are Lehner's. Raters are right with probability c on every item and label, and the system with
probability s. Errors spread evenly over the other N - 1 labels. All are independent given the right label. Where these
assumptions hold, no other estimator is more accurate. The raters' coin is held at 1/N or above.
"""

from functools import partial

from stats.accuracy.fitting.likelihood import Model, estimator
from stats.accuracy.models import coins

MODEL = Model(
    name="one_coin",
    view=lambda data: data.pooled,
    start=lambda data: data.start(data.pooled),
    prior=lambda data: coins.prior(data.used, 1),
    m_step=partial(coins.m_step, levels=1, distance=False),
    n_parameters=lambda data: data.n_classes + 1,
    tangent=partial(coins.tangent, levels=1, distance=False),
)
ONE_COIN = estimator("One coin: equal raters, errors spread evenly", lambda _: MODEL, name="one_coin")
