"""Find the models whose strengths the votes determine.

A finite maximum of the likelihood exists among models that are linked by wins or ties in both directions (Ford 1957;
Davidson 1970 for ties). Elsewhere the likelihood rises without end: a model that always wins has no finite strength.
"""

import numpy as np
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

from stats.arrays import FloatArray, IntArray


def largest_component(wins: FloatArray, ties: FloatArray) -> tuple[IntArray, int]:
    """Return the models (K,) of the largest group linked in both directions, and the number of groups.

    `wins[i, j]` are the wins of i over j, `ties` is symmetric. Of groups of equal size the one with more votes counts,
    then the first.
    """
    linked = ((wins + ties) > 0).astype(float)
    n_groups, group = connected_components(linked, directed=True, connection="strong")
    votes = wins + ties
    sizes = [
        ((group == g).sum(), float(votes[np.ix_(group == g, group == g)].sum()), -int(np.argmax(group == g)))
        for g in range(n_groups)
    ]
    best = max(range(n_groups), key=lambda g: sizes[g])
    return np.flatnonzero(group == best), int(n_groups)


def ties_fit_perfectly(wins: FloatArray, ties: FloatArray) -> bool:
    """Check whether steps between the models explain all wins and ties, so that the likelihood rises without end.

    That is so if some places on a line put every winner 2 or more above the loser and tied models at most 2 apart.
    """
    if not ties.any() or ((wins > 0) & (wins.T > 0)).any():
        return False
    k = len(wins)
    edges = np.zeros((k + 1, k + 1))  # 0 is no edge; the last place leads to all others
    edges[:k, :k] = np.where(wins > 0, -2.0, np.where(ties > 0, 2.0, 0.0))
    edges[k, :k] = 1
    try:
        bellman_ford(edges, indices=[k])
    except NegativeCycleError:
        return False
    return True
