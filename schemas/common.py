"""Define the base class of the contracts, and the checks that several of them share."""

from typing import Annotated, Any

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData

Instant = Annotated[pl.Datetime, "us", "UTC"]

ROUNDING = 1e-9
SHARE: dict[str, Any] = {"ge": -ROUNDING, "le": 1 + ROUNDING}


class Contract(pa.DataFrameModel):
    """Check that all numbers are finite: undefined is null, never NaN. Further columns are allowed."""

    @pa.dataframe_check(name="finite")
    @classmethod
    def _finite(cls, data: PolarsData) -> pl.LazyFrame:
        """Check that no float is NaN or infinite."""
        floats = [name for name, dtype in data.lazyframe.collect_schema().items() if dtype.is_float()]
        finite = [pl.col(name).is_finite().fill_null(True) for name in floats]
        return data.lazyframe.select(pl.all_horizontal(pl.lit(True), *finite).alias("finite"))


class IntervalContract(Contract):
    """Check that the lower end `low` of the interval is not above its upper end `high`."""

    @pa.dataframe_check(name="ordered")
    @classmethod
    def _ordered(cls, data: PolarsData) -> pl.LazyFrame:
        """The lower end of the interval is not above the upper end."""
        return ordered(data, "low", "high")


def null_iff_reason(data: PolarsData, figure: str) -> pl.LazyFrame:
    """Check, row by row, that the figure is null exactly where there is a reason."""
    return data.lazyframe.select((pl.col(figure).is_null() == pl.col("reason").is_not_null()).alias("undefined"))


def outer_holds_inner(data: PolarsData) -> pl.LazyFrame:
    """Check, row by row, that the outer interval holds the inner one, where there are both."""
    outside = (pl.col("low") < pl.col("outer_low") - ROUNDING) | (pl.col("high") > pl.col("outer_high") + ROUNDING)
    return data.lazyframe.select((~outside).fill_null(True).alias("outer_holds_inner"))


def ordered(data: PolarsData, low: str, high: str) -> pl.LazyFrame:
    """Check, row by row, that low is not above high, if there are both."""
    return data.lazyframe.select((pl.col(low) <= pl.col(high) + ROUNDING).fill_null(True).alias("ordered"))
