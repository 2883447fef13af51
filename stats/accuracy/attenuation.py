"""Agreement corrected for attenuation: a closed form, for a quick check of the others.

With s = (N agreement - 1) / (N - 1), two who are right with chances p and q and err evenly have E s = c(p) c(q), c(p) =
(N p - 1) / (N - 1). So c of the system is its mean s with the raters over the root of the mean s among the raters
(Spearman's correction), and its accuracy is (1 + (N - 1) c) / N. Agreement is pooled over ratings and over pairs of
ratings, which on items that everybody rated is the mean over raters and over pairs of raters. Uneven errors, which
all make on the same labels, pass for accuracy.
"""

import numpy as np

from stats.accuracy import lehner, logit, notes
from stats.accuracy.estimator import Estimator, Fit, FloatArray, IntArray, Interval, Patterns
from stats.accuracy.lehner_fit import own_answer_score
from stats.accuracy.likelihood import why_undefined


def fit(patterns: Patterns) -> Fit:
    """The estimate for the system in `patterns`; reasons as for the other methods."""
    n = patterns.count(patterns.rated & patterns.answered)
    undefined = why_undefined(patterns)
    if undefined is not None:
        return Fit(None, n, *undefined)
    W = patterns.n_items[None, :].astype(np.float64)
    raw = float(uncut(patterns.C, patterns.system, W)[0])
    accuracy = float(np.clip(raw, 0, 1))
    warnings = (*notes.on_any(patterns, accuracy, pairs=True, symmetric=True), *notes.on_cut(raw))
    score = own_answer_score(lehner.rater_figures(patterns.C, W), accuracy)
    return Fit(accuracy, n, warnings=warnings, score=score)


def estimate(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """(B,) accuracy in [0, 1] under each weighting W (B, p); NaN where it is undefined.

    >>> C = np.array([[2, 0], [1, 1], [0, 2]])
    >>> estimate(C, np.array([0, 0, 0]), np.array([[5.0, 2.0, 3.0]])).round(3).tolist()
    [0.629]
    """
    return np.clip(uncut(C, system, W), 0, 1)


def uncut(C: IntArray, system: IntArray, W: FloatArray) -> FloatArray:
    """The same before it is cut to [0, 1]."""
    N, m, answered = C.shape[1], C.sum(axis=1), system >= 0
    own = C[np.flatnonzero(answered), system[answered]]
    with np.errstate(divide="ignore", invalid="ignore"):
        agreement = (W[:, answered] @ own) / (W[:, answered] @ m[answered])
        among = (W @ (C * (C - 1)).sum(axis=1)) / (W @ (m * (m - 1)))
        s, t = ((N * share - 1) / (N - 1) for share in (agreement, among))
        c = s / np.sqrt(np.where(among > 1 / N + 1e-12, t, np.nan))
    return np.asarray((1 + (N - 1) * c) / N)


def interval(patterns: Patterns, fitted: Fit, confidence: float, seed: int) -> Interval:
    """Bootstrap over items on the logit scale."""
    if fitted.accuracy is None:
        return Interval(None, None, None)
    return logit.bootstrap(patterns, estimate, fitted.accuracy, confidence, seed)


def replicate(patterns: Patterns, W: FloatArray) -> FloatArray:
    """(B,) the estimate under each weighting; NaN where it is undefined."""
    return estimate(patterns.C, patterns.system, W)


ATTENUATION = Estimator("attenuation", "Agreement corrected for attenuation", fit, interval, replicate)
