"""The benchmark of accuracy runs, from the generator to the page. Nothing is asserted of how long anything takes."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from benchmarks.ratings import LABELS, SETS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(("kind", "raters", "labels", "each"), [("systems", 8, 5, 8), ("workers", 204, 2, 6)])
def test_raters_and_systems_of_the_sets(tmp_path: Path, kind: str, raters: int, labels: int, each: int) -> None:
    SETS[kind](tmp_path, f"{kind}-2000", 2000)
    ratings = pl.read_parquet(tmp_path / f"{kind}-2000.parquet")
    assert ratings.height == 2000 * each
    assert not ratings.select("item", "rater").is_duplicated().any()
    assert set(ratings["label"]) == set(LABELS[:labels])
    assert ratings["rater"].n_unique() == raters
    truth = (tmp_path / f"{kind}-2000.txt").read_text(encoding="utf-8").split("\n")
    last = ratings.filter(pl.col("rater") == f"rater-{raters}").sort("item")["label"].to_list()
    right = sum(a == b for a, b in zip(last, truth, strict=True)) / 2000
    assert right == pytest.approx({5: 0.7 + 0.3 / 5, 2: 0.8 + 0.2 / 2}[labels], abs=0.04)


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks.accuracy.speed", "--sizes", "500", "--runs", "1", "--page", str(page)]
    result = subprocess.run([*command, "--peers-folder", str(tmp_path)], cwd=ROOT, capture_output=True, text=True,
                            stdin=subprocess.DEVNULL, timeout=300, check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr
    text = page.read_text(encoding="utf-8")
    assert "failed" not in text
    assert text.count("\n| 500 |") == 1
    assert text.count("crowd-kit 1.4.2 is not installed (`make bench-peers`): left out.") == 2
    assert "times the floor" in result.stdout


def test_dawid_skene_writes_a_label_for_each_item(tmp_path: Path) -> None:
    SETS["systems"](tmp_path, "systems-300", 300)
    out = tmp_path / "labels.txt"
    arguments = ["dawid_skene", str(tmp_path / "systems-300.parquet"), "rater-6,rater-7,rater-8", str(out)]
    command = [sys.executable, "-m", "benchmarks.accuracy.measurements", *arguments]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
                            check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert '"found": {"items": 300}' in result.stdout
    labels = out.read_text(encoding="utf-8").split("\n")
    truth = (tmp_path / "systems-300.txt").read_text(encoding="utf-8").split("\n")
    assert sum(a == b for a, b in zip(labels, truth, strict=True)) > 270
