"""Build tables of votes for tests."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from stats.preferences import OUTCOMES, VOTES


def votes(rows: Sequence[tuple[object, ...]]) -> pl.DataFrame:
    """Return votes of (item, rater, first, second, outcome); the item is the cluster."""
    full = [(str(item), str(item), rater, *rest) for item, rater, *rest in rows]
    return pl.DataFrame(full, schema=VOTES, orient="row")


def counted(counts: Sequence[tuple[str, str, int, int, int]]) -> pl.DataFrame:
    """Return votes of counts (a, b, won by a, won by b, ties), each vote on an item of its own."""
    pairs = [(a, b, outcome) for a, b, *ns in counts for outcome, n in zip(OUTCOMES, ns, strict=True) for _ in range(n)]
    return votes([(i, None, *pair) for i, pair in enumerate(pairs)])


def drawn(n: int, k: int, n_items: int, seed: int = 0, *, bias: float = 0.0, tie: float = -0.5) -> pl.DataFrame:
    """Draw votes from Davidson's model, with strengths from -1 to 1 and a bias for the first."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(-1, 1, k)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    u = np.stack([strength[a] + bias, strength[b], tie + (strength[a] + strength[b] + bias) / 2], axis=1)
    chosen = (u + rng.gumbel(size=(n, 3))).argmax(axis=1)
    item = rng.integers(0, n_items, n).astype(str)
    columns = {
        "item": item, "cluster": item, "rater": [f"r{i % 7}" for i in range(n)], "first": [f"m{i}" for i in a],
        "second": [f"m{i}" for i in b], "outcome": [OUTCOMES[i] for i in chosen],
    }  # fmt: skip
    return pl.DataFrame(columns, schema=VOTES)
