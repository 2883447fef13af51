"""Records of Parquet files: numbers have the digits that were meant."""

from pathlib import Path

import polars as pl

from tasks.formats.parsing.tools.record_votes import read_records


def test_a_float_of_32_bits_is_the_number_of_its_text(tmp_path: Path) -> None:
    frame = pl.DataFrame({"value": pl.Series([0.1, 0.7, None, 2.0], dtype=pl.Float32), "id": ["a", "b", "c", "d"]})
    frame.write_parquet(tmp_path / "a.parquet")
    records = [record for _, record in read_records(tmp_path / "a.parquet").rows]
    assert [record["value"] for record in records] == [0.1, 0.7, None, 2.0]
