"""The benchmark by size: its files and its page. Nothing is asserted of how long anything takes."""

from pathlib import Path

import polars as pl

from benchmarks.size.project import _page, _rows_of, make


def test_the_files_hold_one_question_and_a_later_batch_on_known_items(tmp_path: Path) -> None:
    make(tmp_path, 10_000, 5)
    first = pl.read_parquet(tmp_path / "*.parquet")
    make(tmp_path, 10_000, 0)
    later = pl.read_parquet(tmp_path / "later.parquet")
    assert len(list(tmp_path.glob("part-*.parquet"))) == 5
    assert first["question"].unique().to_list() == ["q"]
    assert abs(first.height - 10_000) < 500
    assert not first.select("item", "rater").is_duplicated().any()
    known = later.join(first, on="item", how="semi").height
    assert 0 < known < later.height


def test_a_size_is_added_to_a_page(tmp_path: Path) -> None:
    rows = [("1,000", "ingest", "1.00", "0.500", "300", "2.0"), ("10,000", "ingest", "3.00", "1.00", "450", "")]
    page = tmp_path / "page.md"
    page.write_text(_page(rows, 100, "8 GB"), encoding="utf-8")
    assert _rows_of(page) == rows
    assert "| ingest | 0.500 | 300 | 1.00 | 2.0 | 450 | 1.5 |" in page.read_text(encoding="utf-8")
