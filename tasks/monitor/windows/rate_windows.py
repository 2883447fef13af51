"""Compute label rates in windows: what share of the items that a system answered has each label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.gold.gold_rows import LEAST_GOLD
from stats.accuracy.gold.gold_weights import scaled
from stats.accuracy.rates.label_rates import FEW_GOLD, corrected_rates, share_of
from stats.accuracy.rates.prediction_powered_mean import wilson_intervals
from stats.accuracy.rates.rogan_gladen import corrected, on_gold
from stats.arrays import FloatArray, IntArray
from stats.trends.fixed_raters import FixedRaters
from stats.trends.rate_trends import indicators, rate_trends
from tasks.evaluate.agreement import audited_raters
from tasks.evaluate.gold.gold_inclusion import Inclusion, weighted_gold
from tasks.evaluate.gold.usable_gold import gold_of, usable_gold
from tasks.monitor.windows.label_windows import MAX_LABELS, in_windows
from tasks.monitor.windows.quality_windows import CodedPatterns, anchor_of
from tasks.monitor.windows.window_spans import WINDOW, ItemWindows, WindowSettings

FIGURES: dict[str, Any] = {
    "system": pl.String,
    "label": pl.String,
    "method": pl.String,
    **dict.fromkeys(("estimate", "low", "high", "outer_low", "outer_high"), pl.Float64),
    **dict.fromkeys(("n_items", "n_gold"), pl.Int64),
    **dict.fromkeys(("reason", "detail"), pl.String),
    "confidence": pl.Float64,
    "too_few": pl.Boolean,
}
SHOWN = ("method", "estimate", "low", "high", "n_items", "n_gold", "reason", "detail")
OWN_GOLD = {"window": pl.Int64, "code": pl.Int64, **{name: FIGURES[name] for name in SHOWN}}
Gold = tuple[
    IntArray, FloatArray | None
]  # code of the right label of each pattern, -1 without gold; weight of its items
NO_RATES: Mapping[str, pl.DataFrame] = {"label_rate_windows": pl.DataFrame(schema={**WINDOW, **FIGURES})}
RATES = {"system": pl.String, "label": pl.String, **dict.fromkeys(("estimate", "low", "high"), pl.Float64)}
NOT_EVALUATED = ("not_identified", "The last evaluation has no rate of this label over all items.")
NO_MODEL = ("not_identified", "The ratings of the people do not tell which labels are right.")
FEW_ITEMS = ("too_few_items", "A rate takes two items that people rated.")
Columns = dict[str, Any]


@dataclass(frozen=True)
class RateOptions:
    """Confidence of the intervals, and tau of the outer ones."""

    confidence: float
    outer_error: float


def rate_rows(
    label_patterns: pl.DataFrame,
    coded: CodedPatterns,
    labels: Sequence[str],
    windows: ItemWindows,
    model: FixedRaters | None,
    rates: pl.DataFrame,
    *,
    options: RateOptions,
    settings: WindowSettings,
    inclusion: Inclusion | None = None,
) -> dict[str, pl.DataFrame]:
    """Compute the rows of the table `label_rate_windows`. A question with more than MAX_LABELS labels has no rows.

    label_patterns: patterns with declared labels. model: from `known_raters`, None of a question that no person rates.
    rates: system, label, estimate, low, high of the method model over all items, by the last evaluation.

    With gold, `rogan_gladen` has sensitivity and specificity from all gold items, as if the system erred alike in all
    windows, and `ppi` has the gold items of the window alone, where there are two or more. Without gold, `model` has
    the raters' accuracies of the last evaluation (`stats.trends.rate_trends`). `raw` is what the system says. Of a
    question that no person rates there is no `model`.
    """
    if not coded.systems or len(labels) > MAX_LABELS:
        return dict(NO_RATES)
    gold, _ = usable_gold(gold_of(label_patterns), label_patterns, audited_raters(label_patterns))
    gold = weighted_gold(gold, inclusion)
    truth = None if gold is None else coded.codes_of(gold, labels)
    weight = None if gold is None or inclusion is None else coded.weights_of(gold)
    z = None
    if truth is None and model is not None:
        z = indicators(model.posteriors(), coded.humans.n_items.astype(np.float64))
    none = NO_RATES["label_rate_windows"]
    rows = [
        pl.DataFrame(schema={"window": pl.Int64, "code": pl.Int64, **FIGURES}).drop("label", "confidence", "too_few")
    ]
    for system, name in enumerate(coded.systems):
        answered = _answers_of(coded, system, len(labels))
        counts = coded.units.sum(answered)
        tables = [_raw(counts, options)]
        if truth is not None:
            tables += [by(coded, answered, (truth, weight), counts, options) for by in (_by_gold, _by_own_gold)]
        elif model is not None:
            of_system = rates.filter(system=name).rename({"label": "subject", "estimate": "accuracy"})
            tables.append(_by_model(coded, answered, z, of_system, labels, options))
        rows += [part.with_columns(system=pl.lit(name)) for part in tables]
    names = pl.DataFrame({"label": list(labels)}, schema={"label": pl.String}).with_row_index("code")
    names = names.with_columns(pl.col("code").cast(pl.Int64))
    placed_rows = pl.concat(rows, how="diagonal").join(names, on="code", maintain_order="left").drop("code")
    placed = in_windows(placed_rows, windows, options.confidence, settings)
    return {"label_rate_windows": placed.select(none.columns).cast(dict(none.schema))}  # type: ignore[arg-type]


def _answers_of(coded: CodedPatterns, system: int, k: int) -> FloatArray:
    """Return 1 where the system gave the label to the pattern, else 0 (patterns, k)."""
    pattern, label = coded.answers[system]
    answered = np.zeros((len(coded.humans.n_items), k))
    answered[pattern, label] = 1
    return answered


def _raw(counts: FloatArray, options: RateOptions) -> pl.DataFrame:
    n = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(n, 1)
    low, high = wilson_intervals(share, np.maximum(n, 1), options.confidence)
    return _rows("raw", n[:, 0], {"estimate": share, "low": low, "high": high})


def _by_gold(
    coded: CodedPatterns, answered: FloatArray, gold: Gold, counts: FloatArray, options: RateOptions
) -> pl.DataFrame:
    """Return the share that the system gives, corrected by how it errs on all gold items."""
    n, k = counts.sum(axis=1, keepdims=True), answered.shape[1]
    answer, right, weight = _gold_rows(coded, answered, gold)
    values, whys = np.full((3, *counts.shape), np.nan), [("too_few_gold", FEW_GOLD)] * k
    for label in range(k) if len(right) >= LEAST_GOLD else ():
        chances = on_gold(share_of(label, answer, right, weight, np.zeros(k)))
        whys[label] = chances.why or ("", "")
        if chances.why is None:
            share, size = counts[:, label] / np.maximum(n[:, 0], 1), np.maximum(n[:, 0], 1)
            values[:, :, label] = corrected(chances, share, size, options.confidence, among=False)
    figures = dict(zip(("estimate", "low", "high"), values, strict=True))
    return _rows("rogan_gladen", n[:, 0], figures, whys).with_columns(n_gold=pl.lit(len(right), pl.Int64))


def _by_own_gold(
    coded: CodedPatterns, answered: FloatArray, gold: Gold, counts: FloatArray, options: RateOptions
) -> pl.DataFrame:
    """Return the prediction-powered rates of the windows that have enough gold items themselves."""
    (truth, weight), k = gold, answered.shape[1]
    if weight is not None:  # a window has too few gold items to weight them
        return pl.DataFrame(schema=OWN_GOLD)
    pairs = np.zeros((len(answered), k, k))
    gold_patterns = np.flatnonzero((truth >= 0) & (answered.sum(axis=1) > 0))
    pairs[gold_patterns, answered[gold_patterns].argmax(axis=1), truth[gold_patterns]] = 1
    of_window = coded.units.sum(pairs.reshape(len(answered), k * k)).astype(np.int64)
    rows: list[Columns] = []
    for window in np.flatnonzero(of_window.sum(axis=1) >= LEAST_GOLD):
        pair = np.repeat(np.arange(k * k), of_window[window])
        rates = corrected_rates(counts[window], pair // k, pair % k, None, options.confidence)
        rows += [{"window": int(window), "code": label, **row} for label, row in rates if row["method"] == "ppi"]
    return pl.DataFrame(rows, schema=OWN_GOLD)


def _by_model(
    coded: CodedPatterns, answered: FloatArray, z: FloatArray | None, rates: pl.DataFrame, labels: Sequence[str],
    options: RateOptions,
) -> pl.DataFrame:  # fmt: skip
    """Return the base rates by the raters, at the level of the last evaluation."""
    counts = coded.units.sum(answered)
    n, empty = counts.sum(axis=1), np.full(counts.shape, np.nan)
    if z is None:
        return _rows("model", n, dict.fromkeys(("estimate", "low", "high"), empty), [NO_MODEL] * len(labels))
    anchor = anchor_of(rates, labels, options.confidence)
    trends = rate_trends(
        z, answered.sum(axis=1), coded.humans.n_items.astype(np.float64), coded.units, anchor,
        confidence=options.confidence, outer_error=options.outer_error,
    )  # fmt: skip
    figures = {
        "estimate": trends.rates.accuracy, "low": trends.rates.low, "high": trends.rates.high,
        "outer_low": trends.outer_low, "outer_high": trends.outer_high,
    }  # fmt: skip
    whys = [NOT_EVALUATED if np.isnan(each) else FEW_ITEMS for each in anchor.accuracy]
    return _rows("model", n, figures, whys)


def _gold_rows(coded: CodedPatterns, answered: FloatArray, gold: Gold) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the system's label, the right label and the weight of each gold item that the system answered."""
    truth, weight = gold
    gold_patterns = np.flatnonzero((truth >= 0) & (answered.sum(axis=1) > 0))
    times = coded.humans.n_items[gold_patterns]
    rows = np.repeat(gold_patterns, times)
    w = scaled(None if weight is None else weight[rows], len(rows))
    return answered[rows].argmax(axis=1), truth[rows], w


def _rows(
    method: str, n: FloatArray, figures: Mapping[str, FloatArray], whys: Sequence[tuple[str, str]] = ()
) -> pl.DataFrame:
    """Return a row per window and label. whys: for each label, why a figure is undefined."""
    window, code = (place.ravel() for place in np.indices(next(iter(figures.values())).shape))
    frame = pl.DataFrame({"window": window, "code": code, **{name: values.ravel() for name, values in figures.items()}})
    undefined = pl.col("estimate").is_null()
    return frame.with_columns(pl.col(*figures).fill_nan(None)).with_columns(
        method=pl.lit(method),
        n_items=pl.Series(n.astype(np.int64)[window]),
        n_gold=pl.lit(0, pl.Int64),
        reason=pl.when(undefined).then(pl.Series([why[0] for why in whys], dtype=pl.String).gather(code)) if whys
        else pl.lit(None, pl.String),
        detail=pl.when(undefined).then(pl.Series([why[1] for why in whys], dtype=pl.String).gather(code)) if whys
        else pl.lit(None, pl.String),
    )  # fmt: skip
