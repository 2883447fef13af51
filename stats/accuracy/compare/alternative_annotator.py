"""The alternative annotator test: may a system stand in for a human rater?

Source: N. Calderon, R. Reichart & R. Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge: How to
Statistically Justify Replacing Human Annotators with LLMs, ACL 2025, arXiv:2501.10970. False discovery rate under any
dependence: Y. Benjamini & D. Yekutieli (2001), Ann. Stat. 29, 1165-1188.

Each rater in turn is left out, and on his items both he and the system are compared with the other raters: an
alignment score is the share of them who gave the same label. It asks who is more like the others, not who is right: a
system that is better than its raters loses where it corrects an error that they share.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr

from stats.accuracy.estimator import FloatArray
from stats.accuracy.tables import Table, tables
from stats.accuracy.valid import check_systems
from stats.counts import distinct_raters
from stats.errors import StatsError

TEST_SCHEMA = {
    "system": pl.String,
    "winning_rate": pl.Float64,
    "advantage_probability": pl.Float64,
    "n_raters": pl.Int64,
    "passes": pl.Boolean,
    "reason": pl.String,
    "detail": pl.String,
}
RATER_SCHEMA = {
    "system": pl.String,
    "rater": pl.String,
    "n_items": pl.Int64,
    "system_advantage": pl.Float64,
    "rater_advantage": pl.Float64,
    "statistic": pl.Float64,
    "p_value": pl.Float64,
    "system_wins": pl.Boolean,
    "reason": pl.String,
}
PASS = 0.5  # winning rate from which the system may stand in for a rater
Row = dict[str, object]


def alternative_annotator_test(
    ratings: pl.DataFrame,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    epsilon: float = 0.2,
    alpha: float = 0.05,
    min_items: int = 30,
) -> pl.DataFrame:
    """Whether each system may replace a human rater: one row per system.

    Columns: system; winning_rate in [0, 1], the share of raters whom the system is shown to be as good as, less
    epsilon (see `alternative_annotator_raters`); advantage_probability in [0, 1], the mean over raters of the
    probability that the system is at least as close to the other raters as the rater is; n_raters, those with
    `min_items` items or more that the system and another rater labelled too; passes, a winning rate of .5 or more;
    reason and detail where the three are null (`too_few_items`: no rater has so many items).

    `epsilon` is what a rater may be better by and still be replaced, for costing more than the system. The authors
    advise .2 where the raters are experts, .15 where they are skilled, .1 where they are a crowd; with 0 the system
    must be better. `alpha` is the false discovery rate among the raters.

    Raises StatsError as `accuracy`, and for an epsilon outside [0, 1), an alpha outside (0, 1), fewer than two
    min_items.

    >>> rows = [(str(i), rater, "AB"[i % 2]) for i in range(40) for rater in ("ann", "bob", "cy", "bot")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> alternative_annotator_test(frame, systems=["bot"], labels=["A", "B"]).row(0)
    ('bot', 1.0, 1.0, 3, True, None, None)
    """
    found = alternative_annotator_raters(
        ratings, systems=systems, labels=labels, epsilon=epsilon, alpha=alpha, min_items=min_items
    )
    rows = [_row(system, found.filter(pl.col("system") == system), min_items) for system in systems]
    return pl.DataFrame(rows, schema=TEST_SCHEMA)


def alternative_annotator_raters(
    ratings: pl.DataFrame,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    epsilon: float = 0.2,
    alpha: float = 0.05,
    min_items: int = 30,
) -> pl.DataFrame:
    """The test rater by rater: one row per system and human rater, sorted by rater within a system.

    Columns: system, rater; n_items that both and another rater labelled; system_advantage, the share of them on which
    the system agrees with at least as many of the others as the rater does; rater_advantage, the reverse (ties count
    in both); statistic and p_value of the paired t-test of H0: rater_advantage - system_advantage >= epsilon;
    system_wins, if H0 is rejected at the false discovery rate alpha over the system's raters (Benjamini-Yekutieli);
    reason (`too_few_items`) where the rater is not tested. A statistic is null where the difference is the same on
    every item: the p-value is then 0 or 1.

    Parameters and errors as `alternative_annotator_test`.
    """
    check_systems(ratings, systems, labels)
    _check(epsilon, alpha, min_items)
    humans = [rater for rater in distinct_raters(ratings) if rater not in set(systems)]
    table = tables(ratings, systems=systems, labels=labels)
    parts = [_raters(table[system], system, humans, epsilon, alpha, min_items) for system in systems]
    return pl.concat(parts)


def benjamini_yekutieli(p: FloatArray, alpha: float) -> NDArray[np.bool_]:
    """Which of the hypotheses with these p-values are rejected at the false discovery rate alpha.

    >>> benjamini_yekutieli(np.array([0.001, 0.04, 0.02]), 0.05).tolist()
    [True, False, False]
    """
    m = len(p)
    if m == 0:
        return np.zeros(0, dtype=bool)
    rank = np.arange(1, m + 1)
    below = np.flatnonzero(np.sort(p) <= rank * alpha / m / (1 / rank).sum())
    return p <= (np.sort(p)[below[-1]] if below.size else -1.0)


def _raters(table: Table, system: str, humans: list[str], epsilon: float, alpha: float, min_items: int) -> pl.DataFrame:
    n, wins, losses = _contests(table, system)
    tested = n >= min_items
    some = np.maximum(n, 1)
    mean = (losses - wins) / some
    variance = (wins + losses - n * mean**2) / np.maximum(n - 1, 1)
    flat = variance <= 1e-12
    t = (mean - epsilon) / np.sqrt(np.where(flat, 1.0, variance) / some)
    p = np.where(flat, np.where(mean < epsilon, 0.0, 1.0), stdtr(np.maximum(n - 1, 1), t))
    beaten = np.zeros(len(n), dtype=bool)
    beaten[tested] = benjamini_yekutieli(p[tested], alpha)
    frame = pl.DataFrame(
        {
            "system": [system] * len(n),
            "rater": humans,
            "n_items": n.astype(np.int64),
            "system_advantage": 1 - losses / some,
            "rater_advantage": 1 - wins / some,
            "statistic": pl.Series(t).set(pl.Series(flat), None),
            "p_value": p,
            "system_wins": beaten,
            "reason": [None if enough else "too_few_items" for enough in tested],
        },
        schema=RATER_SCHEMA,
    )
    figures = ("system_advantage", "rater_advantage", "statistic", "p_value", "system_wins")
    return frame.with_columns(pl.when(pl.col("reason").is_null()).then(pl.col(*figures)))


def _contests(table: Table, system: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """For each human rater (r,): items on which he meets the system before another rater, and on how many of them
    the system, or he, agrees with more of the others."""
    humans, answer = table.humans, table.answers[system]
    entry = (answer[humans.pattern] >= 0) & (table.C.sum(axis=1)[table.row[humans.pattern]] >= 2)
    pattern, rater, label = humans.pattern[entry], humans.rater[entry], humans.label[entry]
    row, given = table.row[pattern], answer[pattern]
    # agreeing others; the number of others is the same for both, so that shares need not be formed
    of_system = table.C[row, given] - (given == label)
    of_rater = table.C[row, label] - 1
    weight = humans.n_items[pattern].astype(np.float64)
    sums = [np.bincount(rater, weights=weight * mask, minlength=humans.n_raters)
            for mask in (np.ones(len(row)), of_system > of_rater, of_system < of_rater)]  # fmt: skip
    n, wins, losses = (np.asarray(found, dtype=np.float64) for found in sums)
    return n, wins, losses


def _row(system: str, raters: pl.DataFrame, min_items: int) -> Row:
    tested = raters.filter(pl.col("reason").is_null())
    if tested.is_empty():
        detail = f"No rater has {min_items} items or more that the system and another rater labelled too."
        return {"system": system, "n_raters": 0, "reason": "too_few_items", "detail": detail}
    rate = float(tested["system_wins"].to_numpy().mean())
    rho = float(tested["system_advantage"].to_numpy().mean())
    return {
        "system": system,
        "winning_rate": rate,
        "advantage_probability": rho,
        "n_raters": tested.height,
        "passes": rate >= PASS,
    }


def _check(epsilon: float, alpha: float, min_items: int) -> None:
    if not 0 <= epsilon < 1:
        raise StatsError(f"Epsilon lies in [0, 1), found {epsilon}. Write .2 for experts and .1 for a crowd.")
    if not 0 < alpha < 1:
        raise StatsError(f"Alpha lies between 0 and 1, found {alpha}. Write .05 for 5 %.")
    if min_items < 2:
        raise StatsError(f"A t-test needs two items or more of a rater, found min_items={min_items}. Take 30.")
