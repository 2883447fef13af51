"""Tell before a table is read whether it fits into the memory: else the system may end the process."""

from pathlib import Path

from tasks.errors import UnavailableError
from tasks.formats.parsing.file_look import FileLook
from tasks.formats.parsing.limits import size
from warehouse.memory_limit import memory_limit, process_memory

ROW_BYTES = 180
"""Bytes for each row on its way from a table to the warehouse, beside its text."""
COPIES = {"text": 2.0, "jsonl": 0.5}
"""Bytes for each byte of a file: separated text is held as a whole beside its cells, JSON lines are not."""
BLOCK = 1 << 16  # bytes looked at in the middle


def check_memory(seen: FileLook) -> None:
    """Raise UnavailableError if reading a table surely takes more memory than this process may hold.

    The number of rows is estimated from the length of the first rows and of some lines in the middle of the file.
    Parquet has another limit (max_unpacked_size).
    """
    if seen.kind not in COPIES or not seen.sample:
        return
    n_bytes, bound = seen.path.stat().st_size, process_memory()
    n_rows = max(1, round(n_bytes / max(_row_length(seen), _line_length(seen.path, n_bytes // 2))))
    needed = round(COPIES[seen.kind] * n_bytes + ROW_BYTES * n_rows)
    if needed <= bound:
        return
    whose = "is the limit" if memory_limit() else "is four fifths of this machine's"
    most = _rounded_down(n_rows * bound / needed)
    raise UnavailableError.of(
        seen.path,
        f"has about {float(f'{n_rows:.2g}'):,.0f} rows: reading it takes some {size(needed)} of memory, and"
        f" {size(bound)} {whose}.",
        f"Split it into files of at most {most:,} rows, or give more memory ([limits] memory in kappaflow.toml).",
    )


def _row_length(seen: FileLook) -> float:
    """Return the mean length of the first rows, with their separators. JSON lines repeat the keys."""
    of_keys = sum(len(header) + 5 for header in seen.headers) if seen.kind == "jsonl" else 0
    lengths = [sum(len(cell or "") + 1 for cell in row) for row in seen.sample]
    return of_keys + sum(lengths) / len(lengths)


def _line_length(path: Path, place: int) -> float:
    """Return the mean length of lines further on: numbered items have longer names there."""
    with path.open("rb") as file:
        file.seek(place)
        block = file.read(BLOCK)
    return len(block) / max(1, block.count(b"\n"))


def _rounded_down(n: float) -> int:
    """Return a number with one digit that is not 0.

    >>> _rounded_down(38_123_456.7), _rounded_down(7)
    (30000000, 7)
    """
    unit = int(10 ** (len(str(int(n))) - 1))
    return max(1, int(n) // unit * unit)
