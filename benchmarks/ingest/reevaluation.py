"""What a batch of 1,000 ratings costs on a history of any length: `python -m benchmarks.ingest.reevaluation`.

Storing it, evaluating its question, monitoring it, and evaluating it from the ratings themselves.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from benchmarks.bench import ENVIRONMENT, ROOT, seconds
from benchmarks.ingest.history import SYSTEMS
from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page

NOTE = "Written by `python -m benchmarks.ingest.reevaluation`; do not edit."
MADE = """Made by `make bench-reevaluation`. The ratings are synthetic and seeded: one question of 5 labels, 5 raters,
20 % of the ratings missing, stored as 10 batches that spread over 100 days; in further sets of warehouses also
one system or three, which answer every item. Then come batches of 1,000 ratings, half on new items, half on items of
any age. Each is stored in one transaction and followed by an evaluation of the question (all that `kappaflow evaluate`
does but for Prefect and the published snapshot), by its windows and alerts (`monitor`), and by `evaluate --all`, which
counts the patterns from the ratings, compares them and the counts by day, batch and version with the stored ones, and
then evaluates. BLAS has one thread, as in the commands."""
READ = """How to read it: seconds are medians over {runs} batches, after one that does not count, in one process per
warehouse; opening, writing and closing the warehouse are in them. The ratios are what carries over to other machines:
beside the smallest history, and beside the full recomputation on the same one. That last ratio stands there twice: by
the clock, and by processor seconds over all threads (by CPU). A recomputation counts ratings on all cores, while
an evaluation has threads only for several systems, and only where distinct patterns have 200,000 ratings or more."""
KINDS = {"humans": "Five people", "system": "Five people and a system", "systems": "Five people and three systems"}
STEPS = ("store", "evaluate", "monitor", "all")
Figures = dict[tuple[str, int], Mapping[str, float]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page."""
    chosen = _options().parse_args(arguments)
    made, measured = Figures(), Figures()
    with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
        for kind in chosen.kinds:
            for size in chosen.sizes:
                made[kind, size] = _child("build", kind, size, name)
                measured[kind, size] = _child("measure", kind, size, name, str(chosen.runs))
                (Path(name) / f"{kind}-{size}.duckdb").unlink()
                times = ", ".join(f"{step} {seconds(measured[kind, size][step])} s" for step in STEPS)
                print(f"{kind}, {size:,}: {times}", file=sys.stderr, flush=True)
    tables = [_of_a_batch(kind, measured, made) for kind in chosen.kinds] + [_of_the_warehouse(made, measured)]
    for table in tables:
        print("\n" + as_text(table), flush=True)
    facts = {"date": f"{date.today()}", **machine(["kappaflow", "duckdb", "polars"])}
    text = page("Benchmarks of re-evaluation", NOTE, [MADE, READ.format(runs=chosen.runs)], facts, tables)
    chosen.page.write_text(text, encoding="utf-8")
    print(f"\nwrote {chosen.page}")


def _of_a_batch(kind: str, measured: Figures, made: Figures) -> Table:
    """A row per length of the history."""
    sizes = [size for other, size in measured if other == kind]
    first = measured[kind, min(sizes)]
    rows = []
    for size in sizes:
        now = measured[kind, size]
        rows.append(
            (
                f"{made[kind, size]['n_ratings']:,}",
                *(seconds(now[step]) for step in STEPS),
                *(f"{now[step] / first[step]:.2f}" for step in STEPS),
                f"{now['evaluate'] / now['all']:.3f}",
                f"{now['evaluate_cpu'] / now['all_cpu']:.3f}",
            )
        )
    header = ("ratings", "store s", "evaluate s", "monitor s", "--all s", "store, times the first", "evaluate",
              "monitor", "--all", "evaluate by --all", "by CPU")  # fmt: skip
    return Table(
        KINDS[kind], "A batch of 1,000 ratings, by the number of ratings that were there before.", header, rows
    )


def _of_the_warehouse(made: Figures, measured: Figures) -> Table:
    """A row per warehouse: its size, how long it took to fill, and a read."""
    rows = [
        (
            f"{history['n_ratings']:,}",
            f"{SYSTEMS[kind]}",
            seconds(history["insert"]),
            seconds(history["bare"]),
            f"{history['insert'] / history['bare']:.2f}",
            f"{history['bytes'] / history['n_ratings']:.0f}",
            f"{history['plain_bytes'] / history['n_ratings']:.0f}",
            f"{1000 * measured[kind, size]['view']:.0f}",
        )
        for (kind, size), history in made.items()
    ]
    about = """Stored from frames in memory, in 10 transactions, with keys, history, patterns and checks; beside it a
    bare DuckDB insert of the same columns of the same frames into a table of text on disk, in turn, batch by batch. The
    view is `select * from latest_agreement`."""
    header = ("ratings", "systems", "stored s", "bare s", "times bare", "bytes a rating", "bare bytes", "view ms")
    return Table("The warehouse", about, header, rows)


def _child(*arguments: str | int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.ingest.history", *map(str, arguments)]
    process = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT, "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {process.stderr}")
    figures: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return figures


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where the warehouses are made (10 million ratings: 2 GB)")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-reevaluation.md")
    return parser


if __name__ == "__main__":
    main()
