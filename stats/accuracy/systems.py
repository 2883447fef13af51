"""Accuracy of systems: every estimator on every system, one row each, and Lehner's bins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy import warnings_in_words
from stats.accuracy.arguments import check_confidence, check_scale, check_seed
from stats.accuracy.estimators import lehner
from stats.accuracy.estimators.attenuation import ATTENUATION
from stats.accuracy.estimators.average import AVERAGE
from stats.accuracy.estimators.binless import BINLESS
from stats.accuracy.estimators.lehner_fit import LEHNER, why_no_accuracy
from stats.accuracy.fitting.estimator import Estimator, Interval, SystemFit, SystemPatterns
from stats.accuracy.fitting.outer_interval import check_outer_error, outer_interval
from stats.accuracy.gold.audit import GoldItems, audit, check_gold, gold_items
from stats.accuracy.gold.gold_rows import LEAST_GOLD, NOT_AUDITED
from stats.accuracy.models.dawid_skene import DAWID_SKENE
from stats.accuracy.models.difficulty import DIFFICULTY
from stats.accuracy.models.one_coin import ONE_COIN
from stats.accuracy.models.ordinal import ORDINAL
from stats.accuracy.models.pooled_free import POOLED_FREE
from stats.accuracy.prepared_ratings import PreparedRatings, prepared
from stats.defaults import OUTER_ERROR
from stats.errors import StatsError, are_different_names
from stats.numeric_labels import EQUAL_NUMBERS
from stats.threads import executor_for

Row = dict[str, object]
Schema = dict[str, pl.DataType | type[pl.DataType]]

ESTIMATORS: dict[str, Estimator] = {
    "average": AVERAGE,
    "lehner": LEHNER,
    "binless": BINLESS,
    "attenuation": ATTENUATION,
    "one_coin": ONE_COIN,
    "pooled_free": POOLED_FREE,
    "ordinal": ORDINAL,
    "dawid_skene": DAWID_SKENE,
    "difficulty": DIFFICULTY,
}
DEFAULT_METHODS = ("average", "lehner", "binless", "attenuation", "one_coin", "pooled_free")
ORDERED_METHODS = (*DEFAULT_METHODS, "ordinal")

FEW_GOLD_OF_SYSTEM = (
    f"The system answered fewer than {LEAST_GOLD} of the gold items, so it is not audited. Do not compare a figure"
    " without audit with audited ones."
)
ACCURACY_SCHEMA: Schema = {
    "system": pl.String,
    "method": pl.String,
    "accuracy": pl.Float64,
    "se": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "outer_low": pl.Float64,
    "outer_high": pl.Float64,
    "spread_low": pl.Float64,
    "spread_high": pl.Float64,
    "n_items": pl.Int64,
    "n_gold": pl.Int64,
    "gold_origin": pl.String,
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


@dataclass(frozen=True)
class Wanted:
    """Which intervals to compute: their confidence, the seed of bootstraps, and tau of the outer interval.

    are_numbers: the labels are numbers of an interval or ratio scale, so that a warning says that only equal ones
    count as right.
    """

    confidence: float
    seed: int
    outer_error: float
    are_numbers: bool = False


def accuracy(
    ratings: Any,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    scale: str = "nominal",
    methods: Sequence[str] | None = None,
    gold: Any = None,
    confidence: float = 0.95,
    seed: int = 0,
    outer_error: float = OUTER_ERROR,
) -> pl.DataFrame:
    """Estimate how often each system is right, in [0, 1], from the human raters of the same items.

    `ratings` holds raters and systems together: text columns item, rater, label, one row per (item, rater), in a frame
    of polars, pandas, Arrow, DuckDB or PySpark. An optional column n_items says how many items, all rated alike, a
    row's item represents (the same in all its rows; 1 by default). The raters named in `systems` are the systems. None
    of them counts as a rater. `labels` is the declared set (2 or more), in the order that breaks ties.

    Without gold, ratings of people who gave nearly always the same label, or the labels of another one, are left out
    (`stats.accuracy.raters.left_out`), with a warning that names these people.

    `methods` are names of ESTIMATORS. None means DEFAULT_METHODS, and also `ordinal` on an ordered scale of three
    labels or more. The first of them, `average`, is the one to quote. `seed` drives the bootstrap. With a `scale`
    other than nominal, the estimators ordinal, difficulty and average use the declared order of the labels.

    Returns one row per system and method: system, method, accuracy, se, low, high, outer_low, outer_high, spread_low,
    spread_high, n_items, n_gold, gold_origin, reason, detail, warnings. `n_items` counts items that the system answered
    and at least one human rated. An undefined accuracy is null, with a reason code and a sentence in detail. The spread
    is the range of the estimates across methods, and across the models that average does not rule out; null where there
    is only one estimate. The interval always holds the estimate. `warnings` is a list of sentences. Read them, above
    all the one on the interval.

    There are two intervals. `low` and `high` hold if people err independently. `outer_low` and `outer_high`, which only
    `average` has, hold if this estimate errs as such estimates did on real data; `outer_error` is how much that is, on
    the logit scale (`stats.accuracy.fitting.outer_interval`). The outer interval always holds the inner one. With gold
    both are the audited one, which needs no model.

    With `gold` (item, label: the right answers of some of the system's items) accuracy, se, low and high are audited
    (`stats.accuracy.gold.audit`). `gold_origin` is 'drawn' if gold has the column inclusion_probability (with which
    probability each item was drawn, the same for all or not). Else it is 'unknown': the audit holds on the condition
    that the gold items are a random sample, and a warning says so. Then `n_gold` counts the gold items used, and
    `n_items` all items the system answered, including those without a human rating. A system with fewer than two gold
    items has no accuracy (`too_few_gold`), because it cannot be compared with audited ones. A gold item counts as often
    as its n_items in `ratings`, or its own n_items in `gold` where no rating has it.

    Gold needs no human raters. Without two of them no model has an estimate, and the gold items alone count.

    Raises StatsError for an unknown system, method or scale, a confidence outside (0, 1), a negative outer_error or
    seed, fewer than two labels, fewer than two human raters without gold, gold that shares no item with any system,
    and ratings that `stats.counts` refuses.

    >>> ratings = pl.DataFrame({
    ...     "item": ["1", "1", "1", "2", "2", "2"], "rater": ["ann", "bob", "bot"] * 2,
    ...     "label": ["A", "A", "A", "B", "B", "A"]})
    >>> accuracy(ratings, systems=["bot"], labels=["A", "B"], methods=["lehner"])["accuracy"].to_list()
    [0.5]
    """
    check_scale(scale)
    chosen = _estimators(methods, ordered=scale != "nominal" and len(labels) > 2)
    check_confidence(confidence)
    check_outer_error(outer_error)
    check_seed(seed)
    prepared_ratings = prepared(ratings, systems=systems, labels=labels, scale=scale, audited=gold is not None)
    if gold is not None:
        gold = check_gold(gold, labels=labels)
    wanted = Wanted(confidence, seed, outer_error, scale in ("interval", "ratio"))
    return pl.DataFrame(_rows(prepared_ratings, chosen, gold, wanted), schema=ACCURACY_SCHEMA)


def _rows(
    prepared_ratings: PreparedRatings, chosen: Sequence[Estimator], gold: pl.DataFrame | None, wanted: Wanted
) -> list[Row]:
    """Return a row per system and estimator. Raises StatsError if no system answered a gold item."""
    kinds = {estimator.by_rater for estimator in chosen}
    left_out = prepared_ratings.left_out.warnings()

    def of_system(system: str) -> tuple[list[Row], GoldItems | None]:
        patterns = {by_rater: prepared_ratings.patterns(system, by_rater=by_rater) for by_rater in kinds}
        on_gold = None if gold is None else _gold_items(prepared_ratings, gold, system)
        rows = [_row(system, each, patterns[each.by_rater], on_gold, wanted, left_out) for each in chosen]
        return _with_spread(rows), on_gold

    with executor_for(prepared_ratings.ratings.height) as executor:
        results = list(executor.map(of_system, prepared_ratings.systems))
    gold_of_systems = [on_gold for _, on_gold in results if on_gold is not None]
    if gold_of_systems and not any(len(on_gold.system) for on_gold in gold_of_systems):
        raise StatsError(
            f"None of the gold items ({gold_of_systems[-1].n_elsewhere}) is among the items that"
            f" {', '.join(prepared_ratings.systems)} answered. Check that both files use the same item ids."
        )
    return [row for rows, _ in results for row in rows]


def _gold_items(prepared_ratings: PreparedRatings, gold: pl.DataFrame, system: str) -> GoldItems:
    return gold_items(
        prepared_ratings.ratings,
        gold,
        system=system,
        systems=prepared_ratings.systems,
        labels=prepared_ratings.labels,
    )


def bins(ratings: Any, *, systems: Sequence[str], labels: Sequence[str]) -> pl.DataFrame:
    """Return Lehner's table of bins (his Table 4) for each system, in ascending order, without empty bins.

    Columns: system; bin_low and bin_high (the bin is closed on the right); mean_posterior of the raters' top label;
    n_items; agreement of the system with that label; estimate of the system's accuracy in the bin, clipped to [0, 1],
    null for a bin without information. A system with an undefined accuracy has no rows. Raises as `accuracy`.
    """
    rows: list[Row] = []
    prepared_ratings = prepared(ratings, systems=systems, labels=labels, scale=None)
    for system in systems:
        patterns = prepared_ratings.patterns(system, by_rater=False)
        W = patterns.n_items[None, :].astype(np.float64)
        raters = lehner.rater_figures(patterns.C, W)
        if why_no_accuracy(raters, patterns.C, patterns.n_items) is None:
            rows += _bin_rows(system, lehner.bin_figures(patterns.C, patterns.system, W, raters))
    return pl.DataFrame(rows, schema=BINS_SCHEMA)


def _estimators(methods: Sequence[str] | None, *, ordered: bool) -> list[Estimator]:
    names = methods if methods is not None else ORDERED_METHODS if ordered else DEFAULT_METHODS
    if not are_different_names(names):
        raise StatsError(
            f"Methods are a list of different names, found {names!r}. Choose from {', '.join(ESTIMATORS)}."
        )
    unknown = [name for name in names if name not in ESTIMATORS]
    if unknown:
        raise StatsError(f"There is no method {unknown[0]!r}. Choose from {', '.join(ESTIMATORS)}.")
    return [ESTIMATORS[name] for name in names]


def _row(
    system: str,
    estimator: Estimator,
    patterns: SystemPatterns,
    gold: GoldItems | None,
    wanted: Wanted,
    left_out: list[str],
) -> Row:
    fitted = estimator.fit(patterns)
    n_gold = 0 if gold is None else len(gold.system)
    if gold is not None and n_gold < LEAST_GOLD:
        n_items = patterns.count(patterns.answered)
        shared: Row = {"system": system, "method": estimator.name, "n_items": n_items, "n_gold": n_gold,
                       "gold_origin": gold.origin}  # fmt: skip
        return shared | {"reason": NOT_AUDITED, "detail": FEW_GOLD_OF_SYSTEM, "warnings": []}
    if gold is not None:
        audited = audit(patterns, fitted, gold, confidence=wanted.confidence)
        figures: Row = {
            "accuracy": audited.accuracy,
            "se": audited.se,
            "low": audited.low,
            "high": audited.high,
            "gold_origin": gold.origin,
        }
        if estimator is AVERAGE:
            figures |= {"outer_low": audited.low, "outer_high": audited.high}
        n = {"n_items": patterns.count(patterns.answered), "n_gold": len(gold.system)}
        warnings = audited.warnings
    else:
        error = estimator.interval(patterns, fitted, wanted.confidence, wanted.seed)
        figures = {"accuracy": fitted.accuracy, "se": error.se, "low": error.low, "high": error.high}
        figures |= {"reason": fitted.reason, "detail": fitted.detail, **_outer(fitted, error, wanted)}
        n = {"n_items": fitted.n_items, "n_gold": 0}
        warnings = (*fitted.warnings, *error.warnings)
        if estimator is AVERAGE and fitted.accuracy is not None:
            other = DAWID_SKENE.fit(patterns).accuracy  # its model is solved already, for the outer interval
            warnings = (*warnings, *warnings_in_words.on_dawid_skene(fitted.accuracy, other))
        warnings = (*warnings, *warnings_in_words.on_outer_interval(figures))
    if wanted.are_numbers and figures["accuracy"] is not None:
        warnings = (*warnings, EQUAL_NUMBERS)
    row: Row = {"system": system, "method": estimator.name, **figures, **n, "warnings": [*warnings, *left_out]}
    if fitted.spread is None or gold is not None:  # with gold the range is that of audited figures
        return row
    return row | {"spread_low": fitted.spread[0], "spread_high": fitted.spread[1]}


def _outer(fitted: SystemFit, inner: Interval, wanted: Wanted) -> Row:
    """Return the outer interval of a method that has one."""
    variance = None if fitted.outer_variance is None or inner.low is None else fitted.outer_variance()
    if variance is None or fitted.accuracy is None:
        return {}
    ends = outer_interval(fitted.accuracy, variance, inner, wanted.confidence, wanted.outer_error)
    return {} if ends is None else {"outer_low": ends[0], "outer_high": ends[1]}


def _with_spread(rows: list[Row]) -> list[Row]:
    """Add the range of the estimates to each row, where there are several.

    The range is taken across methods, and across the models that a method averages over.
    """
    names = ("accuracy", "spread_low", "spread_high")
    values = [value for row in rows for name in names if isinstance(value := row.get(name), float)]
    if not values or (len(rows) < 2 and len(values) < 2):
        return rows
    return [{**row, "spread_low": min(values), "spread_high": max(values)} for row in rows]


def _bin_rows(system: str, bins: lehner.CertaintyBins) -> list[Row]:
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
