"""Look whether gold items of unknown origin differ from all items more than a random sample does.

Right answers are often given to items that somebody picked: disputed ones, or those of one label. An audit takes them
for a random sample. What everybody said of the items is known with and without gold: how far people agree, which labels
they gave, which the system gave. The mean of each over the gold items is compared with that over all items. Its error
is that of a draw without replacement.
"""

from collections.abc import Iterator

import numpy as np

from stats.accuracy.fitting.estimator import SystemPatterns
from stats.arrays import FloatArray, IntArray
from stats.special_functions import ndtri

LEVEL = 0.01  # at most one random sample in a hundred or so is called picked
MIN_GOLD = 5
LEAST_COUNT = 3.0  # expected items of a label, and of the others; with fewer the mean is far from normal
PICKED = (
    "The gold items are hardly a random sample: {how} by more than chance explains. The audited figures are then off."
    " Draw gold with `kappaflow audit`."
)
AGREEMENT = "people agree on {gold:.0%} of the pairs of ratings there, and on {all:.0%} over all items, which differ"
LABELS = "the labels that people gave there differ from those over all items"
ANSWERS = "the system's answers there differ from those over all items"
Feature = tuple[
    str, FloatArray, FloatArray, FloatArray
]  # words, items (P,), values (P,), values of the gold items (m,)


def on_picked(patterns: SystemPatterns, C: IntArray, answers: IntArray) -> list[str]:
    """Return a note if the gold items look picked.

    patterns: all items. C (m, k) and answers (m,): what people and the system said of the gold items.
    """
    if len(answers) < MIN_GOLD:
        return []
    features = [*_features(patterns, C, answers)]
    limit = float(ndtri(1 - LEVEL / 2 / max(len(features), 1)))
    for words, n_items, values, of_gold in features:
        n, m = float(n_items.sum()), len(of_gold)
        if m < MIN_GOLD or m >= n:
            continue
        mean = float(np.average(values, weights=n_items))
        variance = float(np.average((values - mean) ** 2, weights=n_items)) * (n - m) / (n - 1) / m
        if variance > 0 and abs(float(of_gold.mean()) - mean) > limit * variance**0.5 + 0.5 / m:
            return [PICKED.format(how=words.format(gold=float(of_gold.mean()), all=mean))]
    return []


def _features(patterns: SystemPatterns, C: IntArray, answers: IntArray) -> Iterator[Feature]:
    answered = patterns.answered
    everywhere, system = patterns.C[answered], patterns.system[answered]
    n_items = patterns.n_items[answered].astype(np.float64)
    several, of_gold = everywhere.sum(axis=1) > 1, C.sum(axis=1) > 1
    if several.any():
        yield AGREEMENT, n_items[several], _agreement(everywhere[several]), _agreement(C[of_gold])
    for words, all_counts, gold_counts in (
        (LABELS, everywhere, C),
        (
            ANSWERS,
            np.eye(patterns.n_labels, dtype=np.int64)[system],
            np.eye(patterns.n_labels, dtype=np.int64)[answers],
        ),
    ):
        rated, gold_rated = all_counts.sum(axis=1) > 0, gold_counts.sum(axis=1) > 0
        shares, of_gold_items = _shares(all_counts[rated]), _shares(gold_counts[gold_rated])
        for label in range(patterns.n_labels):
            expected = float(np.average(shares[:, label], weights=n_items[rated])) if rated.any() else 0.0
            if min(expected, 1 - expected) * len(of_gold_items) >= LEAST_COUNT:
                yield words, n_items[rated], shares[:, label], of_gold_items[:, label]


def _agreement(C: IntArray) -> FloatArray:
    m = C.sum(axis=1)
    return np.asarray((C * (C - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1), dtype=np.float64)


def _shares(C: IntArray) -> FloatArray:
    return np.asarray(C / np.maximum(C.sum(axis=1, keepdims=True), 1), dtype=np.float64)
