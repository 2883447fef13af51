"""The benchmark of re-evaluation runs, to the page. Nothing is asserted of how long anything takes."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from benchmarks.ingest.history import BATCH, History
from benchmarks.ratings import LABELS

ROOT = Path(__file__).parents[3]


def test_a_batch_rates_new_items_and_fills_gaps_of_old_ones() -> None:
    history = History(20_000, "humans")
    before = pl.concat(history.batches())
    assert abs(before.height - 20_000) < 500
    later = [history.later(number) for number in range(2)]
    everything = pl.concat([before, *later])
    assert not everything.select("item", "rater").is_duplicated().any()
    assert set(everything["label"]) <= set(LABELS)
    for batch in later:
        assert batch.height == BATCH
        assert batch.join(before, on="item", how="semi").height >= BATCH // 2


@pytest.mark.parametrize(("kind", "names", "n_items"), [("system", [6], 400), ("systems", [6, 7, 8], 286)])
def test_systems_answer_every_item(kind: str, names: list[int], n_items: int) -> None:
    ratings = pl.concat(History(2_000, kind).batches())
    systems = ratings.filter(rater_kind="system")
    counts = systems.group_by("rater").len().sort("rater")
    assert counts.rows() == [(f"rater-{name}", n_items) for name in names]


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks.ingest.reevaluation", "--sizes", "2000", "--kinds", "humans"]
    result = subprocess.run(
        [*command, "--runs", "1", "--page", str(page)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=550,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    text = page.read_text(encoding="utf-8")
    assert "## Five people\n" in text
    assert "## The warehouse\n" in text
    assert "evaluate by --all | by CPU" in text
