"""Accuracy of systems: every estimator on every system, one row each; and Lehner's bins."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from stats.accuracy import lehner
from stats.accuracy.estimator import Estimator, Patterns
from stats.accuracy.gold import Gold, audit, check_gold, gold_items
from stats.accuracy.lehner_fit import LEHNER
from stats.accuracy.valid import check_confidence, check_scale, check_systems
from stats.counts import count_patterns
from stats.errors import StatsError

Row = dict[str, object]
Schema = dict[str, pl.DataType | type[pl.DataType]]

ESTIMATORS: dict[str, Estimator] = {"lehner": LEHNER}
DEFAULT_METHODS = ("lehner",)

ACCURACY_SCHEMA: Schema = {
    "system": pl.String,
    "method": pl.String,
    "accuracy": pl.Float64,
    "se": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "spread_low": pl.Float64,
    "spread_high": pl.Float64,
    "n_items": pl.Int64,
    "n_gold": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
    "warnings": pl.List(pl.String),
}
BINS_SCHEMA: Schema = {
    "system": pl.String,
    "bin_low": pl.Float64,
    "bin_high": pl.Float64,
    "mean_posterior": pl.Float64,
    "n_items": pl.Int64,
    "agreement": pl.Float64,
    "estimate": pl.Float64,
}


def accuracy(
    ratings: pl.DataFrame,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    scale: str = "nominal",
    methods: Sequence[str] | None = None,
    gold: pl.DataFrame | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """How often each system is right, in [0, 1], estimated from the human raters of the same items.

    `ratings` holds raters and systems together: text columns item, rater, label, one row per (item, rater).
    The raters named in `systems` are the systems, and none of them ever counts as a rater. `labels` is the
    declared set (2 or more), in the order that breaks ties. `methods` are names of ESTIMATORS; None means the
    default. `seed` drives the bootstrap. `scale` is for estimators that use an order of labels; lehner uses
    none.

    Returns one row per system and method: system, method, accuracy, se, low, high, spread_low, spread_high,
    n_items, n_gold, reason, detail, warnings. `n_items` counts items that the system answered and somebody
    rated. Where accuracy is undefined it is null, with a reason code and a sentence in detail. The spread is
    the range of the estimates across methods, null for a single one. The interval always holds the estimate.
    `warnings` is a list of sentences: read them, most of all the one on the interval.

    With `gold` (item, label: the right answers for a random sample of the system's items) accuracy, se, low
    and high are the audited, prediction-powered ones (`stats.accuracy.gold`); `n_gold` counts the gold items
    used, and `n_items` all items the system answered, also those nobody rated.

    Raises StatsError for an unknown system, method or scale, a confidence outside (0, 1), fewer than two
    labels or human raters, gold that shares no item with any system, and ratings that `stats.counts` refuses.

    >>> ratings = pl.DataFrame({
    ...     "item": ["1", "1", "1", "2", "2", "2"], "rater": ["ann", "bob", "bot"] * 2,
    ...     "label": ["A", "A", "A", "B", "B", "A"]})
    >>> accuracy(ratings, systems=["bot"], labels=["A", "B"])["accuracy"].to_list()
    [0.5]
    """
    chosen = _estimators(methods)
    check_scale(scale)
    check_confidence(confidence)
    check_systems(ratings, systems, labels)
    if gold is not None:
        check_gold(gold, labels=labels)
    rows: list[Row] = []
    overlap = 0
    for system in systems:
        patterns = system_patterns(ratings, system=system, systems=systems, labels=labels)
        right = None if gold is None else gold_items(ratings, gold, system=system, systems=systems, labels=labels)
        overlap += 0 if right is None else len(right.system)
        found = [_row(system, estimator, patterns, right, confidence, seed) for estimator in chosen]
        rows += _with_spread(found)
    if gold is not None and overlap == 0:
        raise StatsError(
            f"None of the {gold.height} gold items is among the items that {', '.join(systems)} answered."
            " Check that both files use the same item ids."
        )
    return pl.DataFrame(rows, schema=ACCURACY_SCHEMA)


def bins(ratings: pl.DataFrame, *, systems: Sequence[str], labels: Sequence[str]) -> pl.DataFrame:
    """Lehner's table of bins (his Table 4) for each system, in ascending order, without empty bins.

    Columns: system, bin_low and bin_high (the bin is closed on the right), mean_posterior of the raters' top
    label, n_items, agreement of the system with that label, estimate of the system's accuracy in the bin
    (clipped to [0, 1]; null for a bin that says nothing). No row for a system whose accuracy is undefined.
    Raises as `accuracy`.
    """
    check_systems(ratings, systems, labels)
    rows: list[Row] = []
    for system in systems:
        patterns = system_patterns(ratings, system=system, systems=systems, labels=labels)
        W = patterns.n_items[None, :].astype(np.float64)
        raters = lehner.rater_figures(patterns.C, W)
        if not np.isnan(raters.P_c[0]):
            rows += _bin_rows(system, lehner.bin_figures(patterns.C, patterns.system, W, raters))
    return pl.DataFrame(rows, schema=BINS_SCHEMA)


def system_patterns(ratings: pl.DataFrame, *, system: str, systems: Sequence[str], labels: Sequence[str]) -> Patterns:
    """Patterns of the human raters' counts and one system's answer; the other systems are left out."""
    others = [name for name in systems if name != system]
    table = count_patterns(ratings.filter(~pl.col("rater").is_in(others)), labels=labels, system=system)
    C = table.select(f"label_{j}" for j in range(len(labels))).to_numpy().astype(np.int64)
    return Patterns(C, table["system"].to_numpy().astype(np.int64), table["n_items"].to_numpy().astype(np.int64))


def _estimators(methods: Sequence[str] | None) -> list[Estimator]:
    names = DEFAULT_METHODS if methods is None else methods
    if isinstance(names, str) or not names or len(set(names)) != len(names):
        raise StatsError(
            f"Methods are a list of different names, found {names!r}. Choose from {', '.join(ESTIMATORS)}."
        )
    unknown = [name for name in names if name not in ESTIMATORS]
    if unknown:
        raise StatsError(f"There is no method {unknown[0]!r}. Choose from {', '.join(ESTIMATORS)}.")
    return [ESTIMATORS[name] for name in names]


def _row(system: str, estimator: Estimator, patterns: Patterns, gold: Gold | None, confidence: float, seed: int) -> Row:
    fitted = estimator.fit(patterns)
    if gold is not None and len(gold.system):
        audited = audit(patterns, fitted, gold, confidence=confidence)
        figures: Row = {
            "accuracy": audited.accuracy,
            "se": audited.se,
            "low": audited.low,
            "high": audited.high,
        }
        n = {"n_items": patterns.count(patterns.answered), "n_gold": len(gold.system)}
        warnings = audited.warnings
    else:
        error = estimator.interval(patterns, fitted, confidence, seed)
        figures = {"accuracy": fitted.accuracy, "se": error.se, "low": error.low, "high": error.high}
        figures |= {"reason": fitted.reason, "detail": fitted.detail}
        n = {"n_items": fitted.n_items, "n_gold": 0}
        warnings = (*fitted.warnings, *error.warnings, *_no_gold_used(gold))
    return {"system": system, "method": estimator.name, **figures, **n, "warnings": list(warnings)}


def _no_gold_used(gold: Gold | None) -> tuple[str, ...]:
    if gold is None:
        return ()
    return (f"None of the {gold.n_elsewhere} gold items is among the items this system answered: it is not audited.",)


def _with_spread(rows: list[Row]) -> list[Row]:
    """Add the range across methods, where there is more than one."""
    found = [value for row in rows if isinstance(value := row["accuracy"], float)]
    if len(rows) < 2 or not found:
        return rows
    return [{**row, "spread_low": min(found), "spread_high": max(found)} for row in rows]


def _bin_rows(system: str, bins: lehner.Bins) -> list[Row]:
    return [
        {
            "system": system,
            "bin_low": b / lehner.N_BINS,
            "bin_high": (b + 1) / lehner.N_BINS,
            "mean_posterior": float(bins.P_g[0, b]),
            "n_items": int(bins.n[0, b]),
            "agreement": float(bins.P_a[0, b]),
            "estimate": None if np.isnan(bins.P_s[0, b]) else float(bins.P_s[0, b]),
        }
        for b in np.flatnonzero(bins.n[0])
    ]
