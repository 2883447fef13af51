"""The pooled free model: one free error matrix for all raters and one for the system.

Any label may be mistaken for any other. This is the only model here that is right where raters err more on one label
than on another, above all with two labels. It has 2k(k - 1) error probabilities to estimate. The prior of
`stats.accuracy.models.free_rows` keeps those of rare labels within bounds.
"""

from stats.accuracy.fitting.information import softmax
from stats.accuracy.fitting.likelihood import Model, estimator
from stats.accuracy.models import free_rows

MODEL = Model(
    name="pooled_free",
    view=lambda data: data.pooled,
    start=lambda data: data.start(data.pooled),
    prior=lambda data: free_rows.prior(data, 1),
    m_step=free_rows.m_step,
    n_parameters=lambda data: data.n_classes - 1 + 2 * data.n_classes * (data.n_given - 1),
    tangent=softmax,
    symmetric=False,
)
POOLED_FREE = estimator("One free matrix for the raters, one for the system", lambda _: MODEL, name="pooled_free")
