"""Variance of an estimated accuracy, from the observed information of its likelihood.

Phi are the log probabilities and G the expected counts, prior included. The information about the model's own
parameters theta is K - J' M J. K is the information if the classes were observed, and J = dPhi/dtheta. M is the
covariance that remains in the complete-data score because the classes are not observed, sum over patterns of w Cov(z
x). Source: T. A. Louis (1982), J. R. Stat. Soc. B 44, 226-233.

The variance of the accuracy is a' (K - J' M J)^-1 a, with the gradient a = J' dA/dPhi. It is solved by conjugate
gradients with K as preconditioner. Each step costs as much as an EM step. No matrix of all parameters is built,
because a free model of 50 labels has thousands of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.accuracy.fitting.evidence import Posterior
from stats.arrays import FloatArray

TOLERANCE = 1e-9  # squared residual at which to stop, as a share of the first one
LOOSE = 1e-3  # looser limit for when curvature vanishes: what remains hardly changes the variance
MAX_STEPS = 2000


@dataclass(frozen=True)
class Tangent:
    """How a model's parameters theta (any shape) move its log probabilities Phi (Z, F).

    - jacobian: theta -> J theta.
    - jacobian_transposed: U (Z, F) -> J' U.
    - complete_information: theta -> K theta.
    - inverse_information: the (generalised) inverse of `complete_information`.
    """

    jacobian: Callable[[FloatArray], FloatArray]
    jacobian_transposed: Callable[[FloatArray], FloatArray]
    complete_information: Callable[[FloatArray], FloatArray]
    inverse_information: Callable[[FloatArray], FloatArray]


def variance(posterior: Posterior, tangent: Tangent, gradient: FloatArray) -> float | None:
    """Return a' I^-1 a for the gradient dA/dPhi (Z, F), or None where the information is not positive on the way."""
    solution = direction(posterior, tangent, gradient)
    return None if solution is None else dot(tangent.jacobian_transposed(gradient), solution)


def direction(posterior: Posterior, tangent: Tangent, gradient: FloatArray) -> FloatArray | None:
    """Return I^-1 a, as parameters; None where the information is not positive on the way.

    The product of this vector with an item's score says how far the item moves the accuracy.
    """

    def information(v: FloatArray) -> FloatArray:
        return tangent.complete_information(v) - tangent.jacobian_transposed(posterior.missing(tangent.jacobian(v)))

    a = tangent.jacobian_transposed(gradient)
    x, residual = np.zeros_like(a), a
    step = tangent.inverse_information(residual)
    first = best = rho = dot(residual, step)
    best_x = x
    for _ in range(MAX_STEPS):
        if rho <= best:
            best, best_x = rho, x
        if rho <= TOLERANCE * first:
            return best_x
        image = information(step)
        curvature = dot(step, image)
        if not curvature > 0:
            break
        x = x + rho / curvature * step
        residual = residual - rho / curvature * image
        z = tangent.inverse_information(residual)
        before, rho = rho, dot(residual, z)
        step = z + rho / before * step
    return best_x if best <= LOOSE * first else None


def softmax(Phi: FloatArray, counts: FloatArray) -> Tangent:
    """Return the tangent of free base rates and free rows: theta (Z, F) are logits, one per probability.

    counts (Z, F) are expected counts including the prior. Adding a constant to all logits of a distribution changes
    nothing. The gradients have no component in that direction, so conjugate gradients never meet it.
    """
    P = np.exp(Phi)
    Z = len(P)

    def scatter(V: FloatArray) -> FloatArray:
        """Return the sum over each distribution, repeated for each of its members."""
        out = np.empty_like(V)
        out[:, 0] = V[:, 0].sum()
        out[:, 1:] = np.repeat(V[:, 1:].reshape(Z, -1, Z).sum(axis=2), Z, axis=1)
        return out

    total = scatter(counts)
    weight = total * P

    def jacobian(V: FloatArray) -> FloatArray:
        return V - scatter(P * V)

    def jacobian_transposed(U: FloatArray) -> FloatArray:
        return U - P * scatter(U)

    def complete_information(V: FloatArray) -> FloatArray:
        return weight * jacobian(V)

    def inverse_information(R: FloatArray) -> FloatArray:
        return np.divide(R, weight, out=np.zeros_like(R), where=weight > 0)

    return Tangent(jacobian, jacobian_transposed, complete_information, inverse_information)


def dot(a: FloatArray, b: FloatArray) -> float:
    """Return the sum of the products of two arrays of one shape."""
    return float(np.vdot(a, b))
