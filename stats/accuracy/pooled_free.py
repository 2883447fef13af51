"""One free matrix for all raters and one for the system: any label may be mistaken for any other.

The only model here that is right where a rater errs more on one label than on another, above all with two labels. It
has 2k(k - 1) chances to estimate; the prior of `stats.accuracy.rows` keeps those of rare labels in bounds.
"""

from stats.accuracy import rows
from stats.accuracy.estimator import Patterns
from stats.accuracy.information import softmax
from stats.accuracy.likelihood import Model, estimator

MODEL = Model(
    name="pooled_free",
    view=lambda data: data.pooled,
    start=lambda data: data.start(data.pooled),
    prior=lambda data: rows.prior(data, 1),
    m_step=rows.m_step,
    n_parameters=lambda data: data.n_classes - 1 + 2 * data.n_classes * (data.n_given - 1),
    tangent=softmax,
    symmetric=False,
)


def model_for(_: Patterns) -> Model:
    return MODEL


POOLED_FREE = estimator("One free matrix for the raters, one for the system", model_for, name="pooled_free")
