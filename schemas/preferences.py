"""Contracts of the result tables on votes on pairs of models."""

import pandera.polars as pa
import polars as pl
from pandera.api.polars.types import PolarsData

from schemas.common import DetailContract, IntervalContract

FIGURES = [
    "percent_agreement",
    "krippendorff_alpha",
    "agreement_with_others",
    "first_wins",
    "tie_parameter",
    "agreement_with_people",
    "people_on_the_same",
    "difference_to_people",
]


class ModelStrengths(IntervalContract, DetailContract):
    """One row per run, question and model."""

    _figure = "low"

    model: str
    strength: float = pa.Field(nullable=True)
    se: float = pa.Field(nullable=True, ge=0)
    low: float = pa.Field(nullable=True)
    high: float = pa.Field(nullable=True)
    confidence: float = pa.Field(gt=0, lt=1)
    rank: int = pa.Field(nullable=True, ge=1)
    rank_low: int = pa.Field(nullable=True, ge=1)
    rank_high: int = pa.Field(nullable=True, ge=1)
    n_votes: int = pa.Field(ge=1)
    n_wins: int = pa.Field(ge=0)
    n_losses: int = pa.Field(ge=0)
    n_ties: int = pa.Field(ge=0)
    votes_of: str = pa.Field(isin=["people", "systems"])
    interval_method: str = pa.Field(isin=["clustered", "information"])

    @pa.dataframe_check(name="votes_add_up")
    @classmethod
    def _votes_add_up(cls, data: PolarsData) -> pl.LazyFrame:
        """Each vote is won, lost or a tie."""
        total = pl.col("n_wins") + pl.col("n_losses") + pl.col("n_ties")
        return data.lazyframe.select((pl.col("n_votes") == total).alias("votes_add_up"))


class PreferenceFigures(IntervalContract, DetailContract):
    """One row per run, question, figure and rater."""

    _figure = "low"

    figure: str = pa.Field(isin=FIGURES)
    rater: str = pa.Field(nullable=True)
    estimate: float = pa.Field(nullable=True)
    low: float = pa.Field(nullable=True)
    high: float = pa.Field(nullable=True)
    confidence: float = pa.Field(gt=0, lt=1)
    n_votes: int = pa.Field(nullable=True, ge=0)
    n_comparisons: int = pa.Field(nullable=True, ge=0)
