"""Check a Parquet file before it is read: its size in memory, and its dates."""

from datetime import date
from pathlib import Path

import polars as pl

from tasks.errors import ReadError
from tasks.formats.parsing.limits import check_columns, limits, raise_it, size

EPOCH = date(1970, 1, 1).toordinal()
CELL = 16  # bytes of a cell in memory, besides long text


def check_parquet(path: Path) -> None:
    """Raise ReadError if a Parquet file is too large once it is read, or holds a date that Python cannot hold.

    A few bytes of Parquet may stand for any number of rows. Each cell takes at least CELL bytes in memory.
    """
    scan = pl.scan_parquet(path)
    n_columns, n_rows = len(scan.collect_schema()), scan.select(pl.len()).collect().item()
    check_columns(path, n_columns)
    if n_rows * n_columns * CELL > (most := limits().max_unpacked_size):
        raise ReadError.of(
            path,
            f"holds {n_rows:,} rows of {n_columns:,} columns, more than {size(most)} once they are read.",
            f"Write fewer columns or several files. {raise_it('max_unpacked_size')}",
        )
    _check_dates(path, scan)


def _check_dates(path: Path, scan: pl.LazyFrame) -> None:
    """Raise ReadError for a date outside the years that Python knows."""
    columns = scan.collect_schema()
    ends = {name: ends for name, dtype in columns.items() if (ends := _year_ends(dtype)) is not None}
    if not ends:
        return
    values = scan.select(pl.col(name).to_physical() for name in ends)
    outside = values.select(~pl.col(name).is_between(*limits_of) for name, limits_of in ends.items())
    has_outside = outside.select(pl.all().any()).collect()
    if wrong := [name for name in ends if has_outside[name].item()]:
        raise ReadError(
            f"{path.name}: column {wrong[0]!r} holds a date outside the years 1 to 9999.",
            "Correct the date, or write the file without the column.",
            file=str(path),
            column=wrong[0],
        )


def _year_ends(dtype: pl.DataType) -> tuple[int, int] | None:
    """Return the first and last value of a column of dates or times, as whole numbers, that lies in years 1 to 9999."""
    first, last = date.min.toordinal() - EPOCH, date.max.toordinal() - EPOCH
    if isinstance(dtype, pl.Date):
        return first, last
    if isinstance(dtype, pl.Datetime) and dtype.time_unit != "ns":  # 64 bits of nanoseconds are 292 years
        day = {"ms": 86_400_000, "us": 86_400_000_000}[dtype.time_unit]
        return first * day, (last + 1) * day - 1
    return None
