"""Times without a zone as local times of a zone, and what is no time."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from tasks.formats.parsing.timestamps import local_as_utc, offer_format, parse_times


@pytest.mark.parametrize(
    "timezone", ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Asia/Kolkata"]
)
def test_local_times_are_those_of_the_standard_library(timezone: str) -> None:
    """Its fold=0 is the earlier of two, and a skipped time is later by what the clocks skip."""
    local = [
        f"{year}-{month:02}-{day:02} {hour:02}:30"
        for year in (2011, 2026)
        for month in (3, 4, 10, 11, 12)
        for day in range(1, 31)
        for hour in range(24)
    ]
    expected = [datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(timezone)).astimezone(UTC) for text in local]
    assert parse_times(local_as_utc(pl.Series(local), timezone)).to_list() == expected


@pytest.mark.parametrize("text", ["2026-07-01", "2026-7-1 0:00:00", "2026-07-01T00:00:00.000000", " 2026-07-01 00:00 "])
def test_each_spelling_without_a_zone_is_local(text: str) -> None:
    assert local_as_utc(pl.Series([text]), "Europe/Berlin").to_list() == ["2026-06-30T22:00:00.000000Z"]


@pytest.mark.parametrize(
    "text", ["2026-07-01T00:00Z", "2026-07-01 00:00:00 UTC", "2026-07-01 00:00+02", "1763679276", "soon", None]
)
def test_times_with_a_zone_numbers_and_what_is_no_time_stay(text: str | None) -> None:
    assert local_as_utc(pl.Series([text], dtype=pl.String), "Europe/Berlin").to_list() == [text]


@pytest.mark.parametrize("times", [["0", "0.0"], ["1970-01-01 00:00:00", "1970-01-01T01:00:00+01:00"], ["1969-12-31"]])
def test_zero_and_1970_are_said_to_be_no_times(times: list[str]) -> None:
    text = offer_format(pl.Series([*times, None]), "date")
    assert text == "Programs that know no time write 0, which is 1970. If a time is not known, leave its cell empty."
    assert "time_format" in offer_format(pl.Series([*times, "soon"]), "date")
