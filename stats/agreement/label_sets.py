"""Compute agreement weights for labels that are sets of labels, written as JSON arrays.

A label that is a JSON array is the set of its members. Order does not matter, a member counts once, and `[]` is the
empty set. Any other label is a set with one member, also text that only starts with a bracket (`[sic]`, `[a`). So `a`
equals `["a"]`. A member that is not a text (a number, a list, an object) stands for its JSON text: `[1]` equals
`["1"]`.
"""

import json
from collections.abc import Sequence

import numpy as np

from stats.arrays import FloatArray

MAX_LISTED_HOLDERS = 50  # up to so many labels with a member, counting them one by one is cheaper


def jaccard(labels: Sequence[str]) -> FloatArray:
    """Return (k, k) weights: members in both sets / members in either. 1 for equal sets, 0 for disjoint ones.

    Two empty sets are equal. The weight is 1 - Jaccard's distance. Jaccard (1912), New Phytologist 11, 37-50.

    >>> jaccard(['["a", "b"]', '["b", "c"]', "b"])[0].round(2).tolist()
    [1.0, 0.33, 0.5]
    """
    shared, size = _shared(labels)
    return _jaccard(shared, size)


def masi(labels: Sequence[str]) -> FloatArray:
    """Return (k, k) weights in 0..1: Jaccard's weight times monotonicity.

    Monotonicity is 1 for equal sets, 2/3 if one contains the other, 1/3 if they overlap, so that extra members count
    less than exchanged ones. The weight is 1 - the distance of Passonneau (2006), Measuring Agreement on Set-valued
    Items (MASI) for Semantic and Pragmatic Annotation, Proceedings of LREC 2006, ACL Anthology L06-1392, with the
    exact thirds of the paper.

    >>> masi(['["a", "b"]', '["b", "c"]', "b"])[0].round(2).tolist()
    [1.0, 0.11, 0.33]
    """
    shared, size = _shared(labels)
    monotonicity = np.full(shared.shape, 1 / 3)
    monotonicity[shared == np.minimum(size[:, None], size)] = 2 / 3
    monotonicity[shared == np.maximum(size[:, None], size)] = 1
    agreement: FloatArray = _jaccard(shared, size) * monotonicity
    return agreement


def members_of(label: str) -> frozenset[str]:
    """Return the members of a label as texts.

    >>> [sorted(members_of(label)) for label in ('["b", "a", "b"]', "a", "[sic]", "[1, [2]]", "[]")]
    [['a', 'b'], ['a'], ['[sic]'], ['1', '["2"]'], []]
    """
    if not label.startswith("["):
        return frozenset([label])
    try:  # numbers stay as they are written: a round trip through floats would make one of 0.1 and 0.10
        members = json.loads(label, parse_int=str, parse_float=str, parse_constant=str)
        return frozenset(m if isinstance(m, str) else json.dumps(m, sort_keys=True) for m in members)
    except (ValueError, RecursionError):
        return frozenset([label])


def _shared(labels: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Count the members that two labels share (k, k), and the members of each label (k,).

    Members of many labels go through a matrix product. Members of few labels are counted one by one: with thousands
    of different members the product would be far slower.
    """
    holders: dict[str, list[int]] = {}
    for position, label in enumerate(labels):
        for member in members_of(label):
            holders.setdefault(member, []).append(position)
    often = [rows for rows in holders.values() if len(rows) > MAX_LISTED_HOLDERS]
    X = np.zeros((len(labels), len(often)), np.float32)  # exact for counts below 2^24, at half the cost
    for j, rows in enumerate(often):
        X[rows, j] = 1
    shared = (X @ X.T).astype(float)
    for rows in holders.values():
        if len(rows) <= MAX_LISTED_HOLDERS:
            shared[np.ix_(rows, rows)] += 1
    return shared, shared.diagonal().copy()


def _jaccard(shared: FloatArray, size: FloatArray) -> FloatArray:
    either = size[:, None] + size - shared
    agreement: FloatArray = np.divide(shared, either, out=np.ones_like(shared), where=either > 0)
    return agreement
