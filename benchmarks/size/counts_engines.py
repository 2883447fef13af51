"""Ratings reduced to tables on polars, DuckDB and PySpark: the same code, how long it takes, whether they are equal.

Part of benchmarks.size.cluster. Every measurement is a process of its own (`benchmarks.size.engine_counts`), in turn.
An engine that is not there is left out, and that is said.
"""

import shutil
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from benchmarks.bench import Bench, seconds
from benchmarks.page import Table

MODULES = {"polars": "polars", "DuckDB": "duckdb", "PySpark": "pyspark"}
PER_ITEM = {"gaps": 4, "sparse": 1}  # ratings for each of the numbers that the set is named by
FEW = ("rating_patterns", "count_patterns", "pair_tables", "long_patterns")
ABOUT = {
    "gaps": ("Five raters, four ratings an item", FEW),
    "sparse": ("2,000 raters, three ratings an item", FEW[1:]),  # a dense row of 2,000 labels an item is no table
}


def engines_tables(bench: Bench, engines: Sequence[str], sizes: Sequence[int]) -> list[Table]:
    """A table for each set of ratings."""
    return [_measured(bench, kind, engines, sizes) for kind in ABOUT]


def present() -> list[str]:
    """The engines that are here."""
    engines = []
    for engine, module in MODULES.items():
        if find_spec(module) is None:
            print(f"{engine} is left out: it is not installed.", file=sys.stderr)
        elif engine == "PySpark" and shutil.which("java") is None:
            print("PySpark is left out: it needs Java, which is not here.", file=sys.stderr)
        else:
            engines.append(engine)
    return engines


def _measured(bench: Bench, kind: str, engines: Sequence[str], sizes: Sequence[int]) -> Table:
    title, tables = ABOUT[kind]
    header = ("ratings", "table", *(f"{engine} s" for engine in engines), "equal")
    rows = [_row(bench, kind, size, table, engines) for size in sizes for table in tables]
    about = "`stats.counts` on a frame of the engine; `equal` compares all cells of the results."
    return Table(title, about, header, rows)


def _row(bench: Bench, kind: str, size: int, table: str, engines: Sequence[str]) -> tuple[str, ...]:
    path = bench.long(kind, size // PER_ITEM[kind])
    timed = bench.timed(table, _commands(engines, path, table), size=size)
    if not timed:
        return (f"{size:,}", table, *["failed"] * (len(engines) + 1))
    digests = {report["found"]["digest"] for engine_timed in timed for report in engine_timed.reports}
    return (
        f"{size:,}",
        table,
        *(seconds(engine_timed.median) for engine_timed in timed),
        "yes" if len(digests) == 1 else "NO",
    )


def _commands(engines: Sequence[str], path: str, table: str) -> Mapping[str, Sequence[str]]:
    return {engine: [sys.executable, "-m", "benchmarks.size.engine_counts", engine, path, table] for engine in engines}
