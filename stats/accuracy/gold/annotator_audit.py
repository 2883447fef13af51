"""Gold audit of the human raters, all together and one by one, prediction-powered as for a system.

All raters together are audited item by item, because the ratings of an item tend to be wrong together. The right
ratings of an item are a mean of several values, so the share of right ratings is a ratio of two such means. The
correction this makes to the model is applied to each rater's accuracy first. The rater's own gold items then correct
it further.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.accuracy.gold.audit import combined
from stats.accuracy.gold.audit_notes import on_sample
from stats.accuracy.gold.gold_rows import LEAST_GOLD, GoldRows, Influence, gold_rows, influence
from stats.accuracy.gold.gold_weights import effective_share, is_drawn, scaled
from stats.accuracy.gold.prediction_powered import Score, prediction_powered, quantile
from stats.accuracy.raters.annotator_fit import AnnotatorFit
from stats.arrays import FloatArray
from stats.patterns import RatingPatterns, counts_of


@dataclass(frozen=True)
class AuditedFigure:
    """A prediction-powered accuracy, combined with the model.

    - accuracy, variance: of the combination with the model.
    - unbiased, se: the estimate without the model's accuracy.
    - n_gold: gold items behind it.
    - influence: how each gold row moves it, and the degrees of freedom of the interval.
    """

    accuracy: float
    variance: float
    unbiased: float
    se: float
    n_gold: int
    influence: Influence

    def interval(self, accuracy: float, confidence: float) -> tuple[float, float]:
        """Return Student's t interval about the unbiased estimate, widened where it would not hold the accuracy."""
        half = quantile(self.influence.degrees, confidence) * self.se
        return max(0.0, min(self.unbiased - half, accuracy)), min(1.0, max(self.unbiased + half, accuracy))


@dataclass(frozen=True)
class AnnotatorAudit:
    """The audit of all raters together and of each rater; None for raters with too few gold items.

    n_gold counts the gold items that a human rated. sample_note says how they were chosen.
    """

    together: AuditedFigure | None
    each: list[AuditedFigure | None]
    n_gold: int
    sample_note: str


@dataclass(frozen=True)
class _Evidence:
    """The gold rows, and what the posterior says of the ratings.

    - P (g, k): posterior of each row's labels.
    - n_ratings (r,): ratings of each rater.
    - expected (r,): how many of these are right by the posterior.
    - n: items with a human rating.
    """

    rows: GoldRows
    P: FloatArray
    n_ratings: FloatArray
    expected: FloatArray
    n: int


def audit_annotators(
    humans: RatingPatterns, fitted: AnnotatorFit | None, ratings: pl.DataFrame, gold: pl.DataFrame,
    *, raters: Sequence[str], labels: Sequence[str],
) -> AnnotatorAudit:  # fmt: skip
    """Audit the raters of these patterns. `ratings` holds their ratings of the gold items.

    Without a fit only gold counts.
    """
    rows = gold_rows(ratings, gold, systems=(), raters=raters, labels=labels)
    evidence = _evidence(humans, fitted, rows)
    n_gold = int((rows.C.sum(axis=1) > 0).sum())
    note = on_sample(drawn=is_drawn(gold), weighted=rows.weight is not None)
    if n_gold < LEAST_GOLD:
        return AnnotatorAudit(None, [None] * len(raters), n_gold, note)
    together = _together(evidence, fitted)
    moved = together.accuracy - (together.accuracy if fitted is None else fitted.accuracy)
    each = [_audited_rater(evidence, fitted, rater, moved, together.variance) for rater in range(len(raters))]
    return AnnotatorAudit(together, each, n_gold, note)


def _evidence(humans: RatingPatterns, fitted: AnnotatorFit | None, rows: GoldRows) -> _Evidence:
    C, row_of = counts_of(humans)
    posterior = fitted.posterior(C) if fitted is not None else np.zeros(C.shape)
    weight = humans.n_items[humans.pattern].astype(np.float64)
    right = weight * posterior[row_of[humans.pattern], humans.label]
    of_rater = [np.bincount(humans.rater, weights=each, minlength=humans.n_raters) for each in (weight, right)]
    n_ratings, expected = (np.asarray(each, dtype=np.float64) for each in of_rater)
    P = fitted.posterior(rows.C) if fitted is not None else np.zeros(rows.C.shape)
    return _Evidence(rows, P, n_ratings, expected, int(humans.n_items.sum()))


def _together(of: _Evidence, fitted: AnnotatorFit | None) -> AuditedFigure:
    """Audit all raters together.

    The estimate is the share of right ratings on the gold items + lambda (the share by the posterior over all items -
    that on the gold items).
    """
    used = of.rows.C.sum(axis=1) > 0
    C, P = of.rows.C[used].astype(np.float64), of.P[used]
    n_ratings, m = C.sum(axis=1), len(C)
    w = scaled(None if of.rows.weight is None else of.rows.weight[used], m)
    y, f = C[np.arange(len(C)), of.rows.truth[used]], (C * P).sum(axis=1)
    mean, effective = float((w * n_ratings).mean()), effective_share(w)
    Y, F = float((w * y).mean() / mean), float((w * f).mean() / mean)
    e, h = (y - Y * n_ratings) / mean, (f - F * n_ratings) / mean
    cov, var = float(np.mean(w**2 * e * h)), float(np.mean(w**2 * h**2))
    lam = (float(np.clip(cov / var, 0, 1)) if var > 0 else 0.0) * of.n / (of.n + m)
    unbiased = float(np.clip(Y + lam * (float(of.expected.sum() / of.n_ratings.sum()) - F), 0, 1))
    size = float(n_ratings.sum()) * effective
    p = (Y * size + 2) / (size + 4)
    spread = max(float(np.mean(w**2 * e**2)) * m / (m - 1), p * (1 - p) / mean / effective)
    of_items = lam**2 * float(np.mean(w * h**2)) - 2 * lam * float(np.mean(w * e * h))
    se = float(np.sqrt(max((spread + lam**2 * var - 2 * lam * cov) / m - of_items / of.n, 1e-12)))
    raw, residual = np.zeros(len(used)), np.zeros(len(used))
    raw[used], residual[used] = w * e / m, w * (e - lam * h) / m
    model = None
    if fitted is not None:
        model = fitted.accuracy, fitted.error[0] * (fitted.accuracy * (1 - fitted.accuracy)) ** 2
    return _combined(unbiased, se, model, (m, of.n), Influence(raw, residual, used, of.n, max(m * effective - 1, 1.0)))


def _audited_rater(
    of: _Evidence, fitted: AnnotatorFit | None, rater: int, moved: float, of_all: float
) -> AuditedFigure | None:
    """Audit one rater. The model's accuracy is first moved by as much as that of all raters was."""
    own = of.rows.rater == rater
    row, label = of.rows.row[own], of.rows.label[own]
    if len(row) < LEAST_GOLD:
        return None
    Y = (label == of.rows.truth[row]).astype(np.float64)
    weight = None if of.rows.weight is None else of.rows.weight[row]
    expected = float(of.expected[rater] / of.n_ratings[rater])
    score = Score(Y, of.P[row, label], expected, int(of.n_ratings[rater]), weight)
    estimate, used = prediction_powered(score), np.zeros(len(of.rows.truth), dtype=bool)
    used[row] = True
    model = None
    if fitted is not None:
        a = float(fitted.each[rater])
        model = float(np.clip(a + moved, 0, 1)), float(fitted.variance[rater]) * (a * (1 - a)) ** 2 + of_all
    return _combined(estimate.accuracy, estimate.se(len(row)), model, (len(row), score.n), influence(used, score))


def _combined(
    unbiased: float, se: float, model: tuple[float, float] | None, sizes: tuple[int, int], moves: Influence
) -> AuditedFigure:
    """Combine an estimate with the model's accuracy and variance. sizes: gold items, and items in all.

    The weights are those of `stats.accuracy.gold.audit.combined`.
    """
    m, n = sizes
    if model is None:
        return AuditedFigure(unbiased, se**2, unbiased, se, m, moves)
    accuracy = combined(unbiased, se, *model, share=m / n)
    off = max((model[0] - unbiased) ** 2 - se**2, model[1])
    return AuditedFigure(accuracy, se**2 * off / (se**2 + off) if se > 0 else 0.0, unbiased, se, m, moves)
