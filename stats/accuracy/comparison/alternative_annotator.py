"""The alternative annotator test: may a system replace a human rater?

Source: N. Calderon, R. Reichart & R. Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge: How to
Statistically Justify Replacing Human Annotators with LLMs, ACL 2025, arXiv:2501.10970. The false discovery rate holds
under any dependence: Y. Benjamini & D. Yekutieli (2001), Ann. Stat. 29, 1165-1188.

Each rater in turn is left out. On that rater's items, both the rater and the system are compared with the other
raters. The alignment score is the share of them who gave the same label. The test shows who is more like the others,
not who is right: a system that is better than its raters loses where it corrects an error that they share. With gold
the test shows who is right: the score is whether the label is the right one of the gold item.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from stats.accuracy.arguments import check_systems
from stats.accuracy.gold.audit import check_gold
from stats.accuracy.gold.gold_rows import NOT_AUDITED, GoldRows, gold_rows
from stats.accuracy.gold.gold_weights import scaled
from stats.accuracy.prepared_ratings import frame_of, tables_of
from stats.accuracy.raters.pair_agreement import pair_agreement
from stats.accuracy.system_patterns import SystemTable
from stats.arrays import FloatArray
from stats.counts import distinct_raters
from stats.errors import StatsError
from stats.special_functions import stdtr
from stats.unnamed import DETAIL, UNNAMED, name_nobody

TEST_SCHEMA = {
    "system": pl.String,
    "winning_rate": pl.Float64,
    "advantage_probability": pl.Float64,
    "n_raters": pl.Int64,
    "passes": pl.Boolean,
    "reason": pl.String,
    "detail": pl.String,
    "n_gold": pl.Int64,
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
LEVEL = 0.05
BY_CHANCE = (
    "The raters do not surely agree better than chance. Then whoever answers at random is as close to them as they are"
    " to each other, and the test shows nothing."
)
PASS = 0.5  # winning rate from which the system may replace a rater
Row = dict[str, object]
Contests = tuple[FloatArray, FloatArray, FloatArray]  # items, wins of the system, losses; for each rater


def alternative_annotator_test(
    ratings: Any,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    epsilon: float = 0.2,
    alpha: float = 0.05,
    min_items: int = 30,
    gold: Any = None,
) -> pl.DataFrame:
    """Test for each system whether it may replace a human rater: one row per system.

    - system.
    - winning_rate, in [0, 1]: the share of raters whom the system is shown to match, up to epsilon (see
      `alternative_annotator_raters`).
    - advantage_probability, in [0, 1]: the mean over raters of the probability that the system is at least as close to
      the other raters as the rater is.
    - n_raters: raters with at least `min_items` items that the system and another rater labelled too.
    - passes: true for a winning rate of .5 or more.
    - reason, detail: why the three are null (`too_few_items`: no rater has so many items; `not_identified`: the raters
      do not surely agree better than chance, 1 / the number of labels; `unnamed_raters`: votes without names).
    - n_gold: gold items that the system answered.

    With `gold` (item, label: the right answers of a random sample of the items) only gold items count. The score is
    whether the label of the system, or of the rater, is right. A rater needs `min_items` gold items (`too_few_gold`).

    `epsilon` is how much better a rater may be and still be replaced, because a rater costs more than the system. The
    authors advise .2 for experts, .15 for skilled raters, .1 for a crowd; with 0 the system must be better. `alpha` is
    the false discovery rate among the raters.

    Raises StatsError as `accuracy`, and for an epsilon outside [0, 1), an alpha outside (0, 1), fewer than two
    min_items.

    >>> rows = [(str(i), rater, "AB"[i % 2]) for i in range(40) for rater in ("ann", "bob", "cy", "bot")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> alternative_annotator_test(frame, systems=["bot"], labels=["A", "B"]).row(0)
    ('bot', 1.0, 1.0, 3, True, None, None, 0)
    """
    gold = None if gold is None else check_gold(gold, labels=labels)
    by_rater = alternative_annotator_raters(
        ratings, systems=systems, labels=labels, epsilon=epsilon, alpha=alpha, min_items=min_items, gold=gold
    )
    rows = [_row(system, by_rater.filter(pl.col("system") == system), min_items) for system in systems]
    if gold is None:
        table = tables_of(ratings, systems=systems, labels=labels)
        rows = [row if _agree(table[str(row["system"])]) else _by_chance(row) for row in rows]
    else:
        rated = frame_of(ratings)
        audited = gold_rows(rated, gold, systems=systems, raters=distinct_raters(rated), labels=labels)
        n_gold = {system: int((audited.answers[system] >= 0).sum()) for system in systems}
        rows = [_with_gold(row, n_gold, min_items) for row in rows]
    if UNNAMED in by_rater["reason"]:
        rows = [row | {"reason": UNNAMED, "detail": DETAIL} for row in rows]
    return pl.DataFrame(rows, schema=TEST_SCHEMA)


def alternative_annotator_raters(
    ratings: Any,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    epsilon: float = 0.2,
    alpha: float = 0.05,
    min_items: int = 30,
    gold: Any = None,
) -> pl.DataFrame:
    """Run the test rater by rater: one row per system and human rater, sorted by rater within a system.

    - system, rater.
    - n_items: items that both of them and another rater labelled.
    - system_advantage: the share of these on which the system agrees with at least as many of the others as the rater
      does.
    - rater_advantage: the reverse. Ties count in both.
    - statistic, p_value: the paired t-test of H0: rater_advantage - system_advantage >= epsilon.
    - system_wins: true if H0 is rejected at the false discovery rate alpha over the system's raters
      (Benjamini-Yekutieli).
    - reason: `too_few_items` where the rater is not tested, `unnamed_raters` for votes without names.

    The statistic is null where the difference is the same on every item. The p value is then 0 or 1. Parameters and
    errors are as in `alternative_annotator_test`.
    """
    rated = frame_of(ratings)
    check_systems(rated, systems, labels)
    _check(epsilon, alpha, min_items)
    humans = [rater for rater in distinct_raters(rated) if rater not in set(systems)]
    if gold is not None:
        gold = check_gold(gold, labels=labels)
        rows = gold_rows(rated, gold, systems=systems, raters=humans, labels=labels)
        contests = {system: _contests_on_gold(rows, system, len(humans)) for system in systems}
    else:
        table = tables_of(ratings, systems=systems, labels=labels)
        contests = {system: _contests(table[system], system) for system in systems}
    reason, least = (NOT_AUDITED if gold is not None else "too_few_items"), float(min_items)
    if name_nobody(humans):
        reason, least = UNNAMED, np.inf
    return pl.concat([_raters(contests[name], name, humans, epsilon, alpha, least, reason) for name in systems])


def benjamini_yekutieli(p: FloatArray, alpha: float) -> NDArray[np.bool_]:
    """Return which of the hypotheses with these p values are rejected at the false discovery rate alpha.

    >>> benjamini_yekutieli(np.array([0.001, 0.04, 0.02]), 0.05).tolist()
    [True, False, False]
    """
    m = len(p)
    if m == 0:
        return np.zeros(0, dtype=bool)
    rank = np.arange(1, m + 1)
    below = np.flatnonzero(np.sort(p) <= rank * alpha / m / (1 / rank).sum())
    return p <= (np.sort(p)[below[-1]] if below.size else -1.0)


def _raters(
    contests: Contests, system: str, humans: list[str], epsilon: float, alpha: float, min_items: float, reason: str
) -> pl.DataFrame:
    n, wins, losses = contests
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
            "reason": [None if enough else reason for enough in tested],
        },
        schema=RATER_SCHEMA,
    )
    figures = ("system_advantage", "rater_advantage", "statistic", "p_value", "system_wins")
    return frame.with_columns(pl.when(pl.col("reason").is_null()).then(pl.col(*figures)))


def _contests_on_gold(rows: GoldRows, system: str, n_raters: int) -> Contests:
    """Return the contests on gold items: the right label takes the place of the other raters."""
    met = rows.answers[system][rows.row] >= 0
    row, rater, label = rows.row[met], rows.rater[met], rows.label[met]
    system_right, rater_right = rows.answers[system][row] == rows.truth[row], label == rows.truth[row]
    # With unequal weights the shares are weighted ones, of the effective number of items (see `effective_share`).
    w = scaled(None if rows.weight is None else rows.weight[row], len(row))
    weight, squares = (np.bincount(rater, weights=values, minlength=n_raters) for values in (w, w**2))
    effective = weight / np.where(squares > 0, squares, 1.0)
    masks = (np.ones(len(row)), system_right & ~rater_right, rater_right & ~system_right)
    sums = [np.bincount(rater, weights=w * mask, minlength=n_raters) * effective for mask in masks]
    n, wins, losses = (np.asarray(counts, dtype=np.float64) for counts in sums)
    return n, wins, losses


def _contests(table: SystemTable, system: str) -> Contests:
    """Return the contests of each human rater (r,) with the system.

    These are the items that the rater, the system and another rater labelled, and on how many of them the system, or
    the rater, agrees with more of the others.
    """
    humans, answer = table.humans, table.answers[system]
    entry = (answer[humans.pattern] >= 0) & (table.C.sum(axis=1)[table.row[humans.pattern]] >= 2)
    pattern, rater, label = humans.pattern[entry], humans.rater[entry], humans.label[entry]
    row, system_label = table.row[pattern], answer[pattern]
    # agreeing others; the number of others is the same for both, so counts can be compared instead of shares
    of_system = table.C[row, system_label] - (system_label == label)
    of_rater = table.C[row, label] - 1
    weight = humans.n_items[pattern].astype(np.float64)
    sums = [np.bincount(rater, weights=weight * mask, minlength=humans.n_raters)
            for mask in (np.ones(len(row)), of_system > of_rater, of_system < of_rater)]  # fmt: skip
    n, wins, losses = (np.asarray(counts, dtype=np.float64) for counts in sums)
    return n, wins, losses


def _row(system: str, raters: pl.DataFrame, min_items: int) -> Row:
    tested = raters.filter(pl.col("reason").is_null())
    if tested.is_empty():
        detail = f"No rater has {min_items} items or more that the system and another rater labelled too."
        return {"system": system, "n_raters": 0, "reason": "too_few_items", "detail": detail, "n_gold": 0}
    rate = float(tested["system_wins"].to_numpy().mean())
    rho = float(tested["system_advantage"].to_numpy().mean())
    return {
        "system": system,
        "winning_rate": rate,
        "advantage_probability": rho,
        "n_raters": tested.height,
        "passes": rate >= PASS,
        "n_gold": 0,
    }


def _agree(table: SystemTable) -> bool:
    """Check whether the human raters surely agree better than chance gives (one-sided, at LEVEL, over items).

    Else whoever answers at random is as close to them as they are to each other.
    """
    n_items = np.bincount(table.row, weights=table.humans.n_items, minlength=len(table.C))
    agreement = pair_agreement(table.C, n_items)
    return agreement is None or agreement.low(LEVEL) > 1 / agreement.n_labels  # None: no rater is tested


def _by_chance(row: Row) -> Row:
    """Leave out the verdict on a system: the raters do not surely agree better than chance."""
    if row.get("reason") is not None:
        return row
    kept = {name: row[name] for name in ("system", "n_raters", "n_gold")}
    return kept | {"reason": "not_identified", "detail": BY_CHANCE}


def _with_gold(row: Row, n_gold: dict[str, int], min_items: int) -> Row:
    """Return the row with the number of gold items that the system answered, and why there are too few for a test."""
    row = row | {"n_gold": n_gold[str(row["system"])]}
    if row.get("reason") is None:
        return row
    detail = f"No rater rated {min_items} of the gold items that the system answered, and the test needs so many."
    return row | {"reason": NOT_AUDITED, "detail": detail}


def _check(epsilon: float, alpha: float, min_items: int) -> None:
    if not 0 <= epsilon < 1:
        raise StatsError(f"Epsilon lies in [0, 1), found {epsilon}. Write .2 for experts and .1 for a crowd.")
    if not 0 < alpha < 1:
        raise StatsError(f"Alpha lies between 0 and 1, found {alpha}. Write .05 for 5 %.")
    if min_items < 2:
        raise StatsError(f"A t-test needs two items or more of a rater, found min_items={min_items}. Take 30.")
