"""Contracts of the result tables of evaluate and monitor. Undefined is null with a reason, never NaN."""

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
    ReasonContract,
    ResultContract,
)
from schemas.rating_columns import RATER_KINDS, SCALES

WINDOWS = ["day", "week", "month", "rolling", "batch", "last_n"]
PERIODS = ["all", *WINDOWS]
GOLD_ORIGINS = ["drawn", "worklist", "unknown"]


class Agreement(IntervalContract, DetailContract):
    """One row per run, question, scope, period, coefficient, scale and weights."""

    scope: str = pa.Field(str_matches=r"(?s)^(humans|all|(label|subtree):.+|slice:.+=.*)$")
    period: str = pa.Field(isin=PERIODS)
    period_start: Instant = pa.Field(nullable=True)
    period_end: Instant = pa.Field(nullable=True)
    coefficient: str
    scale: str = pa.Field(isin=SCALES)
    weights: str = pa.Field(nullable=True)
    interval_method: str = pa.Field(nullable=True)
    confidence: float = pa.Field(gt=0, lt=1)
    estimate: float = pa.Field(nullable=True, le=1 + ROUNDING)
    se: float = pa.Field(nullable=True, ge=0)
    low: float = pa.Field(nullable=True)
    high: float = pa.Field(nullable=True)
    p_value: float = pa.Field(nullable=True, **SHARE)
    observed: float = pa.Field(nullable=True)
    expected: float = pa.Field(nullable=True)
    n_items: int = pa.Field(ge=0)
    n_raters: int = pa.Field(ge=0)
    n_ratings: int = pa.Field(ge=0)
    n_labels: int = pa.Field(nullable=True, ge=0)
    too_few: bool = pa.Field(nullable=True)


class PairwiseAgreement(ReasonContract):
    """One row per run, question, pair of raters (a before b) and coefficient."""

    rater_a: str
    rater_b: str
    coefficient: str
    estimate: float = pa.Field(nullable=True, le=1 + ROUNDING)
    se: float = pa.Field(nullable=True, ge=0)
    low: float = pa.Field(nullable=True)
    high: float = pa.Field(nullable=True)
    n_items: int = pa.Field(ge=0)
    weighted_kappa: float = pa.Field(nullable=True, le=1 + ROUNDING)
    weighted_low: float = pa.Field(nullable=True)
    weighted_high: float = pa.Field(nullable=True)

    @pa.dataframe_check(name="two_raters")
    @classmethod
    def _two_raters(cls, data: PolarsData) -> pl.LazyFrame:
        """A rater is not paired with itself."""
        return data.lazyframe.select((pl.col("rater_a") != pl.col("rater_b")).alias("two_raters"))


class RaterQuality(IntervalContract, DetailContract):
    """One row per run, question and rater."""

    _figure = "accuracy"

    rater: str
    rater_kind: str = pa.Field(isin=RATER_KINDS)
    n_ratings: int = pa.Field(ge=0)
    accuracy: float = pa.Field(nullable=True, **SHARE)
    low: float = pa.Field(nullable=True, **SHARE)
    high: float = pa.Field(nullable=True, **SHARE)
    agreement_with_others: float = pa.Field(nullable=True, **SHARE)
    n_gold: int = pa.Field(nullable=True, ge=0)
    gold_origin: str = pa.Field(nullable=True, isin=GOLD_ORIGINS)


class SystemAccuracy(OuterIntervalContract, DetailContract):
    """One row per run, question, scope, system, version and method."""

    _figure = "accuracy"

    scope: str = pa.Field(str_matches=r"(?s)^(all|slice:.+=.*)$")
    system: str
    system_version: str = pa.Field(nullable=True)
    method: str
    accuracy: float = pa.Field(nullable=True, **SHARE)
    se: float = pa.Field(nullable=True, ge=0)
    confidence: float = pa.Field(gt=0, lt=1)
    spread_low: float = pa.Field(nullable=True, **SHARE)
    spread_high: float = pa.Field(nullable=True, **SHARE)
    n_items: int = pa.Field(ge=0)
    n_gold: int = pa.Field(nullable=True, ge=0)
    gold_origin: str = pa.Field(nullable=True, isin=GOLD_ORIGINS)
    warnings: pl.List = pa.Field(nullable=True, dtype_kwargs={"inner": pl.String})


class AccuracyBins(ResultContract):
    """One row per run, question, system and bin of the raters' certainty."""

    system: str
    bin_low: float = pa.Field(**SHARE)
    bin_high: float = pa.Field(**SHARE)
    mean_posterior: float = pa.Field(nullable=True, **SHARE)
    n_items: int = pa.Field(ge=0)
    agreement: float = pa.Field(nullable=True, **SHARE)
    estimate: float = pa.Field(nullable=True, **SHARE)


class ItemConsensus(ResultContract):
    """One row per run, question and rating pattern (of all items rated so) with a human rating."""

    pattern_id: int
    label: str = pa.Field(nullable=True)
    probability: float = pa.Field(nullable=True, **SHARE)
    entropy: float = pa.Field(nullable=True, ge=-ROUNDING)
    expected_gain: float = pa.Field(nullable=True, ge=-ROUNDING)
    n_ratings: int = pa.Field(ge=0)
    method: str = pa.Field(nullable=True)
