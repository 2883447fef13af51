"""Test whether independent groups agree to the same degree, that is, have equal coefficients."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from stats.arrays import FloatArray
from stats.errors import StatsError
from stats.intervals import check_confidence, normal_interval
from stats.special_functions import chdtrc

COLUMNS = ("group", "estimate", "se")


@dataclass(frozen=True)
class Homogeneity:
    """The mean coefficient of the groups and the test that they are equal.

    - estimate, se, low, high: mean of the groups' coefficients weighted by precision; its normal interval, cut at 1.
    - statistic, df, p_value: chi-squared test of equality. A small p-value says that the groups differ. The mean then
      describes none of them.
    - n_groups: groups that entered; left_out: names of the others.

    An undefined figure is None, with a code in `reason` and a sentence in `detail`.
    """

    estimate: float | None
    se: float | None
    low: float | None
    high: float | None
    confidence: float
    statistic: float | None
    df: int | None
    p_value: float | None
    n_groups: int
    left_out: tuple[str, ...]
    reason: str | None
    detail: str | None


def homogeneity(groups: pl.DataFrame, *, confidence: float = 0.95) -> Homogeneity:
    """Test that the coefficients of g groups are equal: sum((k_i - k)^2 / se_i^2), chi-squared with g - 1 degrees.

    k = sum(k_i / se_i^2) / sum(1 / se_i^2), se = sum(1 / se_i^2)^(-1/2). `groups` has a row per group with columns
    group (text), estimate and se; extra columns are ignored. The groups must share neither items nor raters: for
    coefficients of the same items bootstrap their difference instead. Fleiss, Levin & Paik (2003), Statistical Methods
    for Rates and Proportions, 3rd ed., sec. 18.1. The test is of large samples: with few items per group it is not
    reliable (Nam 2005, Statistics in Medicine, on homogeneity tests for kappa).

    A group without an estimate, or whose standard error is missing or 0 (perfect agreement: no finite weight), is left
    out and named in `left_out` and `detail`. Fewer than two remain: everything is None, `too_few_groups`. Raises
    StatsError for a missing column, the same group twice, a negative or infinite number.

    >>> groups = pl.DataFrame({"group": ["A", "B"], "estimate": [0.8, 0.5], "se": [0.1, 0.1]})
    >>> test = homogeneity(groups)
    >>> round(test.estimate, 2), round(test.statistic, 2), test.df, round(test.p_value, 3)
    (0.65, 4.5, 1, 0.034)
    """
    confidence = check_confidence(confidence)
    names, k, se = _checked(groups)
    has_error = ~np.isnan(k) & (se > 0)
    left_out = tuple(name for name, enters in zip(names, has_error, strict=True) if not enters)
    n_groups = int(has_error.sum())
    if n_groups < 2:
        detail = f"Needs at least 2 groups with an estimate and a standard error above 0, found {n_groups}."
        nothing = (None, None, None, None, confidence, None, None, None)
        return Homogeneity(*nothing, n_groups, left_out, "too_few_groups", detail)
    k, precision = k[has_error], se[has_error] ** -2.0
    pooled = float((precision * k).sum() / precision.sum())
    pooled_se = float(precision.sum() ** -0.5)
    low, high = normal_interval(pooled, pooled_se, confidence=confidence, upper=1.0)
    statistic, df = float((precision * (k - pooled) ** 2).sum()), n_groups - 1
    return Homogeneity(
        estimate=pooled,
        se=pooled_se,
        low=float(low),
        high=float(high),
        confidence=confidence,
        statistic=statistic,
        df=df,
        p_value=float(chdtrc(df, statistic)),
        n_groups=n_groups,
        left_out=left_out,
        reason=None,
        detail=f"Without {', '.join(left_out)}: no estimate, or no standard error above 0." if left_out else None,
    )


def _checked(groups: pl.DataFrame) -> tuple[list[str], FloatArray, FloatArray]:
    """Return names, estimates and standard errors, sorted by name, so that the order of the rows changes no figure."""
    missing = [column for column in COLUMNS if column not in groups.columns]
    if missing:
        raise StatsError(
            f"Groups need the columns {', '.join(COLUMNS)}, found {', '.join(groups.columns) or 'none'}. "
            f"Add {', '.join(missing)}."
        )
    for column in COLUMNS[1:]:
        if not (groups.schema[column].is_numeric() or groups.schema[column] == pl.Null):
            raise StatsError(f"{column} must hold numbers, found {groups.schema[column]}. Convert the column first.")
    table = groups.select(pl.col("group").cast(pl.String), pl.col("estimate", "se").cast(pl.Float64)).sort("group")
    names = table["group"].to_list()
    if None in names or len(set(names)) < len(names):
        raise StatsError(f"Each group has one row with its name, found the names {names}. Name each group once.")
    k, se = (table[column].to_numpy(allow_copy=True) for column in ("estimate", "se"))
    if np.isinf(k).any() or np.isinf(se).any() or (se < 0).any():
        raise StatsError(
            f"Estimates must be finite and standard errors 0 or more, found {k.tolist()} and {se.tolist()}. "
            "Leave out what is undefined, or pass it as null."
        )
    return names, k, se
