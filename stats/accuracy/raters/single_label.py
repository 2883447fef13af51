"""Find raters who give nearly always the same label, whatever most others agree on.

Such ratings hardly differ from item to item, so they say nothing about any item. But a model whose raters err evenly
over the labels cannot express this. It may take that label for right everywhere, this rater for the best one, and the
others, who agree with each other, for poor. So no accuracy without gold and no consensus rests on these ratings.

A rater is marked who has one usual label, in all ratings or at least in USUAL_SHARE of them, and who gives it hardly
more often where most others agree on it than where they agree on another one.
"""

from collections.abc import Sequence

import numpy as np

from stats.arrays import BoolArray, IntArray
from stats.patterns import RatingPatterns, counts_of
from stats.unnamed import name_nobody

MIN_ITEMS = 20  # items of a rater; below, one label may well be right for all
MIN_SHARE = 0.1  # of these, on which more than half of two or more others agree on another label
USUAL_SHARE = 0.6  # of these, with the rater's usual label
MAX_RISE = 0.25  # of the usual label's frequency where most others agree on it: the upper limit of this difference
MAX_NAMED = 10  # raters in a sentence
UNMOVED = "also where most others agree on another one"
CAUSE = f"This rater gave nearly always the same label, {UNMOVED}."
DETAIL = (
    f"{CAUSE} Such ratings do not show what the rater knows, so no accuracy without gold rests on them, neither that of"
    " another annotator nor that of a system."
)
LEFT_OUT = (
    f"Nearly always the same label, {UNMOVED}, came from {{names}}. Such ratings do not show what a rater knows, so no"
    " accuracy without gold and no consensus rests on them."
)


def single_label_raters(humans: RatingPatterns) -> BoolArray:
    """Mark the raters (r,) of one label. At least two others remain, who agree beyond chance; else nobody is marked."""
    if humans.n_raters < 3:
        return np.zeros(humans.n_raters, dtype=bool)
    C, row_of = counts_of(humans)
    order = np.argsort(humans.rater, kind="stable")
    ends = np.cumsum(np.bincount(humans.rater, minlength=humans.n_raters))[:-1]
    marked = np.array([_is_single_label(humans, C, row_of, own) for own in np.split(order, ends)], dtype=bool)
    return marked if marked.any() and _agree(without(humans, marked)) else np.zeros(len(marked), dtype=bool)


def _is_single_label(humans: RatingPatterns, C: IntArray, row_of: IntArray, own: IntArray) -> bool:
    """Check whether the ratings `own` of one rater hardly depend on what most others say."""
    pattern, label = humans.pattern[own], humans.label[own]
    n = humans.n_items[pattern]
    times = np.bincount(label, weights=n, minlength=humans.n_labels)
    usual = int(times.argmax())
    if n.sum() < MIN_ITEMS or times[usual] < USUAL_SHARE * n.sum():
        return False
    others = C[row_of[pattern]]
    others[np.arange(len(label)), label] -= 1
    m, top = others.sum(axis=1), others.argmax(axis=1)
    agreed = (m >= 2) & (2 * others.max(axis=1) > m)
    if n[agreed & (top != usual)].sum() < MIN_SHARE * n.sum():
        return False
    has_usual = label == usual
    return bool(has_usual.all()) or _highest_rise(has_usual[agreed], top[agreed] == usual, n[agreed]) < MAX_RISE


def _highest_rise(has_usual: BoolArray, is_expected: BoolArray, n: IntArray) -> float:
    """Return how much more often a rater gives the usual label where most others agree on it than where they do not.

    It is the upper 95 % limit (one-sided) of this difference of two shares.
    """
    of_each = [(n[is_where].sum(), n[is_where & has_usual].sum()) for is_where in (is_expected, ~is_expected)]
    if min(total for total, _ in of_each) == 0:
        return 1.0
    shares = [(times / total, total) for total, times in of_each]
    variance = sum(share * (1 - share) / total for share, total in shares)
    return float(shares[0][0] - shares[1][0] + 1.645 * np.sqrt(variance))


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


def without_left_out(humans: RatingPatterns, raters: Sequence[str]) -> tuple[RatingPatterns, tuple[str, ...]]:
    """Return the patterns without the raters of one label, and the names of these raters.

    `raters` names all raters, in the order of their codes. Of votes without names nobody is left out.
    """
    marked = single_label_raters(humans) & (not name_nobody(raters))
    return without(humans, marked), tuple(name for name, is_one in zip(raters, marked, strict=True) if is_one)


def left_out_warning(raters: Sequence[str]) -> list[str]:
    """Return the sentence on the raters whose ratings are left out, if there are any.

    >>> left_out_warning(["ann"])[0][:60]
    'Nearly always the same label, also where most others agree o'
    """
    more = f" and {len(raters) - MAX_NAMED} more" if len(raters) > MAX_NAMED else ""
    return [LEFT_OUT.format(names=", ".join(raters[:MAX_NAMED]) + more)] if raters else []


def _has_one_label(humans: RatingPatterns, C: IntArray, row_of: IntArray, own: IntArray) -> bool:
    pattern, label = humans.pattern[own], humans.label[own]
    n_items = humans.n_items[pattern]
    if n_items.sum() < MIN_ITEMS or (label != label[0]).any():
        return False
    others = C[row_of[pattern]]
    others[:, label[0]] -= 1
    m = others.sum(axis=1)
    elsewhere = (m >= 2) & (2 * others.max(axis=1) > m) & (others.argmax(axis=1) != label[0])
    return bool(n_items[elsewhere].sum() >= MIN_SHARE * n_items.sum())


def without(humans: RatingPatterns, marked: BoolArray) -> RatingPatterns:
    """Return the patterns without the ratings of the marked raters (r,). The codes of the others close the gaps."""
    if not marked.any():
        return humans
    kept = ~marked[humans.rater]
    code = np.cumsum(~marked) - 1
    return RatingPatterns(
        humans.n_items,
        humans.pattern[kept],
        code[humans.rater[kept]],
        humans.label[kept],
        int((~marked).sum()),
        humans.n_labels,
    )
