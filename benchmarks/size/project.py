"""A project of many ratings on one machine, command by command: `python -m benchmarks.size.project --sizes 1e6 1e7`.

Writes docs/benchmarks-size.md. `--add` keeps the sizes that the page has already, and measures only the given ones.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path

from benchmarks.bench import ENVIRONMENT, ROOT, seconds
from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page

NOTE = "Written by `python -m benchmarks.size.project`; do not edit."
MADE = """Made by `make bench-size`. A project gets ratings of one question, in {files} Parquet files: five people and a
system, five labels, a fifth of the ratings of people missing, text ids, times over 100 days. Each step is a whole
command as a user types it, in a new process, once, with the start of Python and of Prefect. The setting under test is
`[limits] memory = "{memory}"` ([what it bounds](reference/settings.md#limits))."""
READ = """How to read it: `s` are seconds by the clock, `CPU s` are those of all threads of the command itself; on a
machine that does other things meanwhile they tell more. `peak MB` is the largest resident memory of the command,
without Prefect's temporary server (a process of its own, about 250 MB). `MB on disk` is what the step leaves: its
file, or the warehouse."""
COMMAND = str(Path(sys.executable).with_name("kappaflow"))
MORE = 1_000  # ratings of the batch that comes later
QUERY = "select coefficient, estimate, low, high from latest_agreement where period = 'all' and scope = 'humans'"
SETTINGS = """[questions.q]
labels = ["a", "b", "c", "d", "e"]
systems = ["gpt"]

[limits]
memory = "{memory}"
"""
HEADER = ("ratings", "step", "s", "CPU s", "peak MB", "MB on disk")
Row = tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """A command of the project, and the files that it leaves."""

    name: str
    arguments: tuple[str, ...]
    leaves: Callable[[Path], list[Path]]


def _warehouse(folder: Path) -> list[Path]:
    return [folder / "warehouse.duckdb"]


STEPS = (
    Step("ingest", ("ingest", "--quiet"), _warehouse),
    Step("evaluate", ("evaluate", "--quiet"), _warehouse),
    Step("run: monitor, publish, report", ("run", "--quiet"), lambda folder: [folder / "published/snapshot.duckdb"]),
    Step("ingest a batch of 1,000", ("ingest", "--quiet"), _warehouse),
    Step("evaluate after it", ("evaluate", "--quiet"), _warehouse),
    Step("run after it", ("run", "--quiet"), lambda folder: [folder / "report.html"]),
    Step("query", ("sql", QUERY, "--json"), lambda folder: []),
    Step("doctor", ("doctor", "--json"), lambda folder: []),
    Step("backup", ("backup",), lambda folder: list((folder / "backups").glob("*.duckdb"))),
)
BATCH_BEFORE = 3  # the step before which the later batch arrives


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page after each size."""
    chosen = _options().parse_args(arguments)
    rows = _rows_of(chosen.page) if chosen.add and chosen.page.exists() else []
    for size in map(int, chosen.sizes):
        kept = [row for row in rows if row[0] != f"{size:,}"]
        with tempfile.TemporaryDirectory(dir=chosen.folder) as name:
            rows = sorted(
                [*kept, *measured(Path(name), size, chosen.files, chosen.memory)],
                key=lambda row: int(row[0].replace(",", "")),
            )
        chosen.page.write_text(_page(rows, chosen.files, chosen.memory), encoding="utf-8")
    print("\n" + as_text(Table("Steps", "", HEADER, rows)) + f"\n\nwrote {chosen.page}", flush=True)


def measured(folder: Path, size: int, n_files: int, memory: str) -> list[Row]:
    """Make the files, and run each step on them."""
    (folder / "inbox").mkdir()
    (folder / "kappaflow.toml").write_text(SETTINGS.format(memory=memory), encoding="utf-8")
    inbox = folder / "inbox"
    maker = [sys.executable, "-m", "benchmarks.size.project", "--make", str(inbox), "--sizes", str(size)]
    rows = [_row(size, "generate", [*maker, "--files", str(n_files)], lambda: sorted(inbox.glob("*.parquet")))]
    for number, step in enumerate(STEPS):
        if number == BATCH_BEFORE:
            subprocess.run([*maker, "--files", "0"], check=True, cwd=ROOT, stdin=subprocess.DEVNULL)
        command = [COMMAND, *step.arguments, "--project", str(folder)]
        rows.append(_row(size, step.name, command, lambda step=step: step.leaves(folder)))  # type: ignore[misc]
    return rows


def make(inbox: Path, size: int, n_files: int) -> None:
    """Write the files of a size; with no files, the batch that comes later: half of its items are known."""
    import duckdb

    from benchmarks.size.dataset_steps import ITEMS, RATINGS

    n_cells = round(size * 6 / 5) // 6 * 6
    bounds = [n_cells // 6 * n // n_files * 6 for n in range(n_files + 1)] if n_files else []
    parts = {f"part-{n:03}": part for n, part in enumerate(pairwise(bounds))}
    first = n_cells - MORE * 6 // 10
    with duckdb.connect() as con:
        con.execute("set timezone = 'UTC'")
        for name, (start, end) in (parts or {"later": (first, first + MORE * 6 // 5)}).items():
            target = inbox / f"{name}.parquet"
            bounds_of_file = {"first": start, "last": end, "n_items": n_cells // 6}
            con.execute(RATINGS.format(**bounds_of_file, target=target, item=ITEMS["in order"]))
            _with_question(con, target)


def _with_question(con: object, target: Path) -> None:
    """Name the question in the file: without it each file would be a question."""
    import polars as pl

    pl.read_parquet(target).insert_column(0, pl.lit("q").alias("question")).write_parquet(target)


def _row(size: int, name: str, command: Sequence[str], leaves: Callable[[], list[Path]]) -> Row:
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **ENVIRONMENT},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)  # of this process alone
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {errors.decode(errors='replace')}")
    left = sum(path.stat().st_size for path in leaves() if path.exists()) / 1e6
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    row = (f"{size:,}", name, seconds(wall), seconds(cpu), f"{peak:.0f}", f"{left:.1f}" if left else "")
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


def _page(rows: Sequence[Row], n_files: int, memory: str) -> str:
    load = f"{os.getloadavg()[0]:.0f} processes that want to run, this one included (load average at the end)"
    versions = machine(["kappaflow", "duckdb", "polars", "prefect"])
    facts = {"last written": f"{date.today()}", "load": load, **versions}
    paragraphs = [MADE.format(files=n_files, memory=memory), READ]
    tables = [Table("Each step", "Sizes are ratings in the files.", HEADER, rows), _growth(rows)]
    return page("Benchmarks by size", NOTE, paragraphs, facts, tables)


def _growth(rows: Sequence[Row]) -> Table:
    """A row a step: its processor time and memory at each size, beside the size before."""
    sizes = list(dict.fromkeys(row[0] for row in rows))
    figures = {(row[0], row[1]): row for row in rows}
    lines = []
    for step in dict.fromkeys(row[1] for row in rows):
        line = [step]
        for before, size in zip([None, *sizes], sizes, strict=False):
            now, former = figures.get((size, step)), figures.get((before or "", step))
            for column in (3, 4):
                times = f"{float(now[column]) / float(former[column]):.1f}" if now and former else ""
                line += [now[column] if now else "", *([times] if before else [])]
        lines.append(tuple(line))
    header = ["step"]
    for before, size in zip([None, *sizes], sizes, strict=False):
        for what in ("CPU s", "MB"):
            header += [f"{what} at {size}", *([f"times {before}"] if before else [])]
    return Table(
        "How each step grows", "Processor seconds and peak memory, and both beside the size before.", header, lines
    )


def _rows_of(path: Path) -> list[Row]:
    """The rows of the first table of a page."""
    section = path.read_text(encoding="utf-8").partition("## Each step")[2].partition("## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=float, nargs="+", default=[1e6, 1e7])
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--memory", default="8 GB")
    parser.add_argument("--add", action="store_true", help="keep the sizes that the page has")
    parser.add_argument("--folder", type=Path, help="where the projects are made (100 million ratings: 30 GB)")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-size.md")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    given = _options().parse_args()
    if given.make:
        make(given.make, int(given.sizes[0]), given.files)
    else:
        main()
