"""The benchmark of ingest runs, from the files to the page. Nothing is asserted of how long anything takes."""

import subprocess
import sys
from pathlib import Path

from tasks.ingest.read_export import read_export
from tasks.ingest.validate import validate

ROOT = Path(__file__).parents[3]


def test_the_page_is_written_from_small_files(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks.ingest.speed", "--sizes", "1000", "--json-mb", "1", "--runs", "1"]
    result = subprocess.run([*command, "--page", str(page)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    text = page.read_text(encoding="utf-8")
    assert text.count("| 1,000 | ") == 2
    assert "## A large JSON file" in text


def test_the_tasks_are_an_export_of_label_studio(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "benchmarks.ingest.files", str(tmp_path), "tasks-1.json"], cwd=ROOT, check=True
    )
    path = tmp_path / "tasks-1.json"
    assert 1_000_000 <= path.stat().st_size < 1_010_000
    checked = validate(read_export(path), contract=False)
    assert checked.rejects.is_empty()
    assert checked.ratings.height % 4 == 0
    assert set(checked.ratings["question"]) == {"topic", "stars"}
