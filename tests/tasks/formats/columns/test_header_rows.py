"""A header that may be a row: damaged files have headers without names, too."""

from pathlib import Path

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats.columns.header_rows import check_header

TABLE = pl.DataFrame({"c0": ["a", "b"], "c1": ["x", "y"]})


def test_a_header_without_names_repeats_no_row() -> None:
    check_header(["", ""], TABLE, Path("table.csv"))


def test_a_header_whose_cells_stand_again_below_is_a_row() -> None:
    with pytest.raises(ReadError, match="later rows have 'b' and 'x' in the same columns"):
        check_header(["b", "x"], TABLE, Path("table.csv"))
