"""Dates of Parquet files that no Python date can hold, and files that are no exports at all."""

import random
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import ReadError, UnknownFormatError
from tasks.formats.parsing.file_look import look_at_file

DAY = 86_400_000_000
LAST = 2_932_896  # days from 1970 to 9999-12-31


def written(path: Path, values: list[int | None], dtype: pl.DataType | type[pl.DataType]) -> Path:
    frame = pl.DataFrame({"item": [str(n) for n in range(len(values))]})
    frame.with_columns(pl.Series("made", values, pl.Int64).cast(dtype)).write_parquet(path)
    return path


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ((LAST + 1) * DAY, pl.Datetime("us")),
        ((LAST + 1) * DAY // 1000, pl.Datetime("ms", "UTC")),
        (LAST + 1, pl.Date),
        (-719_163, pl.Date),
    ],
)
def test_a_date_outside_the_years_is_named_with_its_column(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], value: int, dtype: pl.DataType
) -> None:
    # the last row is far behind those that are looked at
    path = written(tmp_path / "x.parquet", [*[0] * 2_000, None, value], dtype)
    with pytest.raises(ReadError, match="column 'made' holds a date outside the years 1 to 9999"):
        look_at_file(path)
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ((LAST + 1) * DAY - 1, pl.Datetime("us")),
        (LAST, pl.Date),
        (-719_162, pl.Date),
        (2**62, pl.Datetime("ns")),
        (None, pl.Datetime("us")),
    ],
)
def test_the_last_and_first_date_are_read(tmp_path: Path, value: int | None, dtype: pl.DataType) -> None:
    assert look_at_file(written(tmp_path / "x.parquet", [0, value], dtype)).kind == "parquet"


def test_random_bytes_are_binary_whatever_the_name(tmp_path: Path) -> None:
    for n, name in enumerate(("x.csv", "x.json", "x.xlsx", "x.parquet")):
        (tmp_path / name).write_bytes(random.Random(n).randbytes(3000))
        with pytest.raises(UnknownFormatError, match=f"^{name} is binary, not text"):
            look_at_file(tmp_path / name)


def test_text_in_an_old_encoding_is_no_binary(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("item,rater,label\n1,änn,schön\n".encode("latin-1") * 20)
    assert look_at_file(tmp_path / "x.csv").headers == ("item", "rater", "label")


def test_a_device_is_no_file_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="/dev/null is a device or a pipe, not a file") as caught:
        look_at_file(Path("/dev/null"))
    assert caught.value.hint == "Save the export as a file first."
