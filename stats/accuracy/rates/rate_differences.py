"""Differences of prediction-powered label rates, between the items of one version of a system and those of another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.arguments import check_confidence
from stats.accuracy.gold.audit import check_gold, written_out
from stats.accuracy.gold.gold_rows import LEAST_GOLD
from stats.accuracy.gold.gold_weights import ALIKE, effective_share, scaled, weights_of
from stats.accuracy.gold.prediction_powered import quantile
from stats.accuracy.item_counts import codes
from stats.accuracy.rates.label_rates import FEW_GOLD
from stats.accuracy.rates.prediction_powered_mean import PredictedShare, powered_mean, smoothed_variance
from stats.arrays import FloatArray, IntArray
from stats.ratings import N_ITEMS, polars_frame

DIFFERENCES_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "system_a": pl.String,
    "system_b": pl.String,
    "label": pl.String,
    "method": pl.String,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n_gold": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
}
Row = dict[str, object]


@dataclass(frozen=True)
class _Answers:
    """The items that any of the systems answered, or as many rows as an item represents if it has gold.

    n_items (p,), truth (p,): code of the right label, -1 without gold; given: each system's codes (p,), -1 for none.
    weight (p,) is 1 for items without gold, and where all gold items were as likely to be drawn.
    """

    n_items: FloatArray
    truth: IntArray
    answers: dict[str, IntArray]
    weight: FloatArray  # what each item with gold stands for


@dataclass(frozen=True)
class _RateInfluence:
    """A rate with its variance, and how far each item (p,) moves it."""

    rate: float
    variance: float
    moved: FloatArray


def rate_differences(
    ratings: Any, *, systems: Sequence[str], labels: Sequence[str], gold: Any, confidence: float = 0.95
) -> pl.DataFrame:
    """Return how the `ppi` rate of each label differs between every two of the systems, usually versions of one.

    Columns: system_a, system_b, label, method (ppi), difference (the rate over B's items less that over A's), low,
    high, n_gold (gold items that either answered), reason and detail where it is null. `ratings` and `gold` are as for
    `stats.accuracy.accuracy`. Each system may have answered other items.

    Student's t interval, with the degrees of freedom of the system with fewer gold items. An item that both answered
    moves both rates: the variance of the difference is less by twice the covariance that this makes. Each rate's
    variance is that of its own interval (`stats.accuracy.rates.prediction_powered_mean.smoothed_variance`).
    """
    check_confidence(confidence)
    answers = _answers(polars_frame(ratings), check_gold(gold, labels=labels), systems, labels)
    rows = [
        {"system_a": a, "system_b": b, "label": label, "method": "ppi", **_difference(answers, a, b, code, confidence)}
        for i, a in enumerate(systems)
        for b in systems[i + 1 :]
        for code, label in enumerate(labels)
    ]
    return pl.DataFrame(rows, schema=DIFFERENCES_SCHEMA)


def _answers(ratings: pl.DataFrame, gold: pl.DataFrame, systems: Sequence[str], labels: Sequence[str]) -> _Answers:
    if N_ITEMS not in ratings.columns:
        ratings = ratings.with_columns(pl.lit(1, pl.Int64).alias(N_ITEMS))
    text = pl.col("item", "label").cast(pl.String)
    own = ratings.filter(pl.col("rater").is_in(list(systems))).with_columns(text)
    items = own.select("item", N_ITEMS).unique("item").sort("item")
    golds = written_out(gold.with_columns(text), own).rename({"label": "truth"})
    weight = weights_of(golds)
    golds = golds.with_columns(weight=pl.lit(1.0) if weight is None else pl.Series(weight))
    frame = items.join(golds, on="item", how="left", maintain_order="left")
    names = pl.Series(list(labels), dtype=pl.String)
    system_answers = {}
    for system in systems:
        answer = own.filter(pl.col("rater") == system).select("item", answer="label")
        system_answers[system] = codes(
            frame.join(answer, on="item", how="left", maintain_order="left")["answer"], names
        )
    truth = codes(frame["truth"], names)
    counts = np.where(truth >= 0, 1.0, frame[N_ITEMS].to_numpy())
    return _Answers(counts, truth, system_answers, frame["weight"].fill_null(1.0).to_numpy())


def _difference(of: _Answers, a: str, b: str, label: int, confidence: float) -> Row:
    gold = [(of.answers[system] >= 0) & (of.truth >= 0) for system in (a, b)]
    least, either = min(int(each.sum()) for each in gold), int((gold[0] | gold[1]).sum())
    if least < LEAST_GOLD:
        return {"n_gold": either, "reason": "too_few_gold", "detail": FEW_GOLD}
    first, other = (_influence(of, of.answers[system], label) for system in (a, b))
    difference = other.rate - first.rate
    covariance = float((of.n_items * first.moved * other.moved).sum())
    unsmoothed = float((of.n_items * (other.moved - first.moved) ** 2).sum())
    degrees = min(float(each.sum()) * effective_share(of.weight[each]) for each in gold) - 1
    half = (
        quantile(max(degrees, 1.0), confidence)
        * max(first.variance + other.variance - 2 * covariance, unsmoothed) ** 0.5
    )
    return {
        "difference": difference,
        "low": max(-1.0, difference - half),
        "high": min(1.0, difference + half),
        "n_gold": either,
    }


def _influence(of: _Answers, answered: IntArray, label: int) -> _RateInfluence:
    """Return a system's rate of the label, its variance, and how far each item moves it."""
    audited, rest = (answered >= 0) & (of.truth >= 0), (answered >= 0) & (of.truth < 0)
    Y, F = (np.asarray(each == label, dtype=np.float64) for each in (of.truth, answered))
    n_rest = float(of.n_items[rest].sum())
    w = scaled(of.weight[audited], int(audited.sum()))
    unequal = bool(np.ptp(w) > ALIKE)
    share = PredictedShare(Y[audited], F[audited], w, round(n_rest), float(of.n_items[rest] @ F[rest]), unequal)
    mean, moved = powered_mean(share), np.zeros(len(answered))
    residual = Y[audited] - mean.lam * F[audited]
    moved[audited] = w * (residual - (w * residual).mean()) / audited.sum()
    if share.unequal:  # the predicted share is that of all items
        either = audited | rest
        moved[either] += mean.lam * (F[either] - share.of_all) / share.n
    elif n_rest:
        moved[rest] = mean.lam * (F[rest] - share.rest) / n_rest
    return _RateInfluence(min(max(mean.estimate, 0.0), 1.0), smoothed_variance(share, mean)[1], moved)
