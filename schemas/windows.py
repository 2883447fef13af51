"""Contracts of the tables of windows, which hold what the last run of a question computed."""

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData

from schemas.common import (
    ROUNDING,
    SHARE,
    DetailContract,
    Instant,
    IntervalContract,
    OuterIntervalContract,
    ResultContract,
)
from schemas.results import WINDOWS


class Window(ResultContract):
    """What all tables of windows have: the window, its size, and whether it is too small."""

    period: str = pa.Field(isin=WINDOWS)
    period_start: Instant = pa.Field(nullable=True)
    period_end: Instant = pa.Field(nullable=True)
    batch_id: str = pa.Field(nullable=True)
    n_items: int = pa.Field(ge=1)
    confidence: float = pa.Field(gt=0, lt=1)
    too_few: bool

    @pa.dataframe_check(name="bounds")
    @classmethod
    def _bounds(cls, data: PolarsData) -> pl.LazyFrame:
        """All windows but that of the last items have a start and an end. A window of a batch names the batch."""
        dated = pl.col("period") != "last_n"
        whole = dated == pl.col("period_start").is_not_null()
        names_batch = (pl.col("period") == "batch") == pl.col("batch_id").is_not_null()
        return data.lazyframe.select((whole & names_batch).alias("bounds"))

    @pa.dataframe_check(name="in_order")
    @classmethod
    def _in_order(cls, data: PolarsData) -> pl.LazyFrame:
        """A window does not end before it starts."""
        in_order = (pl.col("period_start") <= pl.col("period_end")).fill_null(True)
        return data.lazyframe.select(in_order.alias("in_order"))


class ShareWindow(Window):
    """A window with a share."""

    share: float = pa.Field(**SHARE)
    low: float = pa.Field(**SHARE)
    high: float = pa.Field(**SHARE)

    @pa.dataframe_check(name="share_inside")
    @classmethod
    def _share_inside(cls, data: PolarsData) -> pl.LazyFrame:
        """The interval holds the share."""
        inside = pl.col("share").is_between(pl.col("low"), pl.col("high"))
        return data.lazyframe.select(inside.alias("share_inside"))


class LabelWindows(ShareWindow):
    """One row per question, window and label."""

    label: str
    n_ratings: int = pa.Field(ge=0)


class LabelConfusionWindows(ShareWindow):
    """One row per question, window and two labels."""

    label_a: str
    label_b: str
    n_pairs: int = pa.Field(ge=0)


class QualityWindow(Window, IntervalContract, DetailContract):
    """A window with the agreement of a rater or system with people, and its accuracy."""

    _figure = "accuracy"

    n_shared: int = pa.Field(ge=0)
    agreement_with_others: float = pa.Field(nullable=True, **SHARE)
    agreement_low: float = pa.Field(nullable=True, **SHARE)
    agreement_high: float = pa.Field(nullable=True, **SHARE)
    accuracy: float = pa.Field(nullable=True, **SHARE)
    se: float = pa.Field(nullable=True, ge=0)
    low: float = pa.Field(nullable=True, **SHARE)
    high: float = pa.Field(nullable=True, **SHARE)

    @pa.dataframe_check(name="whole_figures")
    @classmethod
    def _whole_figures(cls, data: PolarsData) -> pl.LazyFrame:
        """A figure comes with its interval. There is an agreement where other people rated the items."""
        accuracy, agreement = pl.col("accuracy").is_null(), pl.col("agreement_with_others").is_null()
        whole = (accuracy == pl.col("low").is_null()) & (agreement == pl.col("agreement_low").is_null())
        return data.lazyframe.select((whole & (agreement == (pl.col("n_shared") == 0))).alias("whole_figures"))


class RaterWindows(QualityWindow):
    """One row per question, window and rater."""

    rater: str


class SystemWindows(QualityWindow):
    """One row per question, window and system."""

    system: str


class LabelRateWindows(Window, OuterIntervalContract, DetailContract):
    """One row per question, window, system, label and method."""

    system: str
    label: str
    method: str = pa.Field(isin=["ppi", "rogan_gladen", "model", "raw"])
    estimate: float = pa.Field(nullable=True, **SHARE)
    n_gold: int = pa.Field(ge=0)

    @pa.dataframe_check(name="whole_rate")
    @classmethod
    def _whole_rate(cls, data: PolarsData) -> pl.LazyFrame:
        """A rate comes with its interval, which holds it."""
        none = pl.col("estimate").is_null()
        inside = pl.col("estimate").is_between(pl.col("low") - ROUNDING, pl.col("high") + ROUNDING)
        whole = pl.when(none).then(pl.col("low").is_null()).otherwise(inside)
        return data.lazyframe.select(whole.fill_null(False).alias("whole_rate"))
