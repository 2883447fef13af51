"""Contracts of ingest: what the validation hands to the warehouse."""

from typing import Any

import pandera.polars as pa
import polars as pl

from schemas import rating_columns as columns
from schemas.common import Contract, Instant

ID: dict[str, Any] = {"min_value": 1, "max_value": columns.MAX_ID_LENGTH}
LABEL: dict[str, Any] = {"min_value": 1, "max_value": columns.MAX_LABEL_LENGTH}


class Ratings(Contract):
    """One row per accepted rating: one rater's label for one item and question, from one row of a file.

    A rater may rate an item twice. The warehouse decides which rating is current.
    """

    __annotations__ = dict(columns.RATINGS)
    question = pa.Field(str_length=ID)
    item = pa.Field(str_length=ID)
    rater = pa.Field(str_length=ID)
    rater_kind = pa.Field(isin=columns.RATER_KINDS)
    system_version = pa.Field(nullable=True, str_length=ID)
    label = pa.Field(str_length=LABEL)
    rated_at = pa.Field(nullable=True)
    score = pa.Field(nullable=True)
    duration_s = pa.Field(nullable=True, ge=0)
    source_ref = pa.Field(nullable=True, str_length=ID)
    row_number = pa.Field(nullable=True, ge=1)


class Rejects(Contract):
    """One row per row of a file that is not a rating: the first reason's code, and a sentence for each reason."""

    __annotations__ = dict(columns.REJECTS)
    row_number = pa.Field(nullable=True, ge=1)
    column_name = pa.Field(nullable=True)
    value = pa.Field(nullable=True, str_length={"max_value": columns.MAX_VALUE_LENGTH})
    reason = pa.Field(str_matches=r"^[a-z_]+$")
    detail = pa.Field(str_length={"min_value": 1})


class Metadata(Contract):
    """One row per question, item and key."""

    __annotations__ = dict(columns.METADATA)
    value = pa.Field(str_length={"max_value": columns.MAX_METADATA_LENGTH})


class Batches(Contract):
    """One row per batch: a file, or a page of a live source, stored whole or not at all.

    Each row of the file is a rating, unchanged, skipped or rejected. The counts add up.
    """

    batch_id: str
    source: str = pa.Field(nullable=True)
    file_name: str = pa.Field(nullable=True)
    sha256: str = pa.Field(nullable=True, str_matches=r"^[0-9a-f]{64}$")
    reader: str = pa.Field(nullable=True)
    status: str = pa.Field(isin=["stored", "rejected"])
    reason: str = pa.Field(nullable=True)
    detail: str = pa.Field(nullable=True)
    n_rows: int = pa.Field(ge=0)
    n_ratings: int = pa.Field(ge=0)
    n_unchanged: int = pa.Field(ge=0)
    n_skipped: int = pa.Field(ge=0)
    n_rejected: int = pa.Field(ge=0)
    started_at: Instant = pa.Field(nullable=True)
    ingested_at: Instant

    @pa.dataframe_check(name="adds_up")
    @classmethod
    def _adds_up(cls, data: pa.PolarsData) -> pl.LazyFrame:
        """n_rows is the sum of the other counts."""
        total = pl.sum_horizontal("n_ratings", "n_unchanged", "n_skipped", "n_rejected")
        return data.lazyframe.select((pl.col("n_rows") == total).alias("adds_up"))

    @pa.dataframe_check(name="rejected_has_reason")
    @classmethod
    def _rejected_has_reason(cls, data: pa.PolarsData) -> pl.LazyFrame:
        """A rejected batch has a reason, a stored one has none."""
        return data.lazyframe.select(((pl.col("status") == "rejected") == pl.col("reason").is_not_null()).alias("why"))
