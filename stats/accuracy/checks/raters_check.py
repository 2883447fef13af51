"""Check whether all raters are equally accurate: whether each agrees with the others as often as any other does.

The score of a rating is the number of the item's other ratings that agree with it. If raters are equal, the scores of
an item can be exchanged among its raters. The sums A of the raters' scores then have a known covariance V, the sum over
items of the scores' variance x (I - 1/m) m / (m - 1), whatever ratings are missing. The statistic is (A - E A)' V^- (A
- E A), in the manner of M. Friedman (1937) and of J. H. Skillings & G. A. Mack (1981, Technometrics 23, 171-177). The p
value comes from random exchanges. If many items have unequal scores, it comes from the chi-squared distribution, which
is then as good.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stats.accuracy.checks.check_inputs import CheckInputs
from stats.accuracy.checks.finding import CheckFinding, p_upper
from stats.accuracy.estimators import lehner
from stats.arrays import FloatArray, IntArray
from stats.defaults import CHECK_LEVEL
from stats.distinct_keys import distinct_keys
from stats.patterns import RatingPatterns
from stats.special_functions import gammaincc, ndtri

NAME = "raters"
RELEVANT = 0.05  # standard deviation of the raters' accuracy
MAX_EXCHANGED = 300  # items of unequal scores up to which scores are exchanged at random
_MAX_NUMBERS = 2_000_000  # held at once
CONSEQUENCE = (
    "Lehner's method then puts an accurate system too high: one that is right in .90 by .02 with raters of .4, .6 and"
    " .8 (simulated, 2,000 items; there the average of the models was within .01)."
)


@dataclass(frozen=True)
class Scores:
    """Ratings of the items whose scores differ.

    Each rating has its pattern, rater (E,) and score (E,). Each pattern has its items (P,), its number of ratings m and
    its mean score (P,).
    """

    pattern: IntArray
    rater: IntArray
    score: FloatArray
    n_items: IntArray
    m: FloatArray
    mean: FloatArray
    n_raters: int


@dataclass(frozen=True)
class RaterSums:
    """The raters' sums of scores less their means (r,), their covariance (r, r), the statistic and its p value."""

    sums: FloatArray
    V: FloatArray
    Q: float
    p_value: float


def run(inputs: CheckInputs) -> list[CheckFinding]:
    """Return one finding.

    Its effect is the standard deviation of the raters' accuracy, less the part that chance makes.
    """
    left_out = inputs.left_out.brief()
    if inputs.undefined is not None:
        reason, detail = inputs.undefined
        return [CheckFinding(NAME, f"{detail}{left_out}", reason=reason)]
    if len(inputs.raters) < 3:
        detail = "This check needs three human raters. With two, nothing shows which of them is better."
        return [CheckFinding(NAME, f"{detail}{left_out}", reason="too_few_raters")]
    rater_sums = _rater_sums(inputs)
    if rater_sums is None:
        detail = "On every item all raters agree with the same number of others, so the raters cannot be compared."
        return [CheckFinding(NAME, f"{detail}{left_out}", reason="too_few_items")]
    size, nothing = effect(inputs, rater_sums.sums, rater_sums.V), "no sign that some are better than others"
    detail = f"Raters' accuracies differ by {size:.2f} in standard deviation beyond chance"
    is_large = size >= RELEVANT
    return [
        CheckFinding(
            NAME, detail, rater_sums.Q, rater_sums.p_value, size, is_large, CONSEQUENCE, nothing, scope=left_out
        )
    ]


def best(inputs: CheckInputs) -> str | None:
    """Return the rater who agrees most with the others, or None if there is no clear one.

    The raters must differ, and this rater must differ from the rest, both with p below CHECK_LEVEL.
    """
    rater_sums = _rater_sums(inputs) if inputs.undefined is None and len(inputs.raters) > 2 else None
    if rater_sums is None or rater_sums.p_value >= CHECK_LEVEL:
        return None
    met = meetings(inputs.humans)
    rate = np.divide(rater_sums.sums, met, out=np.full(len(met), -np.inf), where=met > 0)
    code = int(rate.argmax())
    weight = np.where(np.arange(len(met)) == code, 0.0, met)
    contrast = np.where(np.arange(len(met)) == code, 1 / met[code], -1 / max(weight.sum(), 1.0)) * (met > 0)
    error = float(np.sqrt(contrast @ rater_sums.V @ contrast))
    return inputs.raters[code] if contrast @ rater_sums.sums > ndtri(1 - CHECK_LEVEL) * error else None


def _rater_sums(inputs: CheckInputs) -> RaterSums | None:
    """Return the raters' sums, or None if all raters of each item agree with equally many of the others."""
    if NAME not in inputs.memory:
        scores = scores_of(inputs.humans)
        if not len(scores.n_items):
            inputs.memory[NAME] = None
        else:
            sums, V = _sums(scores), covariance(scores)
            Q = float(sums @ _inverse(V)[0] @ sums)
            inputs.memory[NAME] = RaterSums(sums, V, Q, _p_value(scores, Q, inputs))
    rater_sums: RaterSums | None = inputs.memory[NAME]
    return rater_sums


def meetings(humans: RatingPatterns) -> FloatArray:
    """Return the numbers (r,) of other ratings of the items that each rater rated."""
    m = np.bincount(humans.pattern, minlength=len(humans.n_items))
    met = (humans.n_items * (m - 1))[humans.pattern].astype(np.float64)
    return np.asarray(np.bincount(humans.rater, weights=met, minlength=humans.n_raters), dtype=np.float64)


def scores_of(patterns: RatingPatterns) -> Scores:
    """Return the scores of the ratings of all items on which scores differ."""
    P, k = len(patterns.n_items), patterns.n_labels
    cell = patterns.pattern * k + patterns.label
    place = distinct_keys(cell).place
    score = (np.bincount(place)[place] - 1).astype(np.float64)
    m = np.bincount(patterns.pattern, minlength=P).astype(np.float64)
    mean = np.bincount(patterns.pattern, weights=score, minlength=P) / np.maximum(m, 1)
    spread = np.bincount(patterns.pattern, weights=(score - mean[patterns.pattern]) ** 2, minlength=P)
    kept = (spread > 1e-9) & (patterns.n_items > 0)
    entry, code = kept[patterns.pattern], np.cumsum(kept) - 1
    return Scores(
        code[patterns.pattern[entry]],
        patterns.rater[entry],
        score[entry],
        patterns.n_items[kept],
        m[kept],
        mean[kept],
        patterns.n_raters,
    )


def covariance(scores: Scores) -> FloatArray:
    """Return the covariance (r, r) of the raters' sums when scores are exchanged within items."""
    P, r = len(scores.n_items), scores.n_raters
    deviation = scores.score - scores.mean[scores.pattern]
    spread = np.bincount(scores.pattern, weights=deviation**2, minlength=P)
    shared = scores.n_items * spread / (scores.m * (scores.m - 1))
    V: FloatArray = np.diag(np.bincount(scores.rater, weights=(shared * scores.m)[scores.pattern], minlength=r))
    step = max(1, _MAX_NUMBERS // r)
    for start in range(0, P, step):
        first, last = np.searchsorted(scores.pattern, (start, start + step))
        X = np.zeros((min(step, P - start), r))
        X[scores.pattern[first:last] - start, scores.rater[first:last]] = 1
        V = V - X.T @ (X * shared[start : start + step, None])
    return np.asarray(V)


def effect(inputs: CheckInputs, sums: FloatArray, V: FloatArray) -> float:
    """Return the standard deviation of the raters' accuracy.

    A rater who is better by d agrees more often with the others, by d (N c - 1) / (N - 1) (r - 2) / (r - 1). An item
    has r raters, who are right with probability c.
    """
    humans, N = inputs.humans, inputs.k
    m, met = np.bincount(humans.pattern, minlength=len(humans.n_items)), meetings(humans)
    C, n = inputs.counts
    figures = lehner.rater_figures(C, n[None, :].astype(np.float64))
    use = met > 0
    rate, noise, weight = sums[use] / met[use], np.diag(V)[use] / met[use] ** 2, met[use] / met[use].sum()
    excess = float(weight @ (rate**2 - noise))
    several = m >= 2
    r = float((humans.n_items * m)[several].sum() / humans.n_items[several].sum())
    slope = (N * float(figures.P_c[0]) - 1) / (N - 1) * max(r - 2, 0.5) / (r - 1)
    return float(np.sqrt(max(0.0, excess)) / slope)


def _sums(scores: Scores) -> FloatArray:
    """Return the raters' sums (r,) of scores less their means under exchange."""
    deviation = (scores.score - scores.mean[scores.pattern]) * scores.n_items[scores.pattern]
    return np.asarray(np.bincount(scores.rater, weights=deviation, minlength=scores.n_raters), dtype=np.float64)


def _inverse(V: FloatArray) -> tuple[FloatArray, int]:
    """Return the pseudo-inverse and the rank."""
    value, vector = np.linalg.eigh(V)
    kept = value > 1e-9 * value.max()
    return np.asarray((vector[:, kept] / value[kept]) @ vector[:, kept].T), int(kept.sum())


def _p_value(scores: Scores, Q: float, inputs: CheckInputs) -> float:
    if scores.n_items.sum() > MAX_EXCHANGED:
        _, rank = _inverse(covariance(scores))
        return float(gammaincc(rank / 2, Q / 2))
    D, rated = _deviations(scores)
    inverse, _ = _inverse(_covariance_of(D, rated))
    rng, B = np.random.default_rng([inputs.seed, 2]), inputs.replicates
    step, statistics = max(1, _MAX_NUMBERS // D.size), []
    for start in range(0, B, step):
        sums = _exchanged(D, rated, min(step, B - start), rng).sum(axis=1)
        statistics.append(((sums @ inverse) * sums).sum(axis=1))
    return p_upper(Q, np.concatenate(statistics))


def _deviations(scores: Scores) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the scores (n, r) less their item's mean, 0 without a rating, and which cells have a rating.

    A row is an item.

    The scores decide the order of raters and items, so names do not change the random draws.
    """
    P, r = len(scores.n_items), scores.n_raters
    D, rated = np.zeros((P, r)), np.zeros((P, r), bool)
    D[scores.pattern, scores.rater] = scores.score - scores.mean[scores.pattern]
    rated[scores.pattern, scores.rater] = True
    D, rated = np.repeat(D, scores.n_items, axis=0), np.repeat(rated, scores.n_items, axis=0)
    D, rated = D[:, rated.any(axis=0)], rated[:, rated.any(axis=0)]
    by_rater = np.lexsort((D.sum(axis=0).round(9), (D**2).sum(axis=0).round(9), rated.sum(axis=0)))
    D, rated = D[:, by_rater], rated[:, by_rater]
    by_item = np.lexsort((*D.round(9).T, *rated.T))
    return D[by_item], rated[by_item]


def _covariance_of(D: FloatArray, rated: NDArray[np.bool_]) -> FloatArray:
    m = rated.sum(axis=1)
    shared = (D**2).sum(axis=1) / (m * (m - 1))
    weighted = rated * shared[:, None]
    return np.asarray(np.diag(m @ weighted) - rated.T @ weighted, dtype=np.float64)


def _exchanged(D: FloatArray, rated: NDArray[np.bool_], B: int, rng: np.random.Generator) -> FloatArray:
    """Exchange the scores of each item at random among its raters. Returns (B, n, r)."""
    own = np.argsort(~rated, axis=1, kind="stable")  # columns of an item's ratings, then the others
    key = np.where(rated, rng.random((B, *D.shape)), 2.0)
    out = np.zeros((B, *D.shape))
    np.put_along_axis(out, np.argsort(key, axis=2), np.take_along_axis(D, own, axis=1)[None], axis=2)
    return out
