"""Times of many spellings as UTC."""

from datetime import UTC, datetime

import polars as pl

FIRST = "%Y-%m-%dT%H:%M:%SZ"  # what most exports have, taken apart twice as fast as by "%+", which reads it too
SPELLINGS = (
    "%+",
    "%Y-%m-%d %H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f",
    "%Y-%m-%dT%H:%M:%S%.f%z",
    "%Y-%m-%dT%H:%M%z",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d",
)
N_EXACT = 3  # the spellings that are tried on the text as it is; the others on the text with T and +HH:MM
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
INSTANT = pl.Datetime("us", "UTC")


def parse_times(texts: pl.Series) -> pl.Series:
    """Text -> Datetime("us", "UTC"): ISO 8601 (T or space, Z or an offset, without one UTC is meant; a bare date is
    its midnight), or Unix seconds, milliseconds or microseconds as a number, told apart by size.

    Null stays null; what is not a time, or lies before 1970 or after 2199, becomes null.

    >>> parse_times(pl.Series(["2026-11-20T22:54:36.5Z", "2026-11-20 23:54+01:00", "1763679276", "soon"])).dt.to_string(
    ...     "%Y-%m-%d %H:%M:%S").to_list()
    ['2026-11-20 22:54:36', '2026-11-20 22:54:00', '2025-11-20 22:54:36', None]
    """
    times = _parse(texts, FIRST).alias(texts.name).cast(INSTANT)
    clean = texts
    for n, spelling in enumerate((*SPELLINGS[:N_EXACT], "unix", *SPELLINGS[N_EXACT:])):
        rest = (times.is_null() & clean.is_not_null()).arg_true()
        if not len(rest):
            break
        if n == N_EXACT + 1:
            clean = _as_iso(clean)
        times = times.scatter(rest, _parse(clean.gather(rest), spelling))
    inside = times.is_between(EARLIEST, LATEST, closed="left").fill_null(False)
    return times.set(~inside, None)


def _as_iso(texts: pl.Series) -> pl.Series:
    return (
        texts.str.strip_chars()
        .str.replace(r"^(\d{4}-\d{2}-\d{2})[ t]+", "${1}T")
        .str.replace(r" ?(?:[zZ]|UTC|GMT)$", "+00:00")
        .str.replace(r"(T\S+?) ?([+-]\d{2})$", "${1}${2}:00")
    )


def _parse(texts: pl.Series, spelling: str) -> pl.Series:
    """Only rows that no earlier spelling fits come here: trying all spellings on all rows costs ten times more."""
    if spelling == "unix":
        return _unix(texts)
    if spelling.endswith(("z", "+")):
        return texts.str.to_datetime(spelling, time_unit="us", time_zone="UTC", strict=False)
    return texts.str.to_datetime(spelling, time_unit="us", strict=False).dt.replace_time_zone("UTC")


def _unix(texts: pl.Series) -> pl.Series:
    number = pl.col("number")
    micros = (
        pl.when(number.is_between(1e8, 1e11)).then(number * 1e6)
        .when(number.is_between(1e11, 1e14)).then(number * 1e3)
        .when(number.is_between(1e14, 1e17)).then(number)
    )  # fmt: skip
    frame = texts.str.strip_chars().cast(pl.Float64, strict=False).alias("number").to_frame()
    return frame.select(micros.round().cast(pl.Int64, strict=False).cast(INSTANT)).to_series()
