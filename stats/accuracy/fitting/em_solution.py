"""The result of expectation-maximisation: the fitted probabilities of a latent-class model."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stats.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class EmSolution:
    """The result of EM for B weightings.

    - Phi (B, Z, F): log probabilities.
    - T (B, Z, F): expected counts without the prior.
    - loglik (B,): log-likelihood without the prior.
    - steps (B,): evaluations of the likelihood.
    - converged (B,): false where EM stopped at its limit of steps.
    - variances: of figures of the first weighting, as far as they are computed; None where one is undefined.
    """

    Phi: FloatArray
    T: FloatArray
    loglik: FloatArray
    steps: IntArray
    converged: NDArray[np.bool_]
    variances: dict[str, float | None] = field(default_factory=dict)

    def take(self, rows: IntArray) -> "EmSolution":
        """Return the solutions of the weightings in `rows`."""
        return EmSolution(self.Phi[rows], self.T[rows], self.loglik[rows], self.steps[rows], self.converged[rows])


Solutions = dict[str, EmSolution]  # by model name
