"""Drift of a judge between versions, on anchor items that both versions answered.

Two answers of different versions differ also because each version changes its mind. What is left after that, the
probability that they differ less the mean of both versions' flip rates, is half the squared distance of their answer
distributions: 0 without drift, never below.
"""

from itertools import pairwise

import numpy as np
import polars as pl

from stats.agreement.repeats.repeat_counts import JudgeAnswers, answered_counts
from stats.arrays import FloatArray
from stats.special_functions import ndtri, stdtr, stdtrit

POWER = 0.8  # probability with which the smallest drift is found
LEAST_ANCHORS = 5
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "version_a": pl.String,
    "version_b": pl.String,
    "n_anchors": pl.Int64,
    "changed": pl.Float64,
    "expected": pl.Float64,
    "drift": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p_value": pl.Float64,
    "smallest_drift": pl.Float64,
    "label": pl.String,
    "shift": pl.Float64,
    "shift_low": pl.Float64,
    "shift_high": pl.Float64,
    "smallest_shift": pl.Float64,
    "reason": pl.String,
    "detail": pl.String,
}
NO_REPEATS = "It is not known how often a version changes its mind: ask each version twice or more about the anchors."
FEW_ANCHORS = f"The versions share fewer than {LEAST_ANCHORS} anchor items."
Row = dict[str, object]


def anchor_drift(
    answers: pl.DataFrame, *, versions: list[str], labels: list[str], confidence: float = 0.95
) -> pl.DataFrame:
    """Return how each version differs from the one before it, on the items that both answered.

    `answers` has item, judge (the version) and label, one row per answer. `versions` are in their order in time.

    - changed: probability that an answer of either version differs; expected: by flips alone, from the repeats.
    - drift: changed - expected, with Student's t interval over the anchors, and p_value (one-sided) of no drift.
    - label, shift: the label whose share changed most, and by how much, with its interval.
    - smallest_drift, smallest_shift: what these anchors find with a probability of .8.

    drift is null without repeats (`too_few_ratings`) and with fewer than 5 anchors (`too_few_items`).
    """
    judges = {judge.name: judge for judge in answered_counts(answers, labels)}
    pairs = [(a, b) for a, b in pairwise(versions) if a in judges and b in judges]
    return pl.DataFrame([_row(judges[a], judges[b], labels, confidence) for a, b in pairs], schema=SCHEMA)


def _row(a: JudgeAnswers, b: JudgeAnswers, labels: list[str], confidence: float) -> Row:
    items = sorted(set(a.items) & set(b.items))
    row: Row = {"version_a": a.name, "version_b": b.name, "n_anchors": len(items)}
    if len(items) < LEAST_ANCHORS:
        return row | {"reason": "too_few_items", "detail": FEW_ANCHORS}
    (p_a, flips_a), (p_b, flips_b) = (_of_items(judge, items) for judge in (a, b))
    changed = 1 - (p_a * p_b).sum(axis=1)
    row |= {"changed": float(changed.mean())} | _shift(p_b - p_a, labels, confidence)
    repeated = ~np.isnan(flips_a) & ~np.isnan(flips_b)
    if repeated.sum() < LEAST_ANCHORS:
        return row | {"reason": "too_few_ratings", "detail": NO_REPEATS}
    expected = (flips_a + flips_b)[repeated] / 2
    return row | {"expected": float(expected.mean())} | _drift(changed[repeated] - expected, confidence)


def _of_items(judge: JudgeAnswers, items: list[str]) -> tuple[FloatArray, FloatArray]:
    """Return the share of each label (n, k), and the flip rate of each item (n,), NaN with one answer."""
    place = {item: i for i, item in enumerate(judge.items)}
    C = judge.C[[place[item] for item in items]]
    m = C.sum(axis=1)
    pairs = m * (m - 1)
    flips = np.divide(pairs - (C * (C - 1)).sum(axis=1), pairs, out=np.full(len(items), np.nan), where=pairs > 0)
    return C / m[:, None], flips


def _drift(excess: FloatArray, confidence: float) -> Row:
    n, mean = len(excess), float(excess.mean())
    se = float(excess.std(ddof=1)) / n**0.5
    if se == 0:  # every item alike, mostly without any change: what would not have shown itself once
        smallest = 1 - (1 - POWER) ** (1 / n)
        return {"drift": mean, "low": mean, "high": max(mean, smallest), "smallest_drift": smallest}
    half = se * float(stdtrit(n - 1, (1 + confidence) / 2))
    smallest = se * float(ndtri(confidence) + ndtri(POWER))
    p = 1 - float(stdtr(n - 1, mean / se))
    return {"drift": mean, "low": mean - half, "high": mean + half, "p_value": p, "smallest_drift": smallest}


def _shift(moved: FloatArray, labels: list[str], confidence: float) -> Row:
    """Return the label whose share changed most. The interval is corrected for looking at all labels (Bonferroni)."""
    n, label = len(moved), int(np.abs(moved.mean(axis=0)).argmax())
    mean, se = float(moved[:, label].mean()), float(moved[:, label].std(ddof=1)) / n**0.5
    tail = (1 - confidence) / 2 / max(1, len(labels) - (len(labels) == 2))
    half = se * float(stdtrit(n - 1, 1 - tail)) if se > 0 else 1 - (1 - POWER) ** (1 / n)
    smallest = se * float(ndtri(1 - tail) + ndtri(POWER)) if se > 0 else 1 - (1 - POWER) ** (1 / n)
    return {
        "label": labels[label],
        "shift": mean,
        "shift_low": max(-1.0, mean - half),
        "shift_high": min(1.0, mean + half),
        "smallest_shift": smallest,
    }
