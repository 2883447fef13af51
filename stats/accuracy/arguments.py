"""Checks of the arguments of public functions: labels, systems, scale and confidence."""

from collections.abc import Sequence

import polars as pl

from stats.defaults import SCALES
from stats.errors import StatsError, are_different_names, check_numbers, is_whole
from stats.ratings import check_list, list_names


def check_scale(scale: str) -> None:
    """Raise StatsError unless the scale is one of SCALES."""
    if scale not in SCALES:
        raise StatsError(f"Scale must be one of {', '.join(SCALES)}, found {scale!r}. Name one of these.")


def check_confidence(confidence: float) -> None:
    """Raise StatsError unless 0 < confidence < 1."""
    check_numbers(confidence=confidence)
    if not 0 < confidence < 1:
        raise StatsError(f"Confidence lies between 0 and 1, found {confidence}. Write .95 for 95 %.")


def check_seed(seed: int) -> None:
    """Raise StatsError unless the seed is a whole number from 0."""
    if not is_whole(seed) or seed < 0:
        raise StatsError(f"The seed must be a whole number from 0, found {seed!r}. Pass such a number.")


def check_labels(labels: Sequence[str]) -> None:
    """Raise StatsError for fewer than two labels, or if they are no list: the order counts."""
    check_list("labels", labels)
    if len(labels) < 2:
        raise StatsError(f"Accuracy needs two declared labels or more, found {list(labels)}. Declare all that exist.")


def check_systems(
    ratings: pl.DataFrame, systems: Sequence[str], labels: Sequence[str], *, audited: bool = False
) -> None:
    """Raise StatsError unless the systems gave ratings and at least two other raters did.

    audited: there is gold, which needs no other raters.
    """
    check_labels(labels)
    if not are_different_names(systems):
        raise StatsError(f"Systems are a list of one or more different names, found {systems!r}. Name each once.")
    if "rater" not in ratings.columns:
        raise StatsError(f"Ratings need a column rater, found {ratings.columns}. Rename the columns.")
    raters = set(ratings["rater"].unique())
    if not raters:
        raise StatsError("Accuracy needs ratings, found none. Pass those of the systems and of two people or more.")
    if None in raters:
        raise StatsError("A rating has no rater. Drop those rows or fill in who gave it.")
    unknown = [system for system in systems if system not in raters]
    if unknown:
        raise StatsError(f"The system {unknown[0]!r} gave no rating. The raters are {list_names(sorted(raters))}.")
    humans = raters - set(systems)
    if len(humans) < 2 and not audited:
        raise StatsError(
            f"Accuracy is estimated from how far two or more human raters agree, found {len(humans)} beside the"
            " systems. Add ratings of another person, or gold: right answers for some of the items."
        )
