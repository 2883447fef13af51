"""System accuracy beside the least that it could cost, and Dawid-Skene beside crowd-kit.

`python -m benchmarks.accuracy.speed` prints tables and writes docs/benchmarks-accuracy.md. As in
`benchmarks.agreement.speed`, each measurement runs in a new process, in turn with those that it is compared with, and
this process stays small.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from benchmarks.agreement.peers_table import pinned
from benchmarks.bench import ROOT, Bench, seconds
from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page
from benchmarks.timing import Timed, ratio

SIZES = [10_000, 100_000, 1_000_000]
CROWDS = {"workers": [5_000], "crowd": [10_000, 100_000, 200_000]}
SYSTEMS = {"systems": "rater-6,rater-7,rater-8", "crowd": "rater-2001", "workers": "rater-204"}
PEER = "crowdkit"
LABELS = ("same label", "crowd-kit right", "kappaflow right")
LARGE = 100_000  # items above which one run of the peer must do
NOTE = "Written by `python -m benchmarks.accuracy.speed`; do not edit."
MADE = """Made by `make bench-accuracy`; `make bench-peers` installs the other program beforehand. The ratings are
synthetic and seeded, with text ids such as `item-00012345`, rows in no order, in one Parquet file."""
READ = """How to read it: seconds are those of the work alone, in a fresh process, without the start of Python and the
imports; each is the median of {runs} runs, after one that does not count. What is compared was measured in turn, A B A
B, and a ratio is the median of the ratios run by run: ratios carry over to other machines, seconds do not. MB is the
largest memory that the whole process ever held, imports included."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page."""
    chosen = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for table in _measured(Bench(Path(folder), chosen.runs), chosen):
            print("\n" + as_text(table), flush=True)
            tables.append(table)
    facts = {"date": f"{date.today()}", **machine(["kappaflow", "polars", "numpy", "scipy"])}
    text = page("Benchmarks of accuracy", NOTE, [MADE, READ.format(runs=chosen.runs)], facts, tables)
    chosen.page.write_text(text, encoding="utf-8")
    print(f"\nwrote {chosen.page}")


def _measured(bench: Bench, chosen: argparse.Namespace) -> Iterator[Table]:
    yield average(bench, chosen.sizes)
    python = chosen.peers_folder / PEER / "bin" / "python"
    there = (chosen.peers_folder / PEER / "stamp").exists()
    yield dawid_skene(bench, chosen.sizes, python if there else None)
    yield crowds(bench, chosen.crowd_sizes, python if there else None)


def average(bench: Bench, sizes: Sequence[int]) -> Table:
    """The default estimate of three systems beside the floor."""
    about = """`accuracy(ratings, systems=[...], labels=labels, methods=["average"])`: the average of the structured
    models with its interval, for three systems that answered every item, beside five raters who did (8 ratings an item,
    5 labels). The floor is `polars.scan_parquet(file).group_by("item", "label").len().collect()` on the same file.
    From file includes reading it; from frame it is in memory already. The fits work on rating patterns, of which there
    are 15,625 at most, so that their cost does not grow with the items: in small sets it is all of the time."""
    header = ("items", "floor s", "from file s", "times the floor (file)", "from frame s", "times the floor (frame)",
              "floor MB", "from file MB")  # fmt: skip
    rows = []
    for size in sizes:
        ratings, systems = bench.long("systems", size), SYSTEMS["systems"]
        ways = {way: _work("average", ratings, systems, way) for way in ("file", "frame")}
        timed = bench.timed("average", {"floor": _work("floor", ratings), **ways}, size=size)
        rows.append((f"{size:,}", *(_beside_floor(*timed) if timed else ["failed"] * 7)))
    return Table("Average with interval beside the floor", about, header, rows)


def _beside_floor(floor: Timed, file: Timed, frame: Timed) -> list[str]:
    times = [cell for way in (file, frame) for cell in (seconds(way.median), f"{ratio(way, floor):.2f}")]
    return [seconds(floor.median), *times, f"{floor.peak_mb:.0f}", f"{file.peak_mb:.0f}"]


def dawid_skene(bench: Bench, sizes: Sequence[int], python: Path | None) -> Table:
    """Consensus of five raters beside the peer."""
    about = """Consensus labels of the five raters in the same file: `consensus(ratings, labels=labels,
    method="dawid_skene")` from a frame of text in memory, until EM has converged, beside `DawidSkene(n_iter=100,
    tol=1e-5).fit_predict` of crowd-kit from its own data frame, which its tolerance ends after a few iterations. The
    median is that of 3 runs at most, above 100,000 items of one. Same label is the share of items to which both give
    the same; right the share to which each gives the label that the ratings were made from."""
    header = ("items", "crowd-kit s", "kappaflow s", "times faster", "crowd-kit MB", "kappaflow MB", *LABELS)
    rows = [_consensus(bench, "systems", size, python) for size in sizes]
    return Table("Dawid-Skene beside crowd-kit", about, header, [row for row in rows if row], _notes(python))


def crowds(bench: Bench, sizes: dict[str, list[int]], python: Path | None) -> Table:
    """Many raters with few ratings each."""
    about = """Five ratings an item of raters who know between .4 and .9 of the labels: 203 workers over 2 labels, or
    2,000 over 5. Hardly two items look alike. kappaflow's Dawid-Skene as above, and beside it `average` with interval
    for a system that answered every item, which crowd-kit has nothing for: its time is compared with the same
    Dawid-Skene. Where a rater has only some ten ratings for each label a free matrix of its own is mostly noise: there
    the labels differ, because kappaflow adds two pseudo-ratings to each row."""
    header = ("raters", "items", "crowd-kit s", "Dawid-Skene s", "times faster", "average s", "times faster (average)",
              "crowd-kit MB", "average MB", *LABELS)  # fmt: skip
    rows = []
    for kind, size in [(kind, size) for kind, some in sizes.items() for size in some]:
        row = _consensus(bench, kind, size, python, with_average=True)
        rows += [("203" if kind == "workers" else "2,000", *row)] if row else []
    return Table("Many sparse raters", about, header, rows, _notes(python))


def _consensus(
    bench: Bench, kind: str, size: int, python: Path | None, *, with_average: bool = False
) -> tuple[str, ...] | None:
    if python is None:
        return None
    ratings, systems = bench.long(kind, size), SYSTEMS[kind]
    theirs, ours = (bench.folder / f"{kind}-{size}-{who}.txt" for who in ("theirs", "ours"))
    commands = {
        "crowd-kit": [str(python), "-m", "benchmarks.peers", PEER, ratings, systems, str(theirs)],
        "kappaflow": _work("dawid_skene", ratings, systems, str(ours)),
    }
    if with_average:
        commands["average"] = _work("average", ratings, systems, "frame")
    timed = bench.timed(f"Dawid-Skene, {kind}", commands, size=size, most=1 if size > LARGE else 3)
    if not timed:
        return (f"{size:,}", *["failed"] * (10 if with_average else 8))
    peer, *rest = timed
    times = [cell for other_timed in rest for cell in (seconds(other_timed.median), seconds(ratio(peer, other_timed)))]
    memory = [f"{peer.peak_mb:.0f}", f"{rest[-1].peak_mb:.0f}"]
    truth = Path(ratings).with_suffix(".txt")
    labels = [f"{_same(*pair):.2%}" for pair in ((theirs, ours), (theirs, truth), (ours, truth))]
    return (f"{size:,}", seconds(peer.median), *times, *memory, *labels)


def _same(a: Path, b: Path) -> float:
    """Share of equal lines."""
    first, second = (path.read_text(encoding="utf-8").split("\n") for path in (a, b))
    return sum(x == y for x, y in zip(first, second, strict=True)) / len(first)


def _notes(python: Path | None) -> list[str]:
    return [] if python else [f"{pinned(PEER)} is not installed (`make bench-peers`): left out."]


def _work(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.accuracy.measurements", name, *arguments]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.speed", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="numbers of items, e.g. 1e4,1e5")
    parser.add_argument("--crowd", type=_crowd, default=CROWDS, dest="crowd_sizes", help="items rated by a crowd")
    parser.add_argument("--runs", type=int, default=5, help="runs of each measurement (the peer's: 3 at most)")
    parser.add_argument("--peers-folder", type=Path, default=ROOT / ".peers", help="where the environments are")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks-accuracy.md", help="the page to write")
    return parser


def _sizes(text: str) -> list[int]:
    return sorted(int(float(part)) for part in text.split(","))


def _crowd(text: str) -> dict[str, list[int]]:
    return {"crowd": _sizes(text)}


if __name__ == "__main__":
    main()
