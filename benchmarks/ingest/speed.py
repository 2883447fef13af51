"""Ingest beside the least that it could cost: DuckDB's COPY of the same file into a plain table.

`python -m benchmarks.ingest.speed` prints tables and writes docs/benchmarks-ingest.md. Each measurement runs in a new
process (`benchmarks.ingest.measurements`), in turn with what it is compared with.
`--sizes 10000000 --json-mb 200 2000` asks for more.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from statistics import median

from benchmarks.bench import ENVIRONMENT, ROOT, seconds
from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page
from benchmarks.timing import Timed, in_turn, ratio

NOTE = "Written by `python -m benchmarks.ingest.speed`; do not edit."
MADE = """Made by `make bench-ingest`. The ratings are synthetic and seeded: 5 raters, 5 labels, 20 % of the ratings
missing, text ids such as `item-00012345`, rows in no order; one file with the columns item, rater, label, as CSV and as
Parquet. Ingested means: the file hashed, its format found, every row validated, texts turned into keys, ratings, their
history and the batch stored in a new warehouse on disk. The floor is DuckDB's `COPY` of the same file into a plain
table of text in a new database on disk, which does none of that. The upkeep of the rating patterns, which makes later
evaluations cheap, is part of the same transaction, and stands in columns of its own."""
LOADED_MB = 500
READ = """How to read it: seconds are those of the work alone, in a fresh process, without the start of Python and the
imports; each is the median of {runs} runs, after one that does not count. MB is the largest memory that the whole
process ever held, imports included. What is compared was measured in turn, A B A B, and a ratio is the median of the
ratios run by run: ratios carry over to other machines, seconds do not. CPU s are processor seconds over all threads:
on a machine that does other things meanwhile they tell more than the clock."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page."""
    chosen = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tables = [
            tables_beside_copy(folder, chosen.sizes, chosen.runs),
            json_beside_load(folder, chosen.json_mb, min(chosen.runs, 3)),
        ]
    for table in tables:
        print("\n" + as_text(table), flush=True)
    facts = {"date": f"{date.today()}", **machine(["kappaflow", "duckdb", "polars", "pandera", "pyarrow"])}
    text = page("Benchmarks of ingest", NOTE, [MADE, READ.format(runs=chosen.runs)], facts, tables)
    chosen.page.write_text(text, encoding="utf-8")
    print(f"\nwrote {chosen.page}")


def tables_beside_copy(folder: Path, sizes: Sequence[int], runs: int) -> Table:
    """A row per size and kind of file."""
    rows = []
    for size in sizes:
        for kind in ("csv", "parquet"):
            path = _made(folder, f"ratings-{size}.{kind}")
            works = {name: _work(name, path) for name in ("copy", "ingest", "read")}
            rows.append((f"{size:,}", kind, _megabytes(path), *_beside(*_timed(works, runs))))
            print(f"{size:,} {kind}: {rows[-1][3:9]}", file=sys.stderr, flush=True)
    header = (
        "ratings",
        "file",
        "MB on disk",
        "COPY s",
        "ingest s",
        "times COPY",
        "COPY CPU s",
        "ingest CPU s",
        "times COPY's CPU",
        "of it reading s",
        "upkeep s",
        "upkeep CPU s",
        "COPY MB",
        "ingest MB",
    )
    return Table(
        "A table of ratings", "Reading is the part up to validated rows; upkeep is not in ingest.", header, rows
    )


def _beside(copy: Timed, ingest: Timed, read: Timed) -> tuple[str, ...]:
    """Ingest without the upkeep of the patterns beside the floor, by the clock and by the processor."""
    upkeep, upkeep_cpu = _figures(ingest, "upkeep"), _figures(ingest, "upkeep_cpu")
    clock = replace(ingest, seconds=_minus(ingest.seconds, upkeep))
    floor = replace(copy, seconds=_figures(copy, "cpu"))
    cpu = replace(ingest, seconds=_minus(_figures(ingest, "cpu"), upkeep_cpu))
    return (
        *(seconds(copy.median), seconds(clock.median), f"{ratio(clock, copy):.2f}"),
        *(seconds(floor.median), seconds(cpu.median), f"{ratio(cpu, floor):.2f}"),
        *(seconds(read.median), seconds(median(upkeep)), seconds(median(upkeep_cpu))),
        *(f"{copy.peak_mb:.0f}", f"{ingest.peak_mb:.0f}"),
    )


def _figures(timed: Timed, name: str) -> tuple[float, ...]:
    return tuple(report["found"][name] for report in timed.reports)


def _minus(whole: Sequence[float], part: Sequence[float]) -> tuple[float, ...]:
    return tuple(a - b for a, b in zip(whole, part, strict=True))


def json_beside_load(folder: Path, sizes: Sequence[int], runs: int) -> Table:
    """A row per size: an export of Label Studio, read task by task, and stored."""
    about = f"""Label Studio's JSON, read and validated part by part, so that the file is never in memory as a whole.
    Reading keeps the ratings, and what the file says of the items, in memory; ingest keeps those of a file of more than
    about 250 MB on disk until they are stored. Ingest is all of it, into a new warehouse, with the upkeep of the
    patterns. Beside it Python's `json.load`, which needs the whole file and gives nothing but lists; above {LOADED_MB}
    MB it is left out, since it takes five times the file's size."""
    header = (
        "MB on disk",
        "ratings",
        "json.load s",
        "reading s",
        "ingest s",
        "json.load MB",
        "reading MB",
        "ingest MB",
    )
    return Table("A large JSON file", about, header, [_json_row(folder, size, runs) for size in sizes])


def _json_row(folder: Path, size: int, runs: int) -> tuple[str, ...]:
    path = _made(folder, f"tasks-{size}.json")
    names = ("load", "read", "ingest") if size <= LOADED_MB else ("read", "ingest")
    timed = {
        command_timed.name: command_timed for command_timed in _timed({name: _work(name, path) for name in names}, runs)
    }
    n_ratings = timed["ingest"].reports[-1]["found"]["ratings"]
    each = [timed.get(name) for name in ("load", "read", "ingest")]
    times = (seconds(command_timed.median) if command_timed else "" for command_timed in each)
    memory = (f"{command_timed.peak_mb:.0f}" if command_timed else "" for command_timed in each)
    print(f"{size:,} MB of JSON done", file=sys.stderr, flush=True)
    return (_megabytes(path), f"{n_ratings:,.0f}", *times, *memory)


def _made(folder: Path, name: str) -> str:
    path = folder / name
    if not path.exists():
        # a process of its own: the memory peak of those that are measured would begin at that of this one
        command = [sys.executable, "-m", "benchmarks.ingest.files", str(folder), name]
        subprocess.run(command, check=True, cwd=ROOT, stdin=subprocess.DEVNULL)
    return str(path)


def _work(name: str, path: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.ingest.measurements", name, path]


def _timed(works: dict[str, list[str]], runs: int) -> list[Timed]:
    return in_turn(works, runs=runs, env=ENVIRONMENT, reporting=True)


def _megabytes(path: str) -> str:
    return f"{Path(path).stat().st_size / 1e6:.0f}"


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--json-mb", type=int, nargs="+", default=[200])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-ingest.md")
    return parser


if __name__ == "__main__":
    main()
