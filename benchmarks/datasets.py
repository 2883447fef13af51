"""A dataset of many ratings, counted where it lies: `python -m benchmarks.datasets`.

Writes docs/benchmarks-past-one-machine.md. Each step runs in a new process, so that the memory of one
step does not count for the next.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from benchmarks.bench import ROOT, seconds
from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page

NOTE = "Written by `python -m benchmarks.datasets`; do not edit."
MADE = """A dataset ([how to](how-to/datasets.md)) is counted where it lies: five people and a system, five labels, a
fifth of the ratings of people missing, text ids, times over {days} days, a Parquet file per million ratings (at least
ten). The engine is DuckDB. Each step runs once, in a new process: seconds are wall time
without the imports, and memory is the peak of that process."""
STEPS = {
    "count": "count all files, and store the counts",
    "nothing": "look again: nothing is new",
    "evaluate": "evaluate the question: agreement, five people, a system by six methods",
    "monitor": "windows and charts",
    "more": "count a new file of 10,000 ratings, half of them on items that are known",
}
DAYS = 100
ABOUT = """`count` grows with the ratings; memory does not once there are several buckets of items. The steps after it
depend on the counts, and not on the number of ratings. `more` reads the columns of all files to find what the known
files say of the items in the new one."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page."""
    chosen = _options().parse_args(arguments)
    rows = []
    for size in map(int, chosen.sizes):
        with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
            rows += _measured(Path(name), size)
    table = Table("Ratings that stay in their files", ABOUT, HEADER, rows)
    print("\n" + as_text(table), flush=True)
    facts = {"date": f"{date.today()}", **machine(["kappaflow", "duckdb", "polars"])}
    steps = [f"`{name}`: {what}." for name, what in STEPS.items()]
    text = page("Benchmarks of datasets", NOTE, [MADE.format(days=DAYS), " ".join(steps)], facts, [table])
    chosen.page.write_text(text, encoding="utf-8")
    print(f"\nwrote {chosen.page}")


HEADER = ("ratings", "step", "seconds", "peak MB", "ratings a second", "dataset MB", "warehouse MB")


def _measured(folder: Path, size: int) -> list[list[str]]:
    _work("make", folder, size)
    data = sum(path.stat().st_size for path in (folder / "ratings").glob("*.parquet")) / 1e6
    rows = []
    for step in STEPS:
        if step == "more":
            _work("add", folder, size)
        seconds_taken, peak = _work(step, folder, size)
        db = (folder / "warehouse.duckdb").stat().st_size / 1e6
        rate = f"{size / seconds_taken:,.0f}" if step == "count" else ""
        rows.append([f"{size:,}", step, seconds(seconds_taken), f"{peak:,.0f}", rate, f"{data:,.0f}", f"{db:,.1f}"])
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def _work(step: str, folder: Path, size: int) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.datasets_work", step, str(folder), str(size)]
    process = subprocess.run(command, check=True, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    report = json.loads(process.stdout.splitlines()[-1])
    return float(report["seconds"]), float(report["peak_mb"])


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="+", default=[1e6, 1e7, 1e8], help="numbers of ratings")
    parser.add_argument("--folder", type=Path, default=None, help="for the data: 1e8 ratings need 10 GB")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-past-one-machine.md")
    return parser


if __name__ == "__main__":
    main()
