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
ten). The engine is DuckDB, and `[limits] memory` is {memory} GB. Each step runs once, in a new process, and is
measured without the imports: `s` are seconds by the clock, `CPU s` those of all threads, which tell more on a machine
that does other things meanwhile, and `peak MB` is the largest resident memory of the process."""
STEPS = {
    "count": "count all files, and store the counts",
    "nothing": "look again: nothing is new",
    "evaluate": "evaluate the question: agreement, five people, a system by six methods",
    "monitor": "windows and charts",
    "more": "count a new file of 1,000 ratings, half of them on items that are known",
    "again": "evaluate after that",
}
IN_ORDER, RANDOM = "in the order of time", "random"
DAYS = 100
MEMORY = 8_000_000_000  # bytes, of each process
ABOUT = """`count` grows with the ratings. Its memory grows, too, and keeps to the limit: DuckDB takes up to half of it
to divide the files into buckets of items. The steps after it depend on the counts alone: of patterns by day there are
more with more ratings, until each pattern occurs on each day."""
NEW_FILE = "What a new file costs"
ABOUT_NEW_FILE = """A new file of 1,000 ratings, beside counting all files. Its items are counted again, and no others.
Where ids follow the time, only the files that may have one of its items are read. Random ids are in the range of each
file, so that the ids of all files are read."""

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
    """Measure, print, write the page after each size. With --spark, measure only that part, and replace it."""
    chosen = _options().parse_args(arguments)
    if chosen.spark:
        table = _spark_table(int(chosen.spark), chosen.folder)
        print("\n" + as_text(table), flush=True)
        before, _ = _halves(chosen.page)
        chosen.page.write_text(f"{before.rstrip()}\n\n{as_markdown(table)}", encoding="utf-8")
        print(f"\nwrote {chosen.page}")
        return
    rows = _rows_of(chosen.page) if chosen.add and chosen.page.exists() else []
    for size, ids in [*((n, IN_ORDER) for n in chosen.sizes), *((n, RANDOM) for n in chosen.random)]:
        kept = [row for row in rows if row[:2] != [f"{int(size):,}", ids]]
        with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
            rows = [*kept, *_measured(Path(name), int(size), ids)]
        rows.sort(key=lambda row: (row[1] == RANDOM, int(row[0].replace(",", ""))))  # the steps stay in their order
        spark = _halves(chosen.page)[1] if chosen.page.exists() else ""
        chosen.page.write_text(_page(rows) + spark, encoding="utf-8")
    print(f"\nwrote {chosen.page}")


def _page(rows: Sequence[list[str]]) -> str:
    load = f"{os.getloadavg()[0]:.0f} processes that want to run, this one included (load average at the end)"
    facts = {"last written": f"{date.today()}", "load": load, **machine(["kappaflow", "duckdb", "polars"])}
    steps = " ".join(f"`{name}`: {what}." for name, what in STEPS.items())
    made = MADE.format(days=DAYS, memory=MEMORY // 10**9)
    tables = [Table(EACH, ABOUT, HEADER, rows), Table(NEW_FILE, ABOUT_NEW_FILE, NEW_FILE_HEADER, _new_files(rows))]
    return page("Benchmarks of datasets", NOTE, [made, steps], facts, tables)


def _halves(path: Path) -> tuple[str, str]:
    """Return the page without the part on Spark, and that part."""
    before, title, spark = path.read_text(encoding="utf-8").partition(f"\n## {SPARK}\n")
    return before, title + spark


def _rows_of(path: Path) -> list[list[str]]:
    """Return the rows of the first table of a page."""
    section = path.read_text(encoding="utf-8").partition(f"## {EACH}")[2].partition("## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


EACH = "Each step"
HEADER = ("ratings", "ids", "step", "s", "CPU s", "peak MB", "dataset MB", "warehouse MB")
NEW_FILE_HEADER = ("ratings", "ids", "all files CPU s", "new file CPU s", "share")


def _measured(folder: Path, size: int, ids: str) -> list[list[str]]:
    """Do the steps, and return the rows of the table."""
    suffix = " random" if ids == RANDOM else ""
    _work(f"make{suffix}", folder, size)
    data = sum(path.stat().st_size for path in (folder / "ratings").glob("*.parquet")) / 1e6
    rows = []
    for step in STEPS if ids == IN_ORDER else ("count", "more"):
        if step == "more":
            _work(f"add{suffix}", folder, size)
        wall, cpu, peak = _work(step, folder, size)
        db = (folder / "warehouse.duckdb").stat().st_size / 1e6
        figures = [seconds(wall), seconds(cpu), f"{peak:,.0f}", f"{data:,.0f}", f"{db:,.1f}"]
        rows.append([f"{size:,}", ids, step, *figures])
        print(" ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows


def _new_files(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return a row per dataset: the processor time of counting all files, and of counting a new one."""
    cpu = {(row[0], row[1], row[2]): row[4] for row in rows}
    results = []
    for size, ids in dict.fromkeys((row[0], row[1]) for row in rows):
        whole, more = cpu[size, ids, "count"], cpu[size, ids, "more"]
        results.append([size, ids, whole, more, f"{float(more) / float(whole):.3f}"])
    return results


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
                    elapsed, _, peak = _work(name_of_step, folder, size, KAPPAFLOW_SPARK_MASTER=master)
                    rows.append([f"{size:,}", step, engine, seconds(elapsed), f"{peak:,.0f}"])
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
    results = {}
    for name, table in named.items():
        if "pattern_id" in table.columns:
            table = table.join(contents, on="pattern_id", how="left").drop("pattern_id")
        results[name] = table.select(sorted(table.columns)).sort(sorted(table.columns))
    return results


def _work(step: str, folder: Path, size: int, **environment: str) -> tuple[float, float, float]:
    command = [sys.executable, "-m", "benchmarks.size.dataset_steps", step, str(folder), str(size), str(MEMORY)]
    process = subprocess.run(command, check=True, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                             env=os.environ | environment)  # fmt: skip
    report = json.loads(process.stdout.splitlines()[-1])
    return float(report["seconds"]), float(report["cpu"]), float(report["peak_mb"])


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="+", default=[1e6, 1e7, 1e8], help="numbers of ratings")
    parser.add_argument("--add", action="store_true", help="keep the sizes that the page has")
    parser.add_argument("--random", type=float, nargs="*", default=[1e7], help="numbers of ratings with random ids")
    parser.add_argument("--folder", type=Path, default=None, help="for the data: 1e8 ratings need 10 GB")
    parser.add_argument("--spark", type=float, help="count only so many ratings with DuckDB and on a Spark cluster")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-past-one-machine.md")
    return parser


if __name__ == "__main__":
    main()
