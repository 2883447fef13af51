"""What a dataset holds is said from its footers and first rows."""

from pathlib import Path

import polars as pl
import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.single_file.inspect_dataset import inspect_dataset
from tasks.sources.dataset import DatasetSource

ROWS = {"item": ["1", "1", "2"], "rater": ["ann", "gpt", " "], "label": ["yes", "no", "yes"]}


def test_files_columns_first_rows_and_what_cannot_be_read(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(ROWS | {"rated_at": ["2026-01-01"] * 3}).write_parquet(tmp_path / "b.parquet")
    (tmp_path / "c.parquet").write_text("no Parquet file")
    source = DatasetSource("tone", tmp_path, options=ReadOptions(question="tone", systems=frozenset({"gpt"})))
    held = inspect_dataset(source)
    assert (held["n_files"], held["n_rows"], held["n_judged"], held["version"]) == (2, 6, 3, None)
    assert held["n_bytes"] == sum((tmp_path / f"{name}.parquet").stat().st_size for name in "ab")
    assert held["columns"] == {"item": "item", "rater": "rater", "label": "label", "time": "rated_at"}
    assert held["unreadable"] == [{"file": "c.parquet", "detail": "c.parquet is not a complete Parquet file."}]
    assert held["questions"] == [{"question": "tone", "n_raters": 2, "labels": ["no", "yes"]}]
    assert [(row["rater"], row["rater_kind"]) for row in held["first_rows"]] == [  # type: ignore[attr-defined]
        ("ann", "human"), ("gpt", "system"),
    ]  # fmt: skip
    assert [row["reason"] for row in held["rejects"]] == ["missing_rater"]  # type: ignore[attr-defined]


def test_a_folder_without_readable_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.parquet").write_text("no Parquet file")
    with pytest.raises(ReadError, match=r"No file of the dataset .* can be read"):
        inspect_dataset(DatasetSource("tone", tmp_path))


def test_a_file_with_damaged_pages_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    numbers = [str(number) for number in range(3000)]
    pl.DataFrame({"item": numbers, "rater": ["ann"] * 3000, "label": numbers}).write_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[:4] + b"\xff" * (len(content) // 2 - 4) + content[len(content) // 2 :])
    with pytest.raises(ReadError, match=r"a\.parquet cannot be read: its pages are damaged"):
        inspect_dataset(DatasetSource("tone", tmp_path))
