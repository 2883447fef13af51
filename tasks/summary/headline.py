"""Choose the headline accuracy of each system: the one figure that the report, the command line and the gate show, and
the order of questions."""

import math
from collections.abc import Mapping
from typing import Any

import polars as pl

# The estimate that stands for a system: the first of these that is defined.
METHOD_ORDER = ("average", "lehner", "one_coin", "pooled_free", "binless", "attenuation")
_PLACES = {method: place for place, method in enumerate(METHOD_ORDER)}


def method_place(method: str) -> int:
    """Return the place of a method in METHOD_ORDER; that of all others is behind the last one.

    >>> method_place("lehner"), method_place("difficulty")
    (1, 6)
    """
    return _PLACES.get(method, len(_PLACES))


def headline_rows(systems: pl.DataFrame) -> pl.DataFrame:
    """Return the headline row of each question, system and version: the first of METHOD_ORDER with a figure.

    `systems` has the columns of `latest_system_accuracy`, of one scope. Without a figure, the row of the first method
    is returned. Sorted by question, then the most accurate first, then those without a figure.
    """
    figure = pl.col("accuracy").cast(pl.Float64).fill_nan(None)
    place = pl.col("method").replace_strict(_PLACES, default=len(_PLACES))
    best_first = systems.sort(figure.is_null(), place, "method", maintain_order=True)
    chosen = best_first.unique(("question", "system", "system_version"), keep="first", maintain_order=True)
    return chosen.sort("question", figure, "system", descending=[False, True, False], nulls_last=True)


def estimate_or_last(main: Mapping[str, Any] | None) -> float:
    """Return the agreement of a question to sort by, lowest first: questions without a figure come last."""
    estimate = main["estimate"] if main else None
    return math.inf if estimate is None or math.isnan(estimate) else float(estimate)
