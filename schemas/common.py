"""Define the base class of the contracts, and the checks that several of them share."""

from typing import Annotated, Any, ClassVar

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


class ResultContract(Contract):
    """A table of results. `contracts.check_results` checks it before it has these columns."""

    run_id: str
    question: str


class IntervalContract(ResultContract):
    """Check that the lower end `low` of the interval is not above its upper end `high`."""

    @pa.dataframe_check(name="ordered")
    @classmethod
    def _ordered(cls, data: PolarsData) -> pl.LazyFrame:
        """The lower end of the interval is not above the upper end."""
        return ordered(data, "low", "high")


class OuterIntervalContract(IntervalContract):
    """Check that the outer interval of a share holds the inner one, where there are both."""

    low: float = pa.Field(nullable=True, **SHARE)
    high: float = pa.Field(nullable=True, **SHARE)
    outer_low: float = pa.Field(nullable=True, **SHARE)
    outer_high: float = pa.Field(nullable=True, **SHARE)

    @pa.dataframe_check(name="outer_holds_inner")
    @classmethod
    def _outer_holds_inner(cls, data: PolarsData) -> pl.LazyFrame:
        """Check that neither end of the inner interval lies outside."""
        outside = (pl.col("low") < pl.col("outer_low") - ROUNDING) | (pl.col("high") > pl.col("outer_high") + ROUNDING)
        return data.lazyframe.select((~outside).fill_null(True).alias("outer_holds_inner"))


class ReasonContract(ResultContract):
    """Check that a figure is null exactly where it has a reason.

    `_figure` names its column. It is "low" where a figure without an interval has a reason, too.
    """

    _figure: ClassVar[str] = "estimate"

    reason: str = pa.Field(nullable=True)

    @pa.dataframe_check(name="null_iff_reason")
    @classmethod
    def _null_iff_reason(cls, data: PolarsData) -> pl.LazyFrame:
        """Check that an undefined figure has a reason, and a defined one has none."""
        undefined = pl.col(cls._figure).is_null() == pl.col("reason").is_not_null()
        return data.lazyframe.select(undefined.alias("undefined"))


class DetailContract(ReasonContract):
    """A table that also has a sentence on the figure, with a reason or without."""

    detail: str = pa.Field(nullable=True)


def ordered(data: PolarsData, low: str, high: str) -> pl.LazyFrame:
    """Check, row by row, that low is not above high, if there are both."""
    return data.lazyframe.select((pl.col(low) <= pl.col(high) + ROUNDING).fill_null(True).alias("ordered"))
