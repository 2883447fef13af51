"""Find raters who gave one label to all their items although others agree on other labels there.

Such ratings do not differ from item to item, so they say nothing about any item. But a model whose raters err evenly
over the labels cannot express this. It may take that label for right everywhere, this rater for the best one, and the
others, who agree with each other, for poor.
"""

import numpy as np

from stats.arrays import BoolArray, IntArray
from stats.patterns import RatingPatterns, counts_of

MIN_ITEMS = 20  # items of a rater; below, one label may well be right for all
MIN_SHARE = 0.2  # of these, on which more than half of two or more others agree on another label
CAUSE = "This rater gave one label to all items, also where most others agree on another one."
DETAIL = (
    f"{CAUSE} Such ratings do not show what the rater knows, and no other annotator's accuracy rests on them. The"
    " accuracies of systems rest on them, too: leave this rater out."
)


def single_label_raters(humans: RatingPatterns) -> BoolArray:
    """Mark the raters (r,) of one label. At least two others remain; else nobody is marked."""
    C, row_of = counts_of(humans)
    order = np.argsort(humans.rater, kind="stable")
    ends = np.cumsum(np.bincount(humans.rater, minlength=humans.n_raters))[:-1]
    marked = np.array([_has_one_label(humans, C, row_of, own) for own in np.split(order, ends)], dtype=bool)
    return marked if (~marked).sum() >= 2 else np.zeros(len(marked), dtype=bool)


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
