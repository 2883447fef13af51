"""Count rejected rows, for the report and the command line. The rows are those of the view `current_rejected_rows`."""

from collections.abc import Sequence

import polars as pl


def rejected_by_file(rejected: pl.DataFrame, files: Sequence[str]) -> pl.DataFrame:
    """Count the rejected rows of these files: file_name, reason, n_rows, first_row, detail (of one of them)."""
    return (
        rejected.filter(pl.col("file_name").is_in(files))
        .group_by("file_name", "reason")
        .agg(pl.col("n_rows").sum(), pl.col("row_number").min().alias("first_row"), pl.col("detail").first())
        .sort("file_name", "reason")
    )


def rejected_by_reason(rejected: pl.DataFrame) -> pl.DataFrame:
    """Count the rejected rows of all files: reason, n_rows, n_files. The most frequent reason comes first."""
    if rejected.is_empty():  # Its columns may have no types.
        return pl.DataFrame(schema={"reason": pl.String, "n_rows": pl.Int64, "n_files": pl.UInt32})
    return (
        rejected.group_by("reason")
        .agg(pl.col("n_rows").fill_null(1).sum(), pl.col("file_name").n_unique().alias("n_files"))
        .sort(["n_rows", "reason"], descending=[True, False])
    )
