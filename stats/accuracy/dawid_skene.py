"""A free matrix for each rater and for the system (Dawid & Skene 1979).

For a few raters with hundreds of ratings each. Where they are unequally good it is the only model that knows; with
few ratings each, its chances are mostly the prior of `stats.accuracy.rows`.
"""

from stats.accuracy import rows
from stats.accuracy.data import Data
from stats.accuracy.estimator import FloatArray, Patterns
from stats.accuracy.information import softmax
from stats.accuracy.likelihood import Model, estimator


def n_parameters(data: Data) -> FloatArray:
    """Base rates, and a row for each used label in each matrix."""
    return data.n_classes - 1 + (data.n_raters + 1) * data.n_classes * (data.n_given - 1)


MODEL = Model(
    name="dawid_skene",
    view=lambda data: data.by_rater,
    start=lambda data: data.start(data.by_rater),
    prior=lambda data: rows.prior(data, data.n_raters),
    m_step=rows.m_step,
    n_parameters=n_parameters,
    tangent=softmax,
    symmetric=False,
)


def model_for(_: Patterns) -> Model:
    return MODEL


DAWID_SKENE = estimator("A free matrix for each rater", model_for, name="dawid_skene", by_rater=True)
