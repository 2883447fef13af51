"""Make figures of a table of distances per item and pair of raters: means over all and by pair, with intervals."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from stats.answers.rankings import TIED
from stats.cluster_jackknife import Figure, jackknife, ratio
from stats.errors import StatsError
from stats.intervals import check_confidence
from stats.regions.character_alpha import NOBODY
from stats.regions.region_agreement import SCHEMA as REGION_SCHEMA

KEY = ("item", "rater_a", "rater_b")
SCHEMA = {name: dtype for name, dtype in REGION_SCHEMA.items() if name != "n_regions"}


def answer_agreement(
    distances: pl.DataFrame,
    *,
    concordance: pl.DataFrame | None = None,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute the mean of each figure of `distances` over all pairs of raters, pooled over the items.

    `distances` has item, rater_a, rater_b and a column per figure, null where it is not defined for the pair. With
    `concordance` (item, n_raters, kendall_w) Kendall's W comes first: the mean of the items' W, each weighted by the
    number of its raters. Intervals: jackknife over items, with Student's t; one item gives no interval.

    Null: `too_few_raters` (no item that two raters did), `zero_denominator` (a figure is defined for no pair).
    """
    check_confidence(confidence)
    names = [name for name in distances.columns if name not in KEY]
    available = (["kendall_w"] if concordance is not None else []) + names
    method = {"interval_method": "jackknife", "confidence": confidence}
    rows = []
    for name in _chosen(available, coefficients):
        if name == "kendall_w" and concordance is not None:
            weighted = concordance.select("item", value=pl.col(name) * pl.col("n_raters"), n="n_raters")
            figure = _figure(distances, weighted, 0.0, confidence)
            defined = distances.join(concordance, on="item", how="semi")
        else:
            figure = _mean(distances, name, confidence)
            defined = distances.drop_nulls(name)
        rows.append({"name": name, **_numbers(defined, distances), **method, **figure.to_dict(), "se": figure.se})
    return pl.DataFrame(rows, schema=SCHEMA)


def answers_by_pair(
    distances: pl.DataFrame,
    *,
    coefficients: Sequence[str] | None = None,
    confidence: float = 0.95,
    min_items: int = 1,
) -> pl.DataFrame:
    """Compute the means of each pair of raters who did `min_items` items both: rater_a, rater_b, coefficient, ..."""
    check_confidence(confidence)
    names = [name for name in distances.columns if name not in KEY]
    rows: list[dict[str, Any]] = []
    ordered = distances.sort("rater_a", "rater_b", "item")
    for (a, b), own in ordered.group_by("rater_a", "rater_b", maintain_order=True):
        if own.height < min_items:
            continue
        method = {"interval_method": "jackknife", "confidence": confidence}
        for name in [name for name in names if coefficients is None or name in coefficients]:
            figure = _mean(own, name, confidence)
            about = {"rater_a": a, "rater_b": b, "coefficient": name, **_numbers(own.drop_nulls(name), own), **method}
            rows.append({**about, **figure.to_dict(), "se": figure.se})
    first = {"rater_a": pl.String, "rater_b": pl.String, "coefficient": pl.String}
    return pl.DataFrame(rows, schema={**first, **{k: v for k, v in SCHEMA.items() if k != "name"}})


def _chosen(available: list[str], coefficients: Sequence[str] | None) -> list[str]:
    chosen = available if coefficients is None else list(coefficients)
    if odd := [name for name in chosen if name not in available]:
        raise StatsError(f"There is no coefficient {odd[0]!r} of these answers. Use {' or '.join(available)}.")
    return chosen


def _numbers(defined: pl.DataFrame, compared: pl.DataFrame) -> dict[str, Any]:
    """Return how many items, raters and answers a figure rests on. If it is defined nowhere: how many were compared."""
    distances = compared if defined.is_empty() else defined
    answers = pl.concat([distances.select("item", rater=f"rater_{side}") for side in ("a", "b")]).unique()
    return {"n_items": answers["item"].n_unique(), "n_raters": answers["rater"].n_unique(), "n_ratings": answers.height}


def _mean(distances: pl.DataFrame, name: str, confidence: float) -> Figure:
    defined = distances.drop_nulls(name).group_by("item").agg(value=pl.col(name).sum(), n=pl.len())
    return _figure(distances, defined, -1.0 if name in TIED else 0.0, confidence)


def _figure(distances: pl.DataFrame, sums: pl.DataFrame, lowest: float, confidence: float) -> Figure:
    """Return the sum of value by that of n, over the items of `sums`, with its interval over these."""
    if distances.is_empty():
        return Figure(reason="too_few_raters", detail=NOBODY)
    if sums.is_empty():
        return Figure(reason="zero_denominator", detail="All options are tied.")
    rows = sums.sort("item").select("value", "n").to_numpy().astype(float)
    return jackknife(rows, ratio, confidence, lowest=lowest, keep=True)
