"""Find the raters who began to rate when agreement fell, and whose ratings the fall comes with.

Someone who joins has no chart of the time before, so no chart names that rater.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl

from schemas.rating_columns import IS_HUMAN
from stats.agreement import agreement
from stats.agreement.scorecard.pairs_with_rater import PairShare, pairs_with_rater
from tasks.counted_words import counted
from tasks.monitor.newcomer_words import name_in_evidence

CONFIDENCE = 0.95
MAX_NEWCOMERS = 3  # named in an alert


def first_days(rater_days: pl.DataFrame, low: date, high: date) -> dict[str, date]:
    """Return the raters whose first items of the question are of a day from low to high, with that day.

    An item counts on the day of its latest human rating, as in the charts.
    """
    first = rater_days.filter(IS_HUMAN).group_by("rater").agg(pl.col("day").min())
    return dict(first.filter(pl.col("day").is_between(low, high)).sort("day", "rater").rows())


def newcomer_evidence(
    ratings: pl.DataFrame,
    labels: Sequence[str],
    coefficient: str,
    estimates: tuple[float, float],
    began: dict[str, date],
) -> str:
    """Return the newcomers that the figures name, with these figures, as a part of the evidence. Else return ''.

    `ratings` (item, n_items, rater, label) are those since the change, `estimates` the coefficient before and since.
    A newcomer is named if the pairs with that rater agree less than the pairs of the others for sure, with the
    confidence divided among all newcomers, and if at least half of the fall is gone without those who are named.
    """
    confidence = 1 - (1 - CONFIDENCE) / max(len(began), 1)
    raters = set(ratings["rater"].unique())
    compared = {
        rater: pairs_with_rater(ratings, labels=labels, rater=rater, confidence=confidence)
        for rater in began
        if rater in raters
    }
    accused = sorted(
        (pairs for pairs in compared.values() if pairs and pairs.high < 0), key=lambda pairs: pairs.difference
    )
    if not accused:
        return ""
    others = ratings.filter(~pl.col("rater").is_in([pairs.rater for pairs in accused]))
    rows = agreement(others, labels=labels, coefficients=[coefficient], confidence=CONFIDENCE).row(0, named=True)
    before, since = estimates
    if rows["estimate"] is None or rows["estimate"] < (before + since) / 2:
        return ""
    shown = [
        f"; newcomer {name_in_evidence(pairs.rater)} from {began[pairs.rater]}, pairs that agree: "
        f"{_share(pairs.pairs_with)} with, {_share(pairs.pairs_without)} without"
        for pairs in accused[:MAX_NEWCOMERS]
    ]
    without = f"without {counted(len(accused), 'newcomer')} {coefficient} {estimate_text(rows)} since"
    return f"{''.join(shown)}; {without}"


def estimate_text(row: Mapping[str, Any]) -> str:
    """Write an estimate with its interval, if it has one."""
    interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    return f"{row['estimate']:.3f}{interval}"


def _share(pairs: PairShare) -> str:
    return f"{pairs.share:.3f} [{pairs.low:.3f}, {pairs.high:.3f}]"
