"""A dataset of many ratings, counted where it lies: `python -m benchmarks.size.datasets`.

Writes docs/benchmarks-past-one-machine.md. Each step runs in a new process, so that the memory of one
step does not count for the next.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from shutil import copyfile

import polars as pl

from benchmarks.bench import ROOT, seconds
from benchmarks.machine import machine
from benchmarks.page import Table, as_markdown, as_text, page
from warehouse.connect import connect

NOTE = "Written by `python -m benchmarks.size.datasets`; do not edit."
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


SPARK = "Counted on Spark"
ON_SPARK = """The same ratings, counted on a standalone Spark cluster on this machine: a master, and two workers of one
core and {memory} each. Measured on {date}. Every step starts a session of Spark. The peak memory is that of the process
of the run, without Java. {equal}"""
EQUAL = "The stored tables were compared after each step, and are equal to those of DuckDB."
WORKER_MEMORY = "2g"
COMPARED = (
    "pattern_counts", "pattern_ratings", "version_counts", "label_counts", "day_item_counts", "rater_day_counts",
    "version_day_counts", "duration_counts", "batch_patterns",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page. With --spark, measure only that part, and replace it in the page."""
    chosen = _options().parse_args(arguments)
    if chosen.spark:
        table = _spark_table(int(chosen.spark), chosen.folder)
        print("\n" + as_text(table), flush=True)
        before = chosen.page.read_text(encoding="utf-8").partition(f"\n## {SPARK}\n")[0]
        chosen.page.write_text(f"{before.rstrip()}\n\n{as_markdown(table)}", encoding="utf-8")
        print(f"\nwrote {chosen.page}")
        return
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


def _spark_table(size: int, place: Path | None) -> Table:
    """Count with DuckDB and on a cluster, compare what is stored, and return the figures."""
    from tests.cluster.standalone import standalone_cluster

    rows = []
    with tempfile.TemporaryDirectory(dir=place) as name, tempfile.TemporaryDirectory(dir=place) as logs:
        folder = Path(name)
        _work("make", folder, size)
        copyfile(folder / "warehouse.duckdb", folder / "spark.duckdb")
        with standalone_cluster(Path(logs), memory=WORKER_MEMORY) as master:
            for step in ("count", "more"):
                if step == "more":
                    _work("add", folder, size)
                for engine, name_of_step in (("DuckDB", step), ("Spark", f"{step} on Spark")):
                    taken, peak = _work(name_of_step, folder, size, KAPPAFLOW_SPARK_MASTER=master)
                    rows.append([f"{size:,}", step, engine, seconds(taken), f"{peak:,.0f}"])
                    print(" ".join(rows[-1]), file=sys.stderr, flush=True)
                if difference := _difference(folder):
                    raise RuntimeError(f"{difference} differs between DuckDB and Spark after {step}")
    about = ON_SPARK.format(memory=WORKER_MEMORY, date=date.today(), equal=EQUAL)
    return Table(SPARK, about, ("ratings", "step", "engine", "seconds", "peak MB"), rows)


def _difference(folder: Path) -> str | None:
    """Return the first table of counts that differs between the two warehouses."""
    stored = [_stored_counts(folder / name) for name in ("warehouse.duckdb", "spark.duckdb")]
    return next((name for name in COMPARED if not stored[0][name].equals(stored[1][name])), None)


def _stored_counts(db: Path) -> dict[str, pl.DataFrame]:
    """Return the tables of counts with names in place of keys, and with the content of patterns in place of numbers."""
    with connect(db, read_only=True) as con:
        tables = {name: con.table(f"internal.{name}").pl() for name in COMPARED}
        texts = {
            key: con.table(f"internal.{name}s").pl().select(key, name)
            for key, name in (("question_id", "question"), ("rater_id", "rater"), ("label_id", "label"))
        }
    named = {}
    for name, table in tables.items():
        for key, text in texts.items():
            if key in table.columns:
                table = table.join(text, on=key, how="left").drop(key)
        named[name] = table.with_columns(pl.col(pl.Enum).cast(pl.String))
    rated = pl.concat_str("rater", "rater_kind", "label", separator=" ", ignore_nulls=True)
    contents = named["pattern_ratings"].group_by("pattern_id").agg(content=rated.sort().str.join(", "))
    found = {}
    for name, table in named.items():
        if "pattern_id" in table.columns:
            table = table.join(contents, on="pattern_id", how="left").drop("pattern_id")
        found[name] = table.select(sorted(table.columns)).sort(sorted(table.columns))
    return found


def _work(step: str, folder: Path, size: int, **environment: str) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.size.dataset_steps", step, str(folder), str(size)]
    process = subprocess.run(command, check=True, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                             env=os.environ | environment)  # fmt: skip
    report = json.loads(process.stdout.splitlines()[-1])
    return float(report["seconds"]), float(report["peak_mb"])


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="+", default=[1e6, 1e7, 1e8], help="numbers of ratings")
    parser.add_argument("--folder", type=Path, default=None, help="for the data: 1e8 ratings need 10 GB")
    parser.add_argument("--spark", type=float, help="count only so many ratings with DuckDB and on a Spark cluster")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-past-one-machine.md")
    return parser


if __name__ == "__main__":
    main()
