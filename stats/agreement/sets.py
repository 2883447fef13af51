"""How near two sets of labels are: agreement weights for labels that are sets, written as JSON arrays.

A label that is a JSON array is the set of its members, in any order and each counted once; `[]` is the empty set. Any
other label, also text that merely starts with a bracket (`[sic]`, `[a`), is the set with that one member: `a` and
`["a"]` are equal. A member that is no text (a number, a list, an object) is known by its JSON text: `[1]` is `["1"]`.
"""

import json
from collections.abc import Sequence

import numpy as np

from stats.intervals import FloatArray

FEW = 50  # labels that hold a member, up to which counting them one by one is the cheaper


def jaccard(labels: Sequence[str]) -> FloatArray:
    """(k, k) members that two sets share / members of either: 1 for equal sets, 0 for sets that share nothing.

    Two empty sets are equal. 1 - Jaccard's distance; Jaccard (1912), New Phytologist 11, 37-50.

    >>> jaccard(['["a", "b"]', '["b", "c"]', "b"])[0].round(2).tolist()
    [1.0, 0.33, 0.5]
    """
    shared, size = _shared(labels)
    return _jaccard(shared, size)


def masi(labels: Sequence[str]) -> FloatArray:
    """(k, k) Jaccard's agreement times monotonicity: 1 for equal sets, 2/3 if one holds the other, 1/3 if they overlap.

    So a set that adds members to another counts for more than one that swaps some of them. In 0..1; 1 - the distance
    of Passonneau (2006), Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation,
    Proceedings of LREC 2006, ACL Anthology L06-1392, with the exact thirds of the paper.

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
    """The members of a label as texts.

    >>> [sorted(members_of(label)) for label in ('["b", "a", "b"]', "a", "[sic]", "[1, [2]]", "[]")]
    [['a', 'b'], ['a'], ['[sic]'], ['1', '["2"]'], []]
    """
    if not label.startswith("["):
        return frozenset([label])
    try:  # numbers stay as they are written: a round trip through floats would make one of 0.1 and 0.10
        members = json.loads(label, parse_int=str, parse_float=str, parse_constant=str)
        return frozenset(one if isinstance(one, str) else json.dumps(one, sort_keys=True) for one in members)
    except (ValueError, RecursionError):
        return frozenset([label])


def _shared(labels: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """(k, k) members that two labels share, and (k,) members of each.

    Members of many labels go through a matrix product, those of few are counted one by one: with thousands of
    different members the product would be the slower by far.
    """
    holders: dict[str, list[int]] = {}
    for position, label in enumerate(labels):
        for member in members_of(label):
            holders.setdefault(member, []).append(position)
    often = [rows for rows in holders.values() if len(rows) > FEW]
    X = np.zeros((len(labels), len(often)), np.float32)  # exact for counts below 2^24, at half the cost
    for j, rows in enumerate(often):
        X[rows, j] = 1
    shared = (X @ X.T).astype(float)
    for rows in holders.values():
        if len(rows) <= FEW:
            shared[np.ix_(rows, rows)] += 1
    return shared, shared.diagonal().copy()


def _jaccard(shared: FloatArray, size: FloatArray) -> FloatArray:
    either = size[:, None] + size - shared
    agreement: FloatArray = np.divide(shared, either, out=np.ones_like(shared), where=either > 0)
    return agreement
