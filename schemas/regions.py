"""Contracts of the result tables on spans, boxes, rankings and texts."""

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData

from schemas.common import DetailContract, IntervalContract, ResultContract
from schemas.windows import Window

COEFFICIENTS = [
    "f1_exact",
    "f1_partial",
    "character_alpha",
    "unitised_alpha",
    "f1_iou50",
    "f1_iou75",
    "mean_iou",
    "kendall_w",
    "spearman",
    "kendall_tau",
    "text_similarity",
    "word_similarity",
    "exact_match",
]


class RegionFigures(IntervalContract, DetailContract):
    """A table of figures on spans, boxes, rankings or texts."""

    _figure = "low"

    label: str = pa.Field(nullable=True)
    coefficient: str = pa.Field(isin=COEFFICIENTS)
    estimate: float = pa.Field(nullable=True, ge=-1e9, le=1 + 1e-9)
    se: float = pa.Field(nullable=True, ge=0)
    low: float = pa.Field(nullable=True)
    high: float = pa.Field(nullable=True)
    interval_method: str
    n_regions: int = pa.Field(ge=0)


class RegionAgreement(RegionFigures):
    """One row per run, question, pair of raters or all, label or all, and coefficient."""

    rater_a: str = pa.Field(nullable=True)
    rater_b: str = pa.Field(nullable=True)
    confidence: float = pa.Field(gt=0, lt=1)
    n_items: int = pa.Field(ge=0)
    n_raters: int = pa.Field(ge=0)

    @pa.dataframe_check(name="both_raters_or_none")
    @classmethod
    def _both_raters_or_none(cls, data: PolarsData) -> pl.LazyFrame:
        """A pair has two raters."""
        return data.lazyframe.select((pl.col("rater_a").is_null() == pl.col("rater_b").is_null()).alias("pair"))


class RegionWindows(Window, RegionFigures):
    """One row per question, window, label or all, and coefficient."""

    n_raters: int = pa.Field(ge=2)


class ItemDistances(ResultContract):
    """One row per question, item, pair of raters, label of spans or boxes, and coefficient."""

    item: str
    rater_a: str = pa.Field(nullable=True)
    rater_b: str = pa.Field(nullable=True)
    label: str = pa.Field(nullable=True)
    coefficient: str = pa.Field(isin=COEFFICIENTS)
    value: float
    weight: float = pa.Field(gt=0)

    @pa.dataframe_check(name="both_raters_or_none")
    @classmethod
    def _both_raters_or_none(cls, data: PolarsData) -> pl.LazyFrame:
        """A pair has two raters; only what all raters have together has none."""
        nulls = pl.col("rater_a").is_null()
        same = nulls == pl.col("rater_b").is_null()
        return data.lazyframe.select((same & (nulls == (pl.col("coefficient") == "kendall_w"))).alias("pair"))
