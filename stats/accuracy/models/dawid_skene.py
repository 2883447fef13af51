"""The Dawid-Skene model: a free error matrix for each rater and for the system.

Use it for a few raters with hundreds of ratings each. It is the only model here that lets each rater have their own
error pattern. With few ratings per rater, the matrices are mostly the prior of `stats.accuracy.models.free_rows`.

Source: A. P. Dawid & A. M. Skene (1979), Appl. Stat. 28, 20-28.
"""

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.information import softmax
from stats.accuracy.fitting.likelihood import Model, Why, estimator
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.models import free_rows
from stats.arrays import FloatArray
from stats.unnamed import DETAIL, UNNAMED


def n_parameters(data: ModelData) -> FloatArray:
    """Return the number of free parameters (B,): base rates, and one row per used label in each matrix."""
    return data.n_classes - 1 + (data.n_raters + 1) * data.n_classes * (data.n_given - 1)


def why_not(patterns: SystemPatterns) -> Why:
    """Say that the model does not apply to votes without names."""
    return None if patterns.raters is not None else (UNNAMED, DETAIL)


MODEL = Model(
    name="dawid_skene",
    view=lambda data: data.by_rater,
    start=lambda data: data.start(data.by_rater),
    prior=lambda data: free_rows.prior(data, data.n_raters),
    m_step=free_rows.m_step,
    n_parameters=n_parameters,
    tangent=softmax,
    symmetric=False,
    why_not=why_not,
)
DAWID_SKENE = estimator("A free matrix for each rater", lambda _: MODEL, name="dawid_skene", by_rater=True)
