"""Types and checks that several contracts share."""

from typing import Annotated, Any

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData

Instant = Annotated[pl.Datetime, "us", "UTC"]

ID_LENGTH = 1_000
LABEL_LENGTH = 4_000
ROUNDING = 1e-9

REQUIRED_ID: dict[str, Any] = {"min_value": 1, "max_value": ID_LENGTH}
REQUIRED_LABEL: dict[str, Any] = {"min_value": 1, "max_value": LABEL_LENGTH}


class Table(pa.DataFrameModel):
    """Base of the contracts: further columns are welcome, numbers are finite (undefined is null, never NaN)."""

    @pa.dataframe_check(name="finite")
    @classmethod
    def _finite(cls, data: PolarsData) -> pl.LazyFrame:
        """No float is NaN or infinite."""
        floats = [name for name, dtype in data.lazyframe.collect_schema().items() if dtype.is_float()]
        finite = [pl.col(name).is_finite().fill_null(True) for name in floats]
        return data.lazyframe.select(pl.all_horizontal(pl.lit(True), *finite).alias("finite"))


def null_iff_reason(data: PolarsData, figure: str) -> pl.LazyFrame:
    """Whether, in each row, the figure is null exactly where a reason stands."""
    return data.lazyframe.select((pl.col(figure).is_null() == pl.col("reason").is_not_null()).alias("undefined"))


def ordered(data: PolarsData, low: str, high: str) -> pl.LazyFrame:
    """Whether, in each row, low is not above high, where both are there."""
    return data.lazyframe.select((pl.col(low) <= pl.col(high) + ROUNDING).fill_null(True).alias("ordered"))
