"""Label rates: what share of the items that a system answered has each label, such as a pass rate.

With gold the rate that the system's answers show (`raw`) is corrected: `ppi` (see
`stats.accuracy.rates.prediction_powered_mean`), `rogan_gladen` beside it, and `gold_only`, which uses the gold items
alone. Without gold `model` is the base rate by the models of `average`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from stats.accuracy.arguments import check_confidence
from stats.accuracy.fitting.estimator import SystemPatterns
from stats.accuracy.fitting.outer_interval import check_outer_error
from stats.accuracy.gold.audit import check_gold, gold_items
from stats.accuracy.gold.gold_rows import LEAST_GOLD
from stats.accuracy.gold.gold_weights import ALIKE, covariance, effective_share, scaled
from stats.accuracy.prepared_ratings import prepared
from stats.accuracy.rates.base_rates import base_rates
from stats.accuracy.rates.prediction_powered_mean import PredictedShare, powered_interval, powered_mean, wilson
from stats.accuracy.rates.rogan_gladen import rogan_gladen
from stats.arrays import FloatArray, IntArray
from stats.defaults import OUTER_ERROR

RATES_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "system": pl.String,
    "label": pl.String,
    "method": pl.String,
    "estimate": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "outer_low": pl.Float64,
    "outer_high": pl.Float64,
    "n_items": pl.Int64,
    "n_gold": pl.Int64,
    "reason": pl.String,
    "detail": pl.String,
}
Row = dict[str, object]
FEW_GOLD = f"The system answered fewer than {LEAST_GOLD} of the gold items, so its answers are not corrected."


def label_rates(
    ratings: Any,
    *,
    systems: Sequence[str],
    labels: Sequence[str],
    scale: str = "nominal",
    gold: Any = None,
    confidence: float = 0.95,
    outer_error: float = OUTER_ERROR,
) -> pl.DataFrame:
    """Return the share of each system's items that has each label: one row per system, label and method.

    Columns: system, label, method, estimate, low, high, outer_low and outer_high (of `model`), n_items (items that the
    system answered; for `model` those that a human rated too), n_gold (gold items behind the figure), reason and detail
    where the estimate is null.

    Arguments are as for `stats.accuracy.accuracy`, and so are the errors.

    `ppi`, `gold_only` and `rogan_gladen` assume that the gold items are a random sample of the items that the system
    answered, or were drawn with the probabilities in the column inclusion_probability of `gold`. `raw` is what the
    system says, right or wrong. Its interval is that of the share it gives a label, and not of the share that has it.
    Wilson's intervals; for `ppi` with as many items as the estimate is worth.

    >>> rows = [(str(i), rater, "AB"[i % 2]) for i in range(40) for rater in ("ann", "bob", "bot")]
    >>> frame = pl.DataFrame(rows, schema=["item", "rater", "label"], orient="row")
    >>> gold = pl.DataFrame({"item": ["0", "1", "2", "3"], "label": ["A", "B", "A", "B"]})
    >>> label_rates(frame, systems=["bot"], labels=["A", "B"], gold=gold).select("label", "method", "estimate").row(0)
    ('A', 'ppi', 0.5)
    """
    check_confidence(confidence)
    check_outer_error(outer_error)
    prepared_ratings = prepared(ratings, systems=systems, labels=labels, scale=scale, audited=gold is not None)
    if gold is not None:
        gold = check_gold(gold, labels=labels)
    rows: list[Row] = []
    for system in prepared_ratings.systems:
        if gold is None:
            rates = _without_gold(prepared_ratings.patterns(system, by_rater=True), confidence, outer_error)
        else:
            patterns = prepared_ratings.patterns(system, by_rater=False)
            golds = gold_items(
                prepared_ratings.ratings,
                gold,
                system=system,
                systems=prepared_ratings.systems,
                labels=prepared_ratings.labels,
            )
            rates = corrected_rates(_answers(patterns), golds.system, golds.truth, golds.weight, confidence)
        rows += [{"system": system, "label": prepared_ratings.labels[label], **row} for label, row in rates]
    return pl.DataFrame(rows, schema=RATES_SCHEMA)


def corrected_rates(
    answers: FloatArray, answered: IntArray, truth: IntArray, weight: FloatArray | None, confidence: float
) -> list[tuple[int, Row]]:
    """Return (label code, row) for each label and method, from a system's answers and its gold items.

    answers (k,) counts all items by the system's label. given and truth (m,) are the codes of the gold items' labels,
    by the system and right. weight (m,) is None where each gold item was as likely to be drawn.
    """
    n, m = int(answers.sum()), len(truth)
    rest = answers - np.bincount(answered, minlength=len(answers))
    w = scaled(weight, m)
    rows: list[tuple[int, Row]] = []
    for label in range(len(answers)):
        if m < LEAST_GOLD:
            why = {"n_items": n, "n_gold": m, "reason": "too_few_gold", "detail": FEW_GOLD}
            rows += [(label, {"method": name, **why}) for name in ("ppi", "rogan_gladen", "gold_only")]
        else:
            share = share_of(label, answered, truth, w, rest)
            rows += [(label, {"n_items": n, "n_gold": m, **row}) for row in _corrected(share, confidence)]
        rows.append((label, raw_rate(float(answers[label]), n, confidence)))
    return rows


def share_of(label: int, answered: IntArray, truth: IntArray, weight: FloatArray, rest: FloatArray) -> PredictedShare:
    """Return one label against the others. rest (k,) counts the items without gold by the system's label."""
    has, predicted = (np.asarray(codes == label, dtype=np.float64) for codes in (truth, answered))
    unequal = bool(len(weight) and np.ptp(weight) > ALIKE)
    return PredictedShare(has, predicted, weight, round(float(rest.sum())), float(rest[label]), unequal)


def raw_rate(n_label: float, n: int, confidence: float) -> Row:
    """Return the row of the share that the system gives a label."""
    if not n:
        return {"method": "raw", "n_items": 0, "n_gold": 0, "reason": "too_few_items", "detail": "It answered no item."}
    low, high = wilson(n_label / n, n, confidence)
    return {"method": "raw", "estimate": n_label / n, "low": low, "high": high, "n_items": n, "n_gold": 0}


def _corrected(share: PredictedShare, confidence: float) -> list[Row]:
    powered = powered_mean(share)
    low, high = powered_interval(share, powered, confidence)
    ppi: Row = {"method": "ppi", "estimate": min(max(powered.estimate, 0.0), 1.0), "low": low, "high": high}
    inverse = rogan_gladen(share, confidence)
    own: Row = {"method": "rogan_gladen", "estimate": inverse.estimate, "low": inverse.low, "high": inverse.high}
    if inverse.why is not None:
        own |= {"reason": inverse.why[0], "detail": inverse.why[1]}
    alone, w = float((share.weight * share.Y).mean()), share.weight
    variance = covariance(w, share.Y, share.Y) / len(w)
    size = len(w) * effective_share(w)
    if share.unequal and variance > alone * (1 - alone) / size:
        size = alone * (1 - alone) / variance
    low, high = wilson(alone, size, confidence)
    return [ppi, own, {"method": "gold_only", "estimate": alone, "low": min(low, alone), "high": max(high, alone)}]


def _without_gold(patterns: SystemPatterns, confidence: float, outer_error: float) -> list[tuple[int, Row]]:
    answered, n_rated = _answers(patterns), patterns.count(patterns.rated & patterns.answered)
    n = int(answered.sum())
    rows: list[tuple[int, Row]] = []
    for label, row in enumerate(base_rates(patterns, confidence, outer_error)):
        rows.append((label, {"method": "model", "n_items": n_rated, "n_gold": 0, **row}))
        rows.append((label, raw_rate(float(answered[label]), n, confidence)))
    return rows


def _answers(patterns: SystemPatterns) -> FloatArray:
    """Return the items (k,) to which the system gave each label."""
    answered = patterns.answered
    counted = np.bincount(patterns.system[answered], weights=patterns.n_items[answered], minlength=patterns.n_labels)
    return np.asarray(counted, dtype=np.float64)
