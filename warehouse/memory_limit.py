"""Bound the memory of this process (`[limits] memory` of kappaflow.toml). DuckDB is not imported."""

import os

DUCKDB_SHARE = 0.5  # the rest is for Python, and for the frames that are read, keyed and stored
_limits: dict[str, int] = {}


def limit_memory(n_bytes: int | None) -> None:
    """Set the bound from now on. None: DuckDB's own bound holds, four fifths of the machine's memory.

    What does not fit into DuckDB's share it keeps in files beside the database, as long as a query lasts.
    """
    _limits.clear()
    if n_bytes is not None:
        _limits["process"] = n_bytes


def memory_limit() -> int | None:
    """Return the bound in bytes."""
    return _limits.get("process")


def process_memory() -> int:
    """Return the bytes that this process may hold: the bound, or four fifths of the machine's memory."""
    return memory_limit() or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 4 // 5


def duckdb_share() -> int | None:
    """Return how many bytes of the bound DuckDB may hold."""
    n_bytes = memory_limit()
    return None if n_bytes is None else int(n_bytes * DUCKDB_SHARE)


def memory_config() -> dict[str, str]:
    """Return DuckDB's setting of its share, or none.

    >>> limit_memory(8_000_000_000)
    >>> memory_config()
    {'memory_limit': '4000000000B'}
    >>> limit_memory(None)
    >>> memory_config()
    {}
    """
    share = duckdb_share()
    return {} if share is None else {"memory_limit": f"{share}B"}
