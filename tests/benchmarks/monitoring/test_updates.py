"""The benchmark of updates measures charts and windows of all questions, and writes a page."""

from pathlib import Path

import pytest

from benchmarks.monitoring import updates


def test_the_command_writes_a_page_from_tiny_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "N_QUESTIONS", 2)
    monkeypatch.setattr(updates, "N_DAYS", 6)
    out = tmp_path / "page.md"
    options = ["--sizes", "240", "480", "--runs", "1", "--warm-up", "60", "--folder", str(tmp_path)]
    updates.main([*options, "--out", str(out)])
    text = out.read_text(encoding="utf-8")
    assert "- date: 20" in text
    assert "- cores: " in text
    charts, windows, sizes = text.split("\n## ")[1:]
    for section, title in ((charts, "Charts"), (windows, "Windows")):
        assert section.startswith(title)
        rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][2:]
        assert [row[0] for row in rows] == ["240", "480"]
        assert all(len(row) == len(updates.HEADER) and all(float(cell) > 0 for cell in row) for row in rows)
    (first, second) = (line.strip("| ").split(" | ") for line in sizes.splitlines() if line[:4] in ("| 24", "| 48"))
    assert int(first[2].replace(",", "")) > 2 * 6 * 5  # at least each label on each day of each question
    assert int(second[3].replace(",", "")) > 0


def test_windows_of_long_histories_can_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "N_QUESTIONS", 1)
    monkeypatch.setattr(updates, "N_DAYS", 6)
    out = tmp_path / "page.md"
    options = ["--sizes", "120", "240", "--windows-up-to", "120", "--runs", "1", "--warm-up", "60"]
    updates.main([*options, "--folder", str(tmp_path), "--out", str(out)])
    charts, windows, sizes = out.read_text(encoding="utf-8").split("\n## ")[1:]
    assert [[size in text for size in ("| 120 |", "| 240 |")] for text in (charts, windows)] == [
        [True, True],
        [True, False],
    ]
    assert "not computed" in sizes
