"""The benchmark of updates measures charts and windows of all questions."""

from pathlib import Path

import pytest

from benchmarks.monitoring import updates
from benchmarks.page import Table


def test_a_history_has_one_row_with_a_figure_for_each_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "N_QUESTIONS", 2)
    monkeypatch.setattr(updates, "N_DAYS", 6)
    row = updates.measured(tmp_path / "warehouse.duckdb", 240, 1)
    assert len(row) == len(updates.HEADER)
    assert row[0] == "240"
    assert all(float(value) > 0 for value in row[1:7])
    assert int(row[7].replace(",", "")) > 2 * 6 * 5  # at least each label on each day of each question
    assert "| 240 |" in updates.update_page(Table("Seconds", "Medians.", updates.HEADER, [row]))
