"""Hold the rows that are not ratings, each with its place in the file and the reason."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from schemas.rating_columns import MAX_DETAIL_LENGTH, MAX_VALUE_LENGTH, REJECTS


class Reject(NamedTuple):
    """One row that is not a rating, with a code of REASONS and a sentence about this row."""

    row_number: int | None
    column_name: str | None
    value: str | None
    reason: str
    detail: str


def rejects_frame(rejects: Iterable[Reject]) -> pl.DataFrame:
    """Return a REJECTS frame. Values are cut at 200 characters, sentences at 1,000."""
    rows = [
        (r.row_number, r.column_name, r.value and r.value[:MAX_VALUE_LENGTH], r.reason, r.detail[:MAX_DETAIL_LENGTH])
        for r in rejects
    ]
    return pl.DataFrame(rows, schema=REJECTS, orient="row")
