"""Precision and recall with gold: audited label by label, and adjusted so that they add up to one accuracy."""

from dataclasses import dataclass, replace

import numpy as np

from stats.accuracy.fitting.estimator import SystemFit, SystemPatterns
from stats.accuracy.gold.audit import GoldItems
from stats.accuracy.gold.gold_rows import LEAST_GOLD, NOT_AUDITED
from stats.accuracy.gold.gold_weights import scaled
from stats.accuracy.gold.prediction_powered import Score, prediction_powered
from stats.arrays import FloatArray

Row = dict[str, object]
NAMES = ("precision", "recall")
NO_GOLD_GIVEN = f"This label was given to fewer than {LEAST_GOLD} of the gold items, so it has no audited precision."
NO_GOLD_RIGHT = f"Fewer than {LEAST_GOLD} gold items are of this label, so it has no audited recall."


@dataclass(frozen=True)
class _GoldPart:
    """One value of one label, with its interval and its weight in the accuracy.

    `shown` is true if there are enough gold items.
    """

    value: float
    low: float
    high: float
    weight: float
    shown: bool


def audited_rows(
    patterns: SystemPatterns, fitted: SystemFit, gold: GoldItems, accuracy: float, confidence: float
) -> list[Row]:
    """Return one row for each label.

    Precision is prediction-powered over the items that were given the label. Recall is computed on the gold items of
    the label, because only gold tells which items those are.
    """
    answered, m = patterns.answered, len(gold.system)
    score, on_gold = np.zeros(len(patterns.C)), np.zeros(m)
    if fitted.score is not None:
        score = fitted.score(patterns.C, np.maximum(patterns.system, 0))
        on_gold = fitted.score(gold.C, gold.system)
    n, rows, pairs = patterns.count(answered), list[Row](), []
    for label in range(patterns.n_labels):
        has_label = patterns.system == label
        n_given, right, chosen = patterns.count(has_label), gold.truth == label, gold.system == label
        mean = float(np.average(score[has_label], weights=patterns.n_items[has_label])) if n_given else 0.0
        w = scaled(gold.weight, m)
        expected = n * float((w * right).mean())
        with_answer = Score(gold.correct, on_gold, mean, n_given, gold.weight).take(chosen)
        with_truth = Score(gold.correct, np.zeros(m), 0.0, max(1, round(expected)), gold.weight).take(right)
        precision = _part(with_answer, n_given, confidence, accuracy)
        recall = _part(with_truth, expected, confidence, accuracy)
        pairs.append((precision, recall))
        rows.append({"n_given": n_given, "n_expected": expected, "n_gold": int((right | chosen).sum())})
    for place, name in enumerate(NAMES):
        for row, part, moved in zip(rows, pairs, _adding_up([each[place] for each in pairs], accuracy), strict=True):
            if part[place].shown:
                row |= dict(zip((name, f"{name}_low", f"{name}_high"), moved, strict=True))
    return [row | _why(row) for row in rows]


def adding_up(rows: list[Row], accuracy: float) -> list[Row]:
    """Return the models' rows, with values adjusted so that they add up to the accuracy."""
    for name, weight in zip(NAMES, ("n_given", "n_expected"), strict=True):
        defined = [row for row in rows if row.get(name) is not None]
        figures = []
        for row in defined:
            value, low, high = (_float(row.get(key, row[name])) for key in (name, f"{name}_low", f"{name}_high"))
            figures.append(_GoldPart(value, low, high, _float(row[weight]), True))
        for row, moved in zip(defined, _adding_up(figures, accuracy), strict=True):
            row |= {key: value for key, value in zip((name, f"{name}_low", f"{name}_high"), moved, strict=True)
                    if key in row}  # fmt: skip
    return rows


def _float(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"A figure is a number, found {value!r}.")
    return float(value)


def _part(score: Score, weight: float, confidence: float, accuracy: float) -> _GoldPart:
    m = len(score.Y)
    if m < LEAST_GOLD or score.n == 0:
        return _GoldPart(score.f_mean or accuracy, 0.0, 1.0, weight, False)
    estimate = prediction_powered(replace(score, n=max(score.n, m)))
    half = estimate.half_width(m, confidence)
    return _GoldPart(
        estimate.accuracy, max(0.0, estimate.accuracy - half), min(1.0, estimate.accuracy + half), weight, True
    )


def _adding_up(gold_parts: list[_GoldPart], accuracy: float) -> FloatArray:
    """Return value, low and high of each part (k, 3), moved so that the values' weighted mean is the accuracy.

    The adjustment is by least squares: values that are least certain and weigh most move most. Intervals stay, and are
    widened only where a value leaves them.
    """
    figures = np.array([(part.value, part.low, part.high) for part in gold_parts]).reshape(-1, 3)
    weight = np.array([part.weight for part in gold_parts])
    if not len(gold_parts) or weight.sum() <= 0:
        return figures
    share = weight / weight.sum()
    value, lows, highs = figures.T
    # scaled so that a step of 1 can move the most movable value from 0 to 1
    movable = share * np.maximum(highs - lows, 1e-3) ** 2
    movable, (low, high) = movable / movable.max(), (-1e6, 1e6)
    for _ in range(100):
        step = (low + high) / 2
        below = float(share @ np.clip(value + step * movable, 0, 1)) < accuracy
        low, high = (step, high) if below else (low, step)
    moved = np.clip(value + (low + high) / 2 * movable, 0, 1)
    return np.column_stack([moved, np.minimum(lows, moved), np.maximum(highs, moved)])


def _why(row: Row) -> Row:
    never = row["n_given"] == 0
    no_precision = ["The rater never gave this label, so it has no precision." if never else NO_GOLD_GIVEN]
    missing = [*(no_precision if "precision" not in row else []), *([NO_GOLD_RIGHT] if "recall" not in row else [])]
    if not missing:
        return {}
    only_never = never and "recall" in row
    return {"reason": "zero_denominator" if only_never else NOT_AUDITED, "detail": " ".join(missing)}
