"""How far single items move a figure of a fitted model: what differences between two fits get their error from.

To first order an estimate moves by a' I^-1 s when an item with the score s (derivative of its log-likelihood) is added;
a is the figure's gradient, I the observed information. The items are independent, so the variance of a figure, or of a
difference between figures of two fits to the same items, is the sum of these squares (P. J. Huber 1967, Proc. Fifth
Berkeley Symp. 1, 221-233): what the figures have in common falls out, and no model needs to be right for it.
"""

from collections.abc import Iterator

import numpy as np

from stats.accuracy import information
from stats.accuracy.data import Data
from stats.accuracy.em import responsibilities
from stats.accuracy.estimator import FloatArray
from stats.accuracy.evidence import CELLS, Evidence, pooled
from stats.accuracy.likelihood import Model, gradient, solve


def influence(model: Model, data: Data) -> FloatArray | None:
    """(p,) how far one item of each of the data's patterns moves the system's accuracy; None where the information is
    singular."""
    solution, view = solve(model, data), model.view(data)
    G = responsibilities(view.evidence, solution.Phi[:1])[0][0]
    tangent = model.tangent(solution.Phi[0], solution.T[0] + model.prior(data)[0])
    step = information.direction(view.evidence, view.W[0], G, tangent, gradient(solution, data.k))
    if step is None:
        return None
    moved, found = tangent.lift(step)[None], np.empty(len(data.patterns.C))
    for rows, part in _evidence(model, data, len(moved[0])):
        G = responsibilities(part, solution.Phi[:1])[0]
        found[rows] = (G * part.joint(moved)).sum(axis=2)[0]
    return found


def _evidence(model: Model, data: Data, n_classes: int) -> Iterator[tuple[slice, Evidence]]:
    """The evidence on the patterns themselves: a pooled view has joined those that differ by names only."""
    view = model.view(data)
    if view is not data.pooled:
        yield from view.evidence.blocks(n_classes)
        return
    C, system = data.patterns.C, data.patterns.system
    step = max(1, CELLS // (n_classes + 2 * data.k))
    for start in range(0, len(C), step):
        rows = slice(start, start + step)
        yield rows, pooled(C[rows], system[rows])
