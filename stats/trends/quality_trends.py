"""Agreement with the (other) human raters, and accuracy, of each rater or system in many windows of items."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.patterns import RatingPatterns, counts_of
from stats.trends.anchored_accuracy import Accuracies, Anchor, anchored_accuracies
from stats.trends.fixed_raters import FixedRaters, error_shares, gains
from stats.trends.ratio_shares import RatioSums, Shares, ratio_shares
from stats.trends.subject_sums import SubjectAnswers, subject_sums
from stats.trends.window_sums import WindowUnits


@dataclass(frozen=True)
class QualityTrends:
    """One entry per window and subject, sorted by both.

    - n_items: items that the subject answered. n_shared: those that another human rater rated.
    - agreement: share of pairs with such a rater that agree. accuracy: see `stats.trends.anchored_accuracy`; NaN where
      the level contradicts the others' ratings, too.
    """

    window: IntArray
    subject: IntArray
    n_items: IntArray
    n_shared: IntArray
    agreement: Shares
    accuracy: Accuracies


def rater_trends(
    humans: RatingPatterns, model: FixedRaters, units: WindowUnits, anchor: Anchor, *, confidence: float
) -> QualityTrends:
    """Return the figures of each human rater. The right label comes from the ratings of the others alone."""
    C, m = _label_counts(humans)
    pattern, label = humans.pattern, humans.label
    others = m[pattern] - 1
    agreeing = C[pattern, label] - 1
    shared = np.flatnonzero(others > 0)
    u, v = np.zeros(len(pattern)), np.zeros(len(pattern))
    P = model.without(shared, pattern[shared], label[shared])
    u[shared], v[shared] = gains(P, label[shared])
    answers = SubjectAnswers(pattern, humans.rater, humans.n_raters, _columns(agreeing, others, u, v))
    return _trends(answers, units, humans.n_items, anchor, confidence)


def system_trends(
    humans: RatingPatterns,
    model: FixedRaters,
    answers: Mapping[int, tuple[IntArray, IntArray]],
    units: WindowUnits,
    anchor: Anchor,
    *,
    confidence: float,
) -> QualityTrends:
    """Return the figures of each system. answers: its number -> patterns that it answered (ascending), and labels."""
    C, m = _label_counts(humans)
    P = model.posteriors()
    columns = []
    for system, (pattern, label) in answers.items():
        accuracy = anchor.accuracy[system]
        posterior = P[pattern]
        errors = None
        if not np.isnan(accuracy):
            errors = error_shares(posterior, label, humans.n_items[pattern], float(np.clip(accuracy, 0.01, 0.99)))
        u, v = gains(posterior, label, errors)
        values = _columns(C[pattern, label], m[pattern], u, v)
        columns.append((pattern, np.full(len(pattern), system), values))
    patterns, systems, values = (np.concatenate(part) for part in zip(*columns, strict=True))
    order = np.argsort(patterns, kind="stable")
    stacked = SubjectAnswers(patterns[order], systems[order], len(anchor.accuracy), values[order])
    return _trends(stacked, units, humans.n_items, anchor, confidence)


def _trends(
    answers: SubjectAnswers, units: WindowUnits, n_items: IntArray, anchor: Anchor, confidence: float
) -> QualityTrends:
    by_subject, whole = subject_sums(answers, units), answers.whole(n_items)
    n, n_shared = by_subject.sums[:, 0], by_subject.sums[:, 1]
    subject = by_subject.subject
    accuracy = anchored_accuracies(
        _ratio(by_subject.sums, 7),
        _ratio(whole[subject], 7),
        Anchor(anchor.accuracy[subject], anchor.se[subject]),
        confidence=confidence,
    )
    return QualityTrends(
        by_subject.window,
        subject,
        _whole(n),
        _whole(n_shared),
        ratio_shares(_ratio(by_subject.sums, 2), confidence=confidence),
        _without_contradictions(accuracy),
    )


def _without_contradictions(accuracies: Accuracies) -> Accuracies:
    """Return the accuracies, undefined where the level and the others' ratings contradict each other."""
    a, se, low, high = (
        np.where(accuracies.contradicts, np.nan, values)
        for values in (accuracies.accuracy, accuracies.se, accuracies.low, accuracies.high)
    )
    return Accuracies(a, se, low, high, accuracies.contradicts)


def _ratio(sums: FloatArray, first: int) -> RatioSums:
    return RatioSums(sums[:, 1], *(sums[:, first + i] for i in range(5)))


def _columns(agreeing: FloatArray, others: FloatArray, u: FloatArray, v: FloatArray) -> FloatArray:
    ones = np.ones(len(u))
    moments = [[x, y, x * x, x * y, y * y] for x, y in ((agreeing, others), (u, v))]
    return np.column_stack([ones, others > 0, *moments[0], *moments[1]])


def _label_counts(patterns: RatingPatterns) -> tuple[FloatArray, FloatArray]:
    """Return (P, k) raters who gave each label, and (P,) their number."""
    counts, row_of = counts_of(patterns)
    C = counts[row_of].astype(np.float64)
    return C, C.sum(axis=1)


def _whole(values: FloatArray) -> IntArray:
    return np.rint(values).astype(np.int64)
