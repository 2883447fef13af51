"""Divide the memory of a process (`[limits] memory`) among the parts of a count."""

from warehouse.memory_limit import DUCKDB_SHARE, memory_limit

USUAL = 6_000_000_000
"""Bytes that a count keeps to where the settings have no limit."""
BUCKET_ROWS = 3_000_000
ROW_BYTES = 2_000
"""Bytes of the process for each row of a bucket: its texts, its ratings, and their counts."""


def engine_memory(own: str | None, n_engines: int = 1) -> str:
    """Return the memory of one of the engines that count at the same time, as DuckDB takes it. `own` goes before.

    >>> engine_memory(None), engine_memory(None, 2), engine_memory("500 MB", 2)
    ('3000000000B', '1500000000B', '500 MB')
    """
    return own or f"{int((memory_limit() or USUAL) * DUCKDB_SHARE / n_engines)}B"


def bucket_rows() -> int:
    """Return how many rows a bucket of items may have.

    >>> bucket_rows()
    3000000
    """
    return min(BUCKET_ROWS, (memory_limit() or USUAL) // ROW_BYTES)
