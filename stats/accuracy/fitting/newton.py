"""Newton's method for the last steps of expectation-maximisation, in the space of expected counts.

Near its end EM gains the same small share of what is left with every step: hundreds of steps where classes are hard to
tell apart, as the levels of `difficulty`. Its fixed point T = F(T) is found by Newton's method in a few. F' is M J K^-1
J', with the matrices of `stats.accuracy.fitting.information`. So the step is r + M J y, where r = F(T) - T, and y
solves (K - J' M J) y = J' r by conjugate gradients. Only the M-step makes probabilities from counts here too.

Where the log-likelihood is not concave, conjugate gradients meet a direction in which it curves upwards. They stop
there, and the step goes as far as they came: it still leads uphill. So it crosses the long ridge that two levels of
difficulty have where no item is difficult. This is the truncated Newton method of R. S. Dembo & T. Steihaug (1983),
Math. Programming 26, 190-212.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stats.accuracy.fitting.evidence import Posterior
from stats.accuracy.fitting.information import Tangent, dot
from stats.arrays import FloatArray

MAX_NEWTON = 20  # steps of one attempt
MAX_DIRECTIONS = 40  # of conjugate gradients in a step; each costs as much as an EM step
RESIDUAL = 1e-4  # squared residual at which they stop, as a share of the first one
CLOSE = 1e-12  # squared distance from the maximum, in standard errors, at which the last step is taken
MAX_HALVINGS = 8  # of a step
MAX_FALL = 0.01  # of the log-likelihood in a step


@dataclass(frozen=True)
class EmStep:
    """An EM step from counts (Z, F): their log probabilities, and the posterior, which has the next counts."""

    Phi: FloatArray
    posterior: Posterior
    objective: float


@dataclass(frozen=True)
class Attempt:
    """The counts (Z, F) that an attempt has reached, if it converged, and what it cost in EM steps."""

    T: FloatArray | None
    steps: int


def finish(
    T: FloatArray,
    em_step: Callable[[FloatArray], EmStep],
    tangent: Callable[[FloatArray, FloatArray], Tangent],
) -> Attempt:
    """Go from the counts T (Z, F), close to a maximum, to the maximum.

    - em_step: makes an EM step.
    - tangent: makes the tangent space at log probabilities and counts, both (Z, F).

    A step that lowers the log-likelihood is halved. A fall of MAX_FALL is allowed where the distance halves, because
    the log-likelihood lacks the prior of some models. The attempt fails, and T is None, where no step is accepted.
    """
    here, steps = _place(T, em_step, tangent), 1
    for _ in range(MAX_NEWTON):
        y, n = _solve(here)
        steps += n + 1
        move = here.step.posterior.counts + here.step.posterior.missing(here.space.jacobian(y)) - here.T
        if dot(y, here.gradient) <= CLOSE:
            return Attempt(np.maximum(here.T + move, 0.0), steps)
        for halvings in range(MAX_HALVINGS):
            there = _place(np.maximum(here.T + move / 2**halvings, 0.0), em_step, tangent)
            steps += 1
            fall = here.step.objective - there.step.objective
            if fall <= 0 or (fall <= MAX_FALL and there.distance <= here.distance / 2):
                break
        else:
            break
        here = there
    return Attempt(None, steps)


@dataclass(frozen=True)
class _Place:
    """Counts T, the EM step from them, the tangent space, J' r, and its squared length by K^-1."""

    T: FloatArray
    step: EmStep
    space: Tangent
    gradient: FloatArray
    distance: float


def _place(
    T: FloatArray, em_step: Callable[[FloatArray], EmStep], tangent: Callable[[FloatArray, FloatArray], Tangent]
) -> _Place:
    step = em_step(T)
    space = tangent(step.Phi, T)
    gradient = space.jacobian_transposed(step.posterior.counts - T)
    return _Place(T, step, space, gradient, dot(gradient, space.inverse_information(gradient)))


def _solve(here: _Place) -> tuple[FloatArray, int]:
    """Return y of (K - J' M J) y = J' r, or how far it came where the information is not positive; and the number of
    products."""
    space, gradient, posterior = here.space, here.gradient, here.step.posterior
    y, residual = np.zeros_like(gradient), gradient
    step = space.inverse_information(residual)
    first = rho = dot(residual, step)
    for n in range(1, MAX_DIRECTIONS + 1):
        if rho <= 0:
            return y, n
        image = space.complete_information(step) - space.jacobian_transposed(posterior.missing(space.jacobian(step)))
        curvature = dot(step, image)
        if not curvature > 0:
            return (step if n == 1 else y), n
        y = y + rho / curvature * step
        residual = residual - rho / curvature * image
        z = space.inverse_information(residual)
        before, rho = rho, dot(residual, z)
        if rho <= RESIDUAL * first:
            return y, n
        step = z + rho / before * step
    return y, MAX_DIRECTIONS
