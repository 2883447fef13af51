"""Contracts of ingest: what validation hands to the warehouse."""

import pandera.polars as pa
import polars as pl

from schemas.common import REQUIRED_ID, REQUIRED_LABEL, Instant, Table


class Ratings(Table):
    """One row per accepted answer: one rater's label for one item on one question, as one row of a file gave it.

    A rater may answer an item twice; which answer is current is for the warehouse to say.
    """

    question: str = pa.Field(str_length=REQUIRED_ID)
    item: str = pa.Field(str_length=REQUIRED_ID)
    rater: str = pa.Field(str_length=REQUIRED_ID)
    rater_kind: str = pa.Field(isin=["human", "system", "gold"])
    system_version: str = pa.Field(nullable=True, str_length=REQUIRED_ID)
    label: str = pa.Field(str_length=REQUIRED_LABEL)
    rated_at: Instant = pa.Field(nullable=True)
    score: float = pa.Field(nullable=True)
    duration_s: float = pa.Field(nullable=True, ge=0)
    source_ref: str = pa.Field(nullable=True, str_length=REQUIRED_ID)
    row_number: int = pa.Field(nullable=True, ge=1)


class Rejects(Table):
    """One row per row of a file that is no rating, with the code of the first reason and a sentence on all of them."""

    row_number: int = pa.Field(nullable=True, ge=1)
    column_name: str = pa.Field(nullable=True)
    value: str = pa.Field(nullable=True, str_length={"max_value": 200})
    reason: str = pa.Field(str_matches=r"^[a-z_]+$")
    detail: str = pa.Field(str_length={"min_value": 1})


class Metadata(Table):
    """One row per question, item and key."""

    question: str
    item: str
    key: str
    value: str = pa.Field(str_length={"max_value": 2_000})


class Batches(Table):
    """One row per batch: a file, or a page of a live source, taken in whole or not at all.

    Each row of the file is a rating, unchanged, skipped or rejected, and they add up.
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
        """n_rows is the sum of what became of the rows."""
        parts = pl.sum_horizontal("n_ratings", "n_unchanged", "n_skipped", "n_rejected")
        return data.lazyframe.select((pl.col("n_rows") == parts).alias("adds_up"))

    @pa.dataframe_check(name="rejected_has_reason")
    @classmethod
    def _rejected_has_reason(cls, data: pa.PolarsData) -> pl.LazyFrame:
        """A batch that was refused whole says why."""
        return data.lazyframe.select(((pl.col("status") == "rejected") == pl.col("reason").is_not_null()).alias("why"))
