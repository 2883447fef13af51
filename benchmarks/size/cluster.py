"""What lies past one process: counts on other engines, questions over workers: `python -m benchmarks.size.cluster`."""

import argparse
import tempfile
from collections.abc import Sequence
from datetime import date
from importlib.metadata import packages_distributions
from pathlib import Path

from benchmarks.bench import ROOT, Bench
from benchmarks.machine import machine
from benchmarks.page import as_text, page
from benchmarks.size.counts_engines import MODULES, engines_tables, present
from benchmarks.size.workers import workers_table

NOTE = "Written by `python -m benchmarks.size.cluster`; do not edit."
MADE = """Made by `make bench-cluster`, which installs Spark (it needs Java) and Dask apart."""
READ = """How to read it: seconds are medians over {runs} runs, measured in turn, after one that does not count. Those
of the counts are of the work alone, in a fresh process; Spark's session is started before. One machine shows that an
engine works and what it costs to hand work over; what many machines gain was not measured."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page."""
    chosen = _options().parse_args(arguments)
    engines = present()
    with tempfile.TemporaryDirectory() as name:
        tables = engines_tables(Bench(Path(name), chosen.runs), engines, [int(size) for size in chosen.sizes])
        tables.append(workers_table(Path(name), chosen.runs))
    for table in tables:
        print("\n" + as_text(table), flush=True)
    others = [name for name in ("prefect", "dask", "prefect_dask") if name in packages_distributions()]
    versions = machine(["kappaflow", "narwhals", *(MODULES[engine] for engine in engines), *others])
    facts = {"date": f"{date.today()}", **versions}
    text = page("Benchmarks past one machine", NOTE, [MADE, READ.format(runs=chosen.runs)], facts, tables)
    chosen.page.write_text(text, encoding="utf-8")
    print(f"\nwrote {chosen.page}")


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="+", default=[100_000, 1_000_000], help="numbers of ratings")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-cluster.md")
    return parser


if __name__ == "__main__":
    main()
