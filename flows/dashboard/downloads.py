"""The files in which the rows behind a section can be downloaded."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Download:
    """A format: what a link to it is called, and its media type."""

    title: str
    media_type: str


MAX_ROWS = 100_000  # of a download; `kappaflow export` and SQL have no such limit
DOWNLOADS = {  # by the ending of the file
    "csv": Download("CSV", "text/csv; charset=utf-8"),
    "xlsx": Download("Excel", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    "parquet": Download("Parquet", "application/vnd.apache.parquet"),
}
