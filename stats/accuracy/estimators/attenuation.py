"""The attenuation estimator: agreement corrected for the raters' errors, in closed form.

Use it as a quick check of the other estimators. Let s = (N agreement - 1) / (N - 1). Two raters who are right with
probabilities p and q and err evenly have E s = c(p) c(q), with c(p) = (N p - 1) / (N - 1). So the system's c is its
mean s with the raters, divided by the root of the mean s among the raters (Spearman's correction). Its accuracy is (1
+ (N - 1) c) / N.

Agreement is pooled over ratings and over pairs of ratings. On items that every rater rated, this is the mean over
raters and over pairs of raters. Uneven errors that all make on the same labels are mistaken for accuracy.
"""

import numpy as np

from stats.accuracy import warnings_in_words
from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.lehner_fit import own_answer_score
from stats.accuracy.fitting import logit
from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.fitting.likelihood import why_undefined
from stats.arrays import FloatArray, IntArray


def fit(patterns: SystemPatterns) -> SystemFit:
    """Return the estimate for the system in `patterns`. Reasons are as for the other methods."""
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_undefined(patterns)
    if undefined is not None:
        return SystemFit(None, n, *undefined)
    W = patterns.n_items[None, :].astype(np.float64)
    raw = float(uncut(patterns.C, patterns.system, W)[0])
    accuracy = float(np.clip(raw, 0, 1))
    warnings = (
        *warnings_in_words.on_any(patterns, accuracy, pairs=True, symmetric=True),
        *warnings_in_words.on_cut(raw),
    )
    score = own_answer_score(lehner.rater_figures(patterns.C, W), accuracy)
    return SystemFit(accuracy, n, warnings=warnings, score=score)


def estimate(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """Return the accuracy (B,) in [0, 1] under each weighting W (B, p); NaN where it is undefined.

    >>> C = np.array([[2, 0], [1, 1], [0, 2]])
    >>> estimate(C, np.array([0, 0, 0]), np.array([[5.0, 2.0, 3.0]])).round(3).tolist()
    [0.629]
    """
    return np.clip(uncut(C, system, W), 0, 1)


def uncut(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """Return the accuracy (B,) before it is cut to [0, 1]."""
    N, m, answered = C.shape[1], C.sum(axis=1), system >= 0
    own = C[np.flatnonzero(answered), system[answered]]
    with np.errstate(divide="ignore", invalid="ignore"):
        agreement = (W[:, answered] @ own) / (W[:, answered] @ m[answered])
        among = (W @ (C * (C - 1)).sum(axis=1)) / (W @ (m * (m - 1)))
        s, t = ((N * share - 1) / (N - 1) for share in (agreement, among))
        c = s / np.sqrt(np.where(among > 1 / N + 1e-12, t, np.nan))
    return np.asarray((1 + (N - 1) * c) / N)


ATTENUATION = logit.bootstrapped("attenuation", "Agreement corrected for attenuation", fit, estimate)
