"""Contracts of the result tables about single raters. Undefined is null with a reason, never NaN."""

from typing import Any

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData

from schemas.common import SHARE, IntervalContract, ReasonContract, ResultContract, ordered

DIFFERENCE: dict[str, Any] = {"ge": -1 - 1e-9, "le": 1 + 1e-9}


class RaterScorecards(ResultContract):
    """One row per run, question and human rater."""

    rater: str
    n_ratings: int = pa.Field(ge=0)
    n_items: int = pa.Field(ge=0)
    confidence: float = pa.Field(gt=0, lt=1)
    agreement: float = pa.Field(nullable=True, **SHARE)
    agreement_low: float = pa.Field(nullable=True, **SHARE)
    agreement_high: float = pa.Field(nullable=True, **SHARE)
    agreement_reason: str = pa.Field(nullable=True)
    accuracy: float = pa.Field(nullable=True, **SHARE)
    accuracy_low: float = pa.Field(nullable=True, **SHARE)
    accuracy_high: float = pa.Field(nullable=True, **SHARE)
    accuracy_reason: str = pa.Field(nullable=True)
    n_gold: int = pa.Field(ge=0)
    gold_accuracy: float = pa.Field(nullable=True, **SHARE)
    gold_low: float = pa.Field(nullable=True, **SHARE)
    gold_high: float = pa.Field(nullable=True, **SHARE)
    gold_reason: str = pa.Field(nullable=True)
    severity: float = pa.Field(nullable=True)
    severity_low: float = pa.Field(nullable=True)
    severity_high: float = pa.Field(nullable=True)
    severity_reason: str = pa.Field(nullable=True)

    @pa.dataframe_check(name="null_iff_reason")
    @classmethod
    def _null_iff_reason(cls, data: PolarsData) -> pl.LazyFrame:
        """Each figure is null exactly where it has a reason."""
        figures = {"agreement": "agreement", "accuracy": "accuracy", "gold_accuracy": "gold", "severity": "severity"}
        whole = pl.all_horizontal(
            pl.col(figure).is_null() == pl.col(f"{name}_reason").is_not_null() for figure, name in figures.items()
        )
        return data.lazyframe.select(whole.alias("undefined"))

    @pa.dataframe_check(name="ordered")
    @classmethod
    def _ordered(cls, data: PolarsData) -> pl.LazyFrame:
        """The lower end of the agreement's interval is not above the upper end."""
        return ordered(data, "agreement_low", "agreement_high")


class RaterBias(IntervalContract, ReasonContract):
    """One row per run, question, human rater and label."""

    _figure = "bias"

    rater: str
    label: str
    n_items: int = pa.Field(ge=0)
    confidence: float = pa.Field(gt=0, lt=1)
    own_share: float = pa.Field(nullable=True, **SHARE)
    others_share: float = pa.Field(nullable=True, **SHARE)
    bias: float = pa.Field(nullable=True, **DIFFERENCE)
    low: float = pa.Field(nullable=True, **DIFFERENCE)
    high: float = pa.Field(nullable=True, **DIFFERENCE)
