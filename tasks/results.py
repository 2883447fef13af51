"""Read whole views of the published snapshot, for the report, the terminal and Prefect's artifact."""

from pathlib import Path

import polars as pl

from warehouse.connect import connect
from warehouse.reads import table


def read_views(snapshot: Path, *names: str) -> dict[str, pl.DataFrame]:
    """Each named table or view as a frame."""
    with connect(snapshot, read_only=True) as con:
        return {name: table(con, name) for name in names}


def overall(agreement: pl.DataFrame) -> pl.DataFrame:
    """The rows over all ratings, of `latest_agreement`."""
    return agreement.filter((pl.col("period") == "all") & (pl.col("scope") == "humans"))
