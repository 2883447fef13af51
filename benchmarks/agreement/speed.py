"""Agreement statistics beside the least that they could cost, and beside other programs.

`python -m benchmarks.agreement.speed` prints tables and writes docs/benchmarks.md. Each measurement runs in a new
process (`benchmarks.agreement.measurements`, `benchmarks.peers`), in turn with those that it is compared with. This
process stays small: it imports neither polars nor numpy.
"""

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from benchmarks.agreement.peers_table import PEERS, beside_peers
from benchmarks.bench import MANY, ROOT, Bench, seconds, work
from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page
from benchmarks.timing import Timed, ratio

SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
COUNTED = "percent_agreement,brennan_prediger,fleiss_kappa,krippendorff_alpha,gwet_ac1,gwet_ac2"
NOTE = "Written by `python -m benchmarks.agreement.speed`; do not edit."
MADE = """Made by `python -m benchmarks.agreement.speed`; `make bench-peers` installs the other programs beforehand. The
ratings are synthetic and seeded: 5 raters, 5 labels, 20 % of the ratings missing (about four an item), text ids such as
`item-00012345`, rows in no order, in one Parquet file. A rater knows the true label with probability .7, else
guesses."""
READ = """How to read it: seconds are those of the work alone, in a fresh process, without the start of Python and the
imports; each is the median of {runs}, after one that does not count, so that the file is in the system's cache. MB is
the largest memory that the whole process ever held, imports included, the highest of its runs. What is compared was
measured in turn, A B A B, and a ratio is the median of the ratios run by run: ratios carry over to other machines,
seconds do not. The floor is `polars.scan_parquet(file).group_by("item", "label").len().collect()` on the same file: any
program that counts labels per item has to do about that much. Below 100,000 items both are mostly what the first call
in a process costs."""
FLOOR_HEADER = ("items", "floor s", "kappaflow s", "times the floor", "floor MB", "kappaflow MB", "times its memory",
                "µs an item")  # fmt: skip
WAYS = ("scan", "read", "memory")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, write the page."""
    chosen = _options().parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        tables = []
        for table in _measured(Bench(Path(folder), chosen.runs), chosen):
            print("\n" + as_text(table), flush=True)
            tables.append(table)
    few = chosen.runs > 3 and max(chosen.sizes) > MANY
    read = READ.format(runs=f"{chosen.runs} runs" + (f" (of 3 above {MANY:,} items)" if few else ""))
    facts = {"date": f"{date.today()}", **machine(["kappaflow", "polars", "numpy", "scipy", "narwhals"])}
    chosen.page.write_text(page("Benchmarks", NOTE, [MADE, read], facts, tables), encoding="utf-8")
    print(f"\nwrote {chosen.page}")


def _measured(bench: Bench, chosen: argparse.Namespace) -> Iterator[Table]:
    yield from all_coefficients(bench, chosen.sizes)
    yield bootstrap(bench, chosen.sizes)
    yield sparse(bench, chosen.sparse)
    yield beside_peers(bench, chosen.sizes, chosen.peers, chosen.peers_folder)


def all_coefficients(bench: Bench, sizes: Sequence[int]) -> tuple[Table, Table]:
    """From the file beside the floor; and from a file or from memory. Measured together, for they are compared."""
    beside_floor, ways_in = [], []
    for size in sizes:
        ratings = bench.long("gaps", size)
        timed = bench.timed("all coefficients", {way: work(way, ratings) for way in ("floor", *WAYS)}, size=size)
        beside_floor.append(_beside_floor(size, timed[:2]))
        ways_in.append(_ways_in(size, timed[1:]))
    about = """Every coefficient that applies, with standard error, interval and p-value:
    `agreement(pl.scan_parquet(file), labels=labels)`. Cost that grows in proportion to the items has the same
    microseconds an item in every row."""
    ways = """All coefficients from the lazy file (`scan_parquet`), from the file read whole (`read_parquet`, reading
    included), and from a frame that is in memory already. Whole is the time of the process from `scan_parquet`, with
    the start of Python and the imports."""
    header = ("items", "scan s", "read s", "in memory s", "whole s", "scan MB", "read MB", "in memory MB")
    return (
        Table("All coefficients beside the floor", about, FLOOR_HEADER, beside_floor),
        Table("From a file or from memory", ways, header, ways_in),
    )


def _beside_floor(size: int, timed: Sequence[Timed]) -> tuple[str, ...]:
    if not timed:
        return (f"{size:,}", *["failed"] * 7)
    floor, ours = timed
    return (
        f"{size:,}",
        seconds(floor.median),
        seconds(ours.median),
        f"{ratio(ours, floor):.2f}",
        f"{floor.peak_mb:.0f}",
        f"{ours.peak_mb:.0f}",
        f"{ours.peak_mb / floor.peak_mb:.2f}",
        f"{ours.median / size * 1e6:.2f}",
    )


def _ways_in(size: int, timed: Sequence[Timed]) -> tuple[str, ...]:
    if not timed:
        return (f"{size:,}", *["failed"] * 7)
    whole = statistics.median(report["wall"] for report in timed[0].reports)
    times, peaks = (seconds(way.median) for way in timed), (f"{way.peak_mb:.0f}" for way in timed)
    return (f"{size:,}", *times, seconds(whole), *peaks)


def bootstrap(bench: Bench, sizes: Sequence[int]) -> Table:
    """What 1,000 bootstrap replicates cost more."""
    about = f"""The coefficients that need only counts ({COUNTED.replace(",", ", ")}) from the file, with analytic
    errors and with percentile intervals from 1,000 bootstrap replicates of each."""
    header = ("items", "analytic s", "bootstrap s", "seconds more", "analytic MB", "bootstrap MB")
    rows = []
    for size in sizes:
        ratings = bench.long("gaps", size)
        methods = {method: work("scan", ratings, COUNTED, method) for method in ("t", "percentile")}
        timed = bench.timed("bootstrap", methods, size=size)
        if timed:
            plain, drawn = timed
            more = statistics.median(b - a for a, b in zip(plain.seconds, drawn.seconds, strict=True))
            cells = [seconds(plain.median), seconds(drawn.median), f"{more:.2f}", *(f"{t.peak_mb:.0f}" for t in timed)]
        rows.append((f"{size:,}", *(cells if timed else ["failed"] * 5)))
    return Table("1,000 bootstrap replicates", about, header, rows)


def sparse(bench: Bench, size: int) -> Table:
    """Many raters, each of whom rated a few of the items."""
    about = f"""All coefficients of {size:,} ratings by 2,000 raters, three an item: nearly every item is a pattern of
    its own, and the pairs of raters are many. The first column and the last count ratings."""
    ratings = bench.long("sparse", size)
    timed = bench.timed("sparse", {way: work(way, ratings) for way in ("floor", "scan")}, size=size)
    header = ("ratings", *FLOOR_HEADER[1:-1], "µs a rating")
    return Table("Many sparse raters", about, header, [_beside_floor(size, timed)])


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.agreement.speed", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="numbers of items, e.g. 1e3,1e5")
    parser.add_argument("--sparse", type=_size, default=1_000_000, help="ratings of the set with sparse raters")
    parser.add_argument("--runs", type=_size, default=5, help="runs of each measurement (the peers': 3 at most)")
    parser.add_argument("--peers", type=_peers, default=list(PEERS), help=f"of {','.join(PEERS)}; none for none")
    parser.add_argument("--peers-folder", type=Path, default=ROOT / ".peers", help="where the environments are")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "benchmarks.md", help="the page to write")
    return parser


def _size(text: str) -> int:
    size = float(text)
    if size < 1 or not size.is_integer():
        raise argparse.ArgumentTypeError(f"must be a whole number from 1, found {text!r}")
    return int(size)


def _sizes(text: str) -> list[int]:
    return sorted(_size(part) for part in text.split(","))


def _peers(text: str) -> list[str]:
    names = [] if text == "none" else text.split(",")
    if unknown := set(names) - set(PEERS):
        raise argparse.ArgumentTypeError(f"must be of {', '.join(PEERS)}, or none, found {', '.join(sorted(unknown))}")
    return names


if __name__ == "__main__":
    main()
