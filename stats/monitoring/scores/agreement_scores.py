"""Score how far the raters of an item agree, so that the scores of the reference average to a coefficient.

A coefficient is no mean over items, because the agreement by chance depends on all of them. So each item gets a score
whose mean is the coefficient, to the first order around the reference. For Fleiss' kappa it is
c0 + [a - Pa - 2 (1 - c0) (e - Pe)] / (1 - Pe), where a is the agreement within the item and e its part in the agreement
by chance. If the label shares change wholly, the mean of the scores is about .07 off. So an alarm also shows the
ordinary coefficient before and after.

Items with two ratings or more are scored. Source: Gwet (2008), Br. J. Math. Stat. Psychol. 61, 29-48.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stats.arrays import FloatArray, IntArray
from stats.errors import StatsError
from stats.monitoring.daily_counts import CodedCounts
from stats.monitoring.scores.score_table import ScoreTable
from stats.ratings import list_names

COEFFICIENTS_ON_CHARTS = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "percent_agreement")


@dataclass(frozen=True)
class AgreementReference:
    """A coefficient at the reference, frozen.

    - coefficient: its name. estimate: c0, its value.
    - observed, expected: Pa and Pe. label_shares (k,): the mean over items of each label's share of the ratings. Of
      Krippendorff's alpha: observed and label_shares weight each item by its ratings.
    - mean_ratings: ratings per item. n_items: items with two ratings or more.
    - span: Pa - Pe of Fleiss' kappa, observed agreement minus that by chance: the scale of a rater's chart.
    """

    coefficient: str
    estimate: float
    observed: float
    expected: float
    label_shares: tuple[float, ...]
    mean_ratings: float
    n_items: int
    span: float

    def to_json(self) -> dict[str, Any]:
        """Return the values as JSON."""
        return {**vars(self), "label_shares": list(self.label_shares)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> "AgreementReference":
        """Return the reference of `to_json`."""
        return cls(**{**values, "label_shares": tuple(values["label_shares"])})


def agreement_reference(counts: CodedCounts, n_items: IntArray, *, coefficient: str) -> AgreementReference | None:
    """Compute the coefficient of the reference items. n_items (P,): reference items of each pattern.

    None where no item has two ratings, or where the agreement by chance is 1 (all ratings have one label). Raises
    StatsError for a coefficient that no chart follows.
    """
    if coefficient not in COEFFICIENTS_ON_CHARTS:
        raise StatsError(f"No chart follows {coefficient!r}. Take one of: {list_names(list(COEFFICIENTS_ON_CHARTS))}.")
    weight = np.where(counts.m >= 2, n_items, 0).astype(np.float64)
    N = float(weight.sum())
    if N == 0:
        return None
    shares, agreement = label_shares(counts.C), item_agreement(counts.C)
    pi, Pa = weight @ shares / N, float(weight @ agreement / N)
    mean_m = float(weight @ counts.m / N)
    expected = float(pi @ pi)
    span = Pa - expected
    if coefficient == "krippendorff_alpha":
        pi = weight @ counts.C / (N * mean_m)
        Pa = float(weight @ (agreement * counts.m)) / (N * mean_m)
        expected = float((pi @ pi * N * mean_m - 1) / (N * mean_m - 1))  # of pairs drawn without replacement
    elif coefficient == "gwet_ac1":
        expected = float(pi @ (1 - pi)) / max(len(pi) - 1, 1)
    elif coefficient == "percent_agreement":
        expected = 0.0
    if expected >= 1:
        return None
    estimate = (Pa - expected) / (1 - expected)
    shares_of_labels = tuple(pi.tolist())
    return AgreementReference(coefficient, estimate, Pa, expected, shares_of_labels, mean_m, int(N), span)


def agreement_scores(counts: CodedCounts, reference: AgreementReference) -> ScoreTable:
    """Score the patterns with two ratings or more: one series. The mean over the reference is its coefficient."""
    pattern = np.flatnonzero(counts.m >= 2)
    C, m = counts.C[pattern], counts.m[pattern]
    shares, a, pi = label_shares(C), item_agreement(C), np.array(reference.label_shares)
    c0, Pa, Pe = reference.estimate, reference.observed, reference.expected
    if reference.coefficient == "percent_agreement":
        score = a
    elif reference.coefficient == "gwet_ac1":
        chance = ((1 - 2 * pi) * (shares - pi)).sum(axis=1) / max(len(pi) - 1, 1)
        score = c0 + (a - Pa - (1 - c0) * chance) / (1 - Pe)
    elif reference.coefficient == "krippendorff_alpha":
        part = m / reference.mean_ratings
        score = c0 + part * (a - Pa - 2 * (1 - c0) * (shares @ pi - pi @ pi)) / (1 - Pe)
    else:
        score = c0 + (a - Pa - 2 * (1 - c0) * (shares @ pi - Pe)) / (1 - Pe)
    return ScoreTable("agreement", (None,), (None,), np.zeros(len(pattern), np.int64), pattern, score)


def label_shares(C: IntArray) -> FloatArray:
    """Return (P, k) the share of each label among the ratings of an item; 0 where it has none."""
    return np.asarray(C / np.maximum(C.sum(axis=1), 1)[:, None])


def item_agreement(C: IntArray) -> FloatArray:
    """Return (P,) the share of the pairs of an item's ratings that are equal; 0 where it has fewer than two."""
    m = C.sum(axis=1)
    return np.asarray((C * (C - 1)).sum(axis=1) / np.maximum(m * (m - 1), 1))


def label_scores(counts: CodedCounts) -> ScoreTable:
    """Score the patterns with a rating or more: one series for each label, scores in 0..1."""
    k, pattern = len(counts.labels), np.flatnonzero(counts.m >= 1)
    series, patterns = np.repeat(np.arange(k), len(pattern)), np.tile(pattern, k)
    score = label_shares(counts.C[pattern]).T.ravel()
    return ScoreTable("labels", (None,) * k, counts.labels, series, patterns, score)
