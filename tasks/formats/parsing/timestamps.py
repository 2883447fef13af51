"""Read times of many spellings as UTC."""

from datetime import UTC, datetime

import polars as pl

from tasks.counted_words import counted

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
N_EXACT = 3  # so many formats are tried on the text as it is, the others on the text with T and +HH:MM
DAYS = (
    *("%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%d.%m.%Y", "%d.%m.%y", "%m-%d-%Y", "%d-%m-%Y", "%Y/%m/%d"),
    *("%Y.%m.%d", "%b %d, %Y", "%d %b %Y", "%d-%b-%Y"),
)
EXCEL = "excel"  # days since 1899-12-30, as a spreadsheet keeps a date whose cell has no date format
EXCEL_DAYS = (25_569, 73_050)  # 1970 to 2099
OFFSETS = ("%z", "%:z", "%#z")
CLOCKS = ("", " %H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p")
MAX_JUDGED = 1_000  # times by which a column is judged
EARLIEST, LATEST = datetime(1971, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
INSTANT = pl.Datetime("us", "UTC")
DAY_ALONE = r"^\s*\d{4}-\d{2}-\d{2}\s*$"
LOCAL = r"^\s*\d{4}-\d{1,2}-\d{1,2}([Tt ]\s*\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?)?\s*$"
CLOCK_WITHOUT_ZONE = r"^\s*\d{4}-\d{2}-\d{2}[Tt ]\s*\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?\s*$"
NO_TIME = r"^\s*(0+(\.0+)?|1969-12-31.*|1970-.*)$"  # 0 as Unix seconds, in any zone
CLOCK = r"^\s*\d{4}-\d{2}-\d{2}[Tt ]\s*\d"


def parse_times(texts: pl.Series) -> pl.Series:
    """Parse text to Datetime("us", "UTC").

    It reads ISO 8601 (T or space, Z or an offset; without one it is UTC; a bare date is its midnight), and Unix
    seconds, milliseconds or microseconds as a number, told apart by size. Null stays null. Text that is no time, or a
    time before 1971 or after 2199, becomes null: programs write 0, and so 1970, where they know no time.

    >>> parse_times(pl.Series(["2026-11-20T22:54:36.5Z", "2026-11-20 23:54+01:00", "1763679276", "soon"])).dt.to_string(
    ...     "%Y-%m-%d %H:%M:%S").to_list()
    ['2026-11-20 22:54:36', '2026-11-20 22:54:00', '2025-11-20 22:54:36', None]
    """
    if texts.null_count() == len(texts):
        return pl.repeat(None, len(texts), dtype=INSTANT, eager=True).alias(texts.name)
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


def likely_formats(texts: pl.Series) -> list[str]:
    """Return the formats that fit all these texts. There are several if day and month cannot be told apart.

    >>> likely_formats(pl.Series(["3/24/2016 17:57:02", "3/25/2016 09:00:00"]))
    ['%m/%d/%Y %H:%M:%S']
    >>> likely_formats(pl.Series(["03/04/2016"])), likely_formats(pl.Series(["soon"]))
    (['%m/%d/%Y', '%d/%m/%Y'], [])
    """
    values = texts.drop_nulls()
    formats = (day + clock for day in DAYS for clock in CLOCKS)
    first = [form for form in formats if len(values) and parse_format(values.head(1), form).is_not_null().all()]
    return [form for form in first if parse_format(values, form).is_not_null().all()]


def with_times(
    rows: pl.DataFrame, header: str | None, form: str | None, timezone: str | None
) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows with their times parsed by `form`, if it is set, and a sentence if the times cannot be read.

    `header` is the column of `rated_at`. A time that does not fit the format stays unchanged. It is rejected later,
    unless it has one of the usual spellings. A mix of times with and without a zone is no doubt if `timezone` is set.
    """
    if header is None:
        return rows, ["No column is read as time, so time_format has no effect."] if form else []
    texts = rows["rated_at"]
    if form is not None:
        zone = "Z" if any(offset in form for offset in OFFSETS) else ""
        times = parse_format(texts, form).dt.to_string(f"%Y-%m-%dT%H:%M:%S%.6f{zone}")
        return rows.with_columns(pl.coalesce(times, texts).alias("rated_at")), []
    first = texts.drop_nulls().head(MAX_JUDGED)
    if 2 * parse_times(first).null_count() <= len(first):
        return rows, [] if timezone else _mixed_zones(texts, header)
    seen = f"Most values of column {header!r} (time) cannot be read, such as {first[0][:40]!r}."
    return rows, [f"{seen} {offer_format(first, header)}"]


def _mixed_zones(texts: pl.Series, header: str) -> list[str]:
    """Say how many times have no zone, where others of the column have one: those may be local times."""
    without_zulu = texts.filter(~texts.str.ends_with("Z"))
    n_without = int(without_zulu.str.contains(CLOCK_WITHOUT_ZONE).sum())
    if not n_without:
        return []
    n_with = len(texts) - texts.null_count() - len(without_zulu.drop_nulls())
    n_with += int(without_zulu.str.contains(CLOCK).sum()) - n_without
    if not n_with:
        return []
    return [
        f"Column {header!r} (time) has a time zone in {counted(n_with, 'row')} and none in {n_without:,}. Times "
        "without one are read as UTC. If they are local times, name their zone as timezone of the [[source]], or write "
        "their offset into the file."
    ]


def local_as_utc(texts: pl.Series, timezone: str | None) -> pl.Series:
    """Return the times with those that have no zone turned from local times of `timezone` into UTC. None: unchanged.

    A time that the clocks show twice is the earlier one. A time that they skip is later by what they skip.

    >>> times = ["2026-07-01 12:00", "2026-10-25 02:30", "2026-03-29 02:30", "2026-07-01T12:00Z", "1763679276"]
    >>> local_as_utc(pl.Series(times), "Europe/Berlin").str.slice(0, 16).to_list()
    ['2026-07-01T10:00', '2026-10-25T00:30', '2026-03-29T01:30', '2026-07-01T12:00', '1763679276']
    """
    if timezone is None:
        return texts
    clocks = parse_times(texts.set(~texts.str.contains(LOCAL), None)).dt.replace_time_zone(None)
    before = _in_utc(clocks.dt.offset_by("-1d"), timezone).dt.offset_by("1d")
    times = _in_utc(clocks, timezone).fill_null(before)
    return times.dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").fill_null(texts)


def _in_utc(clocks: pl.Series, timezone: str) -> pl.Series:
    """Return when clocks of the zone show these times: the first moment, or null for a time that they skip."""
    local = clocks.dt.replace_time_zone(timezone, ambiguous="earliest", non_existent="null")
    return local.dt.convert_time_zone("UTC")


def times_without_zone(texts: pl.Series, timezone: str) -> pl.Series:
    """Return the times without a zone that may count on another day, where the days are those of `timezone`.

    A day without a clock may not if its midnight in UTC is on the same day there.

    >>> times = pl.Series(["2026-04-01", "2026-04-01 23:30", "2026-04-01T23:30Z", "1763679276", None])
    >>> times_without_zone(times, "Europe/Berlin").to_list()
    ['2026-04-01 23:30']
    >>> times_without_zone(times, "America/New_York").to_list()
    ['2026-04-01 23:30', '2026-04-01']
    """
    if timezone == "UTC":
        return texts.clear()
    days = texts.filter(texts.str.contains(DAY_ALONE))
    there = parse_times(days).dt.convert_time_zone(timezone).dt.strftime("%Y-%m-%d")
    others = days.filter((there != days.str.strip_chars()).fill_null(False))
    return pl.concat([texts.filter(texts.str.contains(CLOCK_WITHOUT_ZONE)), others])


def offer_format(texts: pl.Series, header: str) -> str:
    """Say what to do about times in an unknown spelling."""
    forms = likely_formats(texts)
    values = texts.drop_nulls()
    if len(values) and values.cast(pl.Float64, strict=False).is_between(*EXCEL_DAYS).fill_null(False).all():
        return (
            f"They look like a spreadsheet's day numbers. Read them with --columns 'time={header},time_format={EXCEL}'."
        )
    if len(values) and values.str.contains(NO_TIME).all():
        return "Programs that know no time write 0, which is 1970. If a time is not known, leave its cell empty."
    if not forms:
        return f"Say how they are written: --columns 'time={header},time_format=%m/%d/%Y %H:%M'."
    offered = " or ".join(f"--columns 'time={header},time_format={form}'" for form in forms[:3])
    doubt = " Their day and month cannot be told apart." if len(forms) > 1 else ""
    return f"They look like {' or '.join(forms[:3])}.{doubt} Read them with {offered}."


def parse_format(texts: pl.Series, form: str) -> pl.Series:
    """Parse text to Datetime("us", "UTC") by a format such as `%m/%d/%Y %H:%M`, or EXCEL. Other text becomes null.

    Without an offset in the format the time is UTC, without a clock it is midnight.

    >>> parse_format(pl.Series(["3/24/2016 17:57", "x"]), "%m/%d/%Y %H:%M").dt.to_string("%Y-%m-%dT%H:%M").to_list()
    ['2016-03-24T17:57', None]
    >>> parse_format(pl.Series(["46266.75", "x"]), "excel").dt.to_string("%Y-%m-%dT%H:%M").to_list()
    ['2026-09-01T18:00', None]
    """
    clean = texts.str.strip_chars()
    if form == EXCEL:
        days = clean.cast(pl.Float64, strict=False)
        times = ((days - EXCEL_DAYS[0]) * 86_400_000).round().cast(pl.Int64, strict=False).cast(pl.Datetime("ms"))
        times = times.cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
    elif any(offset in form for offset in OFFSETS):
        times = clean.str.to_datetime(form, time_unit="us", time_zone="UTC", strict=False)
    elif any(clock in form for clock in ("%H", "%I", "%T", "%R", "%s", "%k", "%l", "%r", "%X", "%c")):
        times = clean.str.to_datetime(form, time_unit="us", strict=False).dt.replace_time_zone("UTC")
    else:
        times = clean.str.to_date(form, strict=False).cast(pl.Datetime("us")).dt.replace_time_zone("UTC")
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
    """Parse rows that no earlier spelling fits. Trying all spellings on all rows costs ten times more."""
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
