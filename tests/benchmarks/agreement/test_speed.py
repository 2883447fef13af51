"""The benchmarks run, from the generator to the page. Nothing is asserted of how long anything takes."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.agreement.peers_table import beside_peers
from benchmarks.agreement.speed import main
from benchmarks.bench import Bench
from benchmarks.page import Table, as_markdown, as_text
from benchmarks.ratings import LABELS, RATERS, SETS, dense

ROOT = Path(__file__).parents[3]


def test_a_fifth_of_the_ratings_is_missing() -> None:
    wide = dense(10_000)
    assert wide.shape == (10_000, RATERS)
    assert (wide < 0).mean() == pytest.approx(0.2, abs=0.01)
    both = (wide[:, 0] >= 0) & (wide[:, 1] >= 0)
    # both know the label, or hit it or each other by chance: .76 ** 2 + 4 * .06 ** 2
    assert (wide[both, 0] == wide[both, 1]).mean() == pytest.approx(0.592, abs=0.02)


@pytest.mark.parametrize(
    ("name", "ratings", "raters"), [("gaps-1000", 4000, 5), ("complete-1000", 5000, 5), ("sparse-1000", 1000, 2000)]
)
def test_the_same_ratings_twice(tmp_path: Path, name: str, ratings: int, raters: int) -> None:
    kind, size = name.split("-")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        SETS[kind](tmp_path / folder, name, int(size))
    first, second = (pl.read_parquet(tmp_path / folder / f"{name}.parquet") for folder in ("a", "b"))
    assert first.equals(second)
    assert first.schema == {"item": pl.String, "rater": pl.String, "label": pl.String}
    assert first.height == pytest.approx(ratings, rel=0.05)
    assert not first.select("item", "rater").is_duplicated().any()
    assert set(first["label"]) <= set(LABELS)
    assert set(first["rater"]) <= {f"rater-{rater}" for rater in range(1, raters + 1)}
    assert not first["item"].is_sorted()


def test_long_and_wide_are_the_same_ratings(tmp_path: Path) -> None:
    SETS["gaps"](tmp_path, "gaps-500", 500)
    long, wide = pl.read_parquet(tmp_path / "gaps-500.parquet"), np.load(tmp_path / "gaps-500.npy")
    number = pl.all().str.extract(r"(\d+)$").cast(pl.Int64)
    again = np.full(wide.shape, np.nan)
    for item, rater, label in long.select(number).rows():
        again[item, rater - 1] = label
    np.testing.assert_array_equal(again, wide)


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    command = [sys.executable, "-m", "benchmarks.agreement.speed", "--sizes", "1000", "--sparse", "1000", "--runs", "1"]
    result = subprocess.run([*command, "--peers", "none", "--page", str(page)], cwd=ROOT, capture_output=True,
                            text=True, stdin=subprocess.DEVNULL, timeout=300, check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr
    text = page.read_text(encoding="utf-8")
    assert "failed" not in text
    for heading in ("beside the floor", "From a file or from memory", "bootstrap replicates", "sparse raters"):
        assert heading in text
    assert text.count("| 1,000 |") == 4
    assert "- processor: " in text
    assert "times the floor" in result.stdout


def test_a_peer_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    table = beside_peers(Bench(tmp_path, 1), [1000], ["nltk"], tmp_path)
    assert table.rows == []
    assert table.notes == ["nltk 3.10.4 is not installed (`make bench-peers`): left out."]
    assert table.notes[0] in as_text(table)
    assert table.notes[0] in as_markdown(table)


def test_figures_stand_to_the_right() -> None:
    table = Table("Title", "What it is.", ("items", "name"), [("1,000", "a"), ("10", "bc")])
    assert as_text(table) == "Title\n  items  name\n  1,000  a\n     10  bc"
    assert "| ---: | --- |" in as_markdown(table)


def test_an_unknown_peer_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--peers", "nobody"])
    assert "found nobody" in capsys.readouterr().err
