"""Find raters who give nearly always the same label, whatever most others agree on.

Such ratings hardly differ from item to item, so they say nothing about any item. But a model whose raters err evenly
over the labels cannot express this. It may take that label for right everywhere, this rater for the best one, and the
others, who agree with each other, for poor. So no accuracy without gold and no consensus rests on these ratings.

A rater is marked who has one usual label, in USUAL_SHARE of the ratings, and who gives a label hardly more often where
it is right than where it is not, as far as the other raters tell.
"""

import numpy as np

from stats.accuracy.estimators import lehner
from stats.arrays import BoolArray, FloatArray, IntArray
from stats.patterns import RatingPatterns, counts_of, without_raters

MIN_RATINGS = 20  # of a rater; with fewer nobody is marked
USUAL_SHARE = 0.6  # of a rater's ratings, with the usual label
MAX_RISE = 0.25  # of a label's frequency where it is right: the upper limit of this difference
UNMOVED = "also where most others agree on another one"
CAUSE = f"This rater gave nearly always the same label, {UNMOVED}."
DETAIL = (
    f"{CAUSE} Such ratings do not show what the rater knows, so no accuracy without gold rests on them, neither that of"
    " another annotator nor that of a system."
)


def single_label_raters(humans: RatingPatterns) -> BoolArray:
    """Mark the raters (r,) of one label. At least two others remain, who agree beyond chance; else nobody is marked."""
    nobody = np.zeros(humans.n_raters, dtype=bool)
    if humans.n_raters < 3:
        return nobody
    order = np.argsort(humans.rater, kind="stable")
    of_raters = np.split(order, np.cumsum(np.bincount(humans.rater, minlength=humans.n_raters))[:-1])
    C, row_of = counts_of(humans)
    suspected = np.array([_is_suspected(humans, C, row_of, own) for own in of_raters], dtype=bool)
    others = without_raters(humans, suspected)
    if not suspected.any() or not _agree(others):
        return nobody
    C, row_of = counts_of(others)
    n = np.bincount(row_of, weights=others.n_items, minlength=len(C)).astype(np.float64)
    figures, marked = lehner.rater_figures(C, n[None, :]), nobody.copy()
    for rater in np.flatnonzero(suspected):
        own = of_raters[rater]
        own = own[C.sum(axis=1)[row_of[humans.pattern[own]]] > 0]
        pattern = humans.pattern[own]
        P = (lehner.posterior(C[row_of[pattern[some]]], figures)[0] for some in lehner.blocks(len(own), C.shape[1]))
        rise = _highest_rise(humans.label[own], np.concatenate([C[:0], *P]), humans.n_items[pattern])
        marked[rater] = rise < MAX_RISE
    return marked


def _usual_label(humans: RatingPatterns, own: IntArray) -> int | None:
    """Return the label that a rater gives in USUAL_SHARE of the ratings, or None."""
    times = np.bincount(humans.label[own], weights=humans.n_items[humans.pattern[own]], minlength=humans.n_labels)
    return int(times.argmax()) if times.sum() >= MIN_RATINGS and times.max() >= USUAL_SHARE * times.sum() else None


def _is_suspected(humans: RatingPatterns, C: IntArray, row_of: IntArray, own: IntArray) -> bool:
    """Check whether the ratings of a rater with a usual label hardly depend on what most others of an item say.

    That is so also of a good rater, if most others are often wrong where they say something else.
    """
    usual = _usual_label(humans, own)
    if usual is None:
        return False
    pattern, label = humans.pattern[own], humans.label[own]
    others = C[row_of[pattern]]
    others[np.arange(len(label)), label] -= 1
    is_clear = 2 * others.max(axis=1) > others.sum(axis=1)
    most = np.eye(humans.n_labels)[others.argmax(axis=1)[is_clear]]
    return _highest_rise(label[is_clear], most, humans.n_items[pattern][is_clear]) < MAX_RISE


def _highest_rise(label: IntArray, P: FloatArray, n: IntArray) -> float:
    """Return the upper 95 % limit (one-sided) of how much more often a rater gives a label where it is right.

    It is the slope of what the rater says of each label (1 or 0) over its probability P (ratings, k), 1 for a rater who
    is always right. Four more ratings have each of two labels once where it is right and once where it is not: without
    them, a few ratings that are all alike would be sure.
    """
    k = P.shape[1]
    usual = int(np.bincount(label, weights=n, minlength=k).argmax())
    two = np.eye(k)[[usual, (usual + 1) % k]]
    x, y = np.concatenate([P, two, two]), np.concatenate([np.eye(k)[label], two, two[::-1]])
    weight = np.append(n, [1, 1, 1, 1]).astype(np.float64)
    x, y = x - weight @ x / weight.sum(), y - weight @ y / weight.sum()
    squares = float(weight @ (x**2).sum(axis=1))
    slope = float(weight @ (x * y).sum(axis=1)) / squares
    scores = (x * (y - slope * x)).sum(axis=1)
    return slope + 1.645 * float(np.sqrt(weight @ scores**2)) / squares


def _agree(humans: RatingPatterns) -> bool:
    """Check whether two raters or more agree on more pairs of ratings than by chance, at the level .01, one-sided.

    By chance all ratings have the frequencies p of the labels. Two pairs of an item that share a rating agree together
    with probability sum p^3.
    """
    C, row_of = counts_of(humans)
    n = np.bincount(row_of, weights=humans.n_items, minlength=len(C))
    m = C.sum(axis=1)
    p = (n * (m > 1)) @ C / max(float((n * (m > 1)) @ m), 1.0)
    P_e = float(p @ p)
    n_agreeing, n_pairs, n_sharing = (
        float(n @ counts) for counts in ((C * (C - 1)).sum(axis=1) / 2, m * (m - 1) / 2, m * (m - 1) * (m - 2))
    )
    variance = n_pairs * P_e * (1 - P_e) + n_sharing * (float((p**3).sum()) - P_e**2)
    return n_agreeing - n_pairs * P_e > 2.326 * float(np.sqrt(max(variance, 0.0)))
