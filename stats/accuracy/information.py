"""Variance of an estimated accuracy from the observed information of its likelihood.

With Phi the log chances and G the expected counts (prior included) the information about the model's own parameters
theta is K - J' M J: K the information if the classes were seen, J = dPhi/dtheta, and M the covariance of the
complete-data score that not seeing them leaves, sum over patterns of w Cov(z x) (T. A. Louis 1982, J. R. Stat. Soc. B
44, 226-233). The accuracy's variance is a' (K - J' M J)^-1 a with its gradient a = J' dA/dPhi, solved by conjugate
gradients with K as preconditioner: every step costs as much as an EM step, and no matrix of all parameters is built,
of which there are thousands in a free model of 50 labels.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.accuracy.estimator import FloatArray
from stats.accuracy.evidence import Evidence

TOLERANCE = 1e-9  # of the squared residual, as a share of the first
LOOSE = 1e-3  # the same, below which a direction without curvature has hardly a part in the variance
MAX_STEPS = 2000


@dataclass(frozen=True)
class Tangent:
    """How a model's parameters theta (any shape) move its log chances Phi (Z, F).

    lift: theta -> J theta; drop: U (Z, F) -> J' U; complete: theta -> K theta; solve: its (generalised) inverse.
    """

    lift: Callable[[FloatArray], FloatArray]
    drop: Callable[[FloatArray], FloatArray]
    complete: Callable[[FloatArray], FloatArray]
    solve: Callable[[FloatArray], FloatArray]


def variance(evidence: Evidence, w: FloatArray, G: FloatArray, tangent: Tangent, gradient: FloatArray) -> float | None:
    """a' I^-1 a for the gradient dA/dPhi (Z, F); None where the information is not positive along the way.

    w (p,) items of each pattern, G (p, Z) probability of each class.
    """
    found = direction(evidence, w, G, tangent, gradient)
    return None if found is None else _dot(tangent.drop(gradient), found)


def direction(
    evidence: Evidence, w: FloatArray, G: FloatArray, tangent: Tangent, gradient: FloatArray
) -> FloatArray | None:
    """I^-1 a, as parameters: what an item's score is multiplied with to say how far the item moves the figure."""

    def information(v: FloatArray) -> FloatArray:
        return tangent.complete(v) - tangent.drop(missing(evidence, w, G, tangent.lift(v)))

    a = tangent.drop(gradient)
    x, residual = np.zeros_like(a), a
    step = tangent.solve(residual)
    first = best = rho = _dot(residual, step)
    found = x
    for _ in range(MAX_STEPS):
        if rho <= best:
            best, found = rho, x
        if rho <= TOLERANCE * first:
            return found
        image = information(step)
        curvature = _dot(step, image)
        if not curvature > 0:
            break
        x = x + rho / curvature * step
        residual = residual - rho / curvature * image
        z = tangent.solve(residual)
        before, rho = rho, _dot(residual, z)
        step = z + rho / before * step
    return found if best <= LOOSE * first else None


def missing(evidence: Evidence, w: FloatArray, G: FloatArray, V: FloatArray) -> FloatArray:
    """(Z, F) M V: covariance, over the unseen classes, of the complete-data counts with their product with V."""
    total = np.zeros((1, *V.shape))
    for rows, part in evidence.blocks(len(V)):
        product = part.joint(V[None])[0]
        product -= (G[rows] * product).sum(axis=1, keepdims=True)
        product *= G[rows] * w[rows, None]
        total += part.counts(product[None])
    return np.asarray(total[0])


def softmax(Phi: FloatArray, counts: FloatArray) -> Tangent:
    """Tangent of free base rates and rows: theta (Z, F) are logits, one per chance.

    counts (Z, F) expected counts with prior. Adding a number to all logits of a distribution changes nothing; the
    gradients have no part along it, so that conjugate gradients never see it.
    """
    P = np.exp(Phi)
    Z = len(P)

    def scatter(V: FloatArray) -> FloatArray:
        """The sum over each distribution, at each of its members."""
        out = np.empty_like(V)
        out[:, 0] = V[:, 0].sum()
        out[:, 1:] = np.repeat(V[:, 1:].reshape(Z, -1, Z).sum(axis=2), Z, axis=1)
        return out

    total = scatter(counts)
    weight = total * P

    def lift(V: FloatArray) -> FloatArray:
        return V - scatter(P * V)

    def drop(U: FloatArray) -> FloatArray:
        return U - P * scatter(U)

    def complete(V: FloatArray) -> FloatArray:
        return weight * lift(V)

    def solve(R: FloatArray) -> FloatArray:
        return np.divide(R, weight, out=np.zeros_like(R), where=weight > 0)

    return Tangent(lift, drop, complete, solve)


def _dot(a: FloatArray, b: FloatArray) -> float:
    return float(np.vdot(a, b))
