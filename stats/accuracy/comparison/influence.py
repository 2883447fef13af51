"""Influence of single items on an accuracy of a fitted model, from which differences between fits get their error.

To first order an estimate moves by a' I^-1 s when an item with score s (the derivative of its log-likelihood) is
added. Here a is the gradient of the accuracy and I the observed information. Items are independent. So the variance of
an accuracy, or of a difference between accuracies of two fits to the same items, is the sum of the squared moves (P.
J. Huber 1967, Proc. Fifth Berkeley Symp. 1, 221-233). What the two accuracies have in common cancels, and no model
needs to be right.
"""

from collections.abc import Iterator

import numpy as np

from stats.accuracy.fitting import information
from stats.accuracy.fitting.evidence import CELLS, Evidence
from stats.accuracy.fitting.likelihood import Model, gradient, solve
from stats.accuracy.fitting.model_data import ModelData
from stats.accuracy.fitting.pattern_evidence import pooled
from stats.arrays import FloatArray


def influence(model: Model, data: ModelData) -> FloatArray | None:
    """Return how far one item of each of the data's patterns (p,) moves the system's accuracy.

    Returns None where the information is singular.
    """
    solution, view = solve(model, data), model.view(data)
    tangent = model.tangent(solution.Phi[0], solution.T[0] + model.prior(data)[0])
    posterior = view.evidence.posterior(view.W[0], solution.Phi[0])
    step = information.direction(posterior, tangent, gradient(solution, data.k))
    if step is None:
        return None
    moved, moves = tangent.jacobian(step)[None], np.empty(len(data.patterns.C))
    for rows, part in _evidence(model, data, len(moved[0])):
        G = part.responsibilities(solution.Phi[:1])[0]
        moves[rows] = (G * part.joint(moved)).sum(axis=2)[0]
    return moves


def _evidence(model: Model, data: ModelData, n_classes: int) -> Iterator[tuple[slice, Evidence]]:
    """Yield the evidence on the data's own patterns.

    A pooled view cannot be used, because it has merged patterns that differ only in who rated.
    """
    view = model.view(data)
    if view is not data.pooled:
        yield from view.evidence.blocks(n_classes)
        return
    C, system = data.patterns.C, data.patterns.system
    step = max(1, CELLS // (n_classes + 2 * data.k))
    for start in range(0, len(C), step):
        rows = slice(start, start + step)
        yield rows, pooled(C[rows], system[rows])
