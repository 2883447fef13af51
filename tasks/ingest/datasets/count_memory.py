"""Divide the memory of a process (`[limits] memory`) among the parts of a count, and say what does not fit into it."""

from warehouse.memory_limit import DUCKDB_SHARE, memory_limit, process_memory

USUAL = 6_000_000_000
"""Bytes that a count keeps to where the settings have no limit."""
BUCKET_ROWS = 3_000_000
ROW_BYTES = 2_000
"""Bytes of the process for each row of a bucket: its texts, its ratings, and their counts."""
COUNT_BYTES = 600
"""Bytes of the process for each rating of a pattern, which are counted, stored, evaluated and charted as a whole."""


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


def max_counts() -> int:
    """Return how many ratings the patterns may have, or how many counts the slices."""
    return process_memory() // COUNT_BYTES


def memory_for(n_counts: int) -> str:
    """Return the memory that so many need, as the settings take it.

    >>> memory_for(20_000_001)
    '13 GB'
    """
    return f"{-(-n_counts * COUNT_BYTES // 10**9)} GB"
