"""Table of rater quality: the raters of `stats.accuracy.raters.annotators`, one row each."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from stats.accuracy.raters.annotators import annotators


def rater_quality(
    ratings: Any,
    *,
    labels: Sequence[str],
    scale: str = "nominal",
    gold: Any = None,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Return the accuracy of each rater: one row per rater, sorted by name.

    Columns: rater, n_ratings, accuracy in [0, 1] with low and high, agreement_with_others (share of the pairs of this
    rater and another rater of the same item that agree), reason and detail where the accuracy is null, n_gold. Pass
    human ratings only; leave out systems and gold. For the meaning of accuracy and `gold` see
    `stats.accuracy.raters.annotators`.

    The accuracy is null, with a reason, for fewer than three raters (`too_few_raters`), where the rater shares no item
    with another (`too_few_items`), and where the others have no item in common (`zero_denominator`) or agree no better
    than chance, or the rater gave nearly always the same label, or the labels of another rater (`not_identified`).
    With gold it is null only where the rater has fewer than two gold items (`too_few_gold`).
    Raises StatsError as `annotators`.
    """
    return annotators(ratings, labels=labels, scale=scale, gold=gold, confidence=confidence).raters
