"""kappaflow beside other programs, each in an environment of its own that `make bench-peers` installs."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import ROOT, Bench, seconds, work
from benchmarks.machine import memory_mb
from benchmarks.page import Table
from benchmarks.timing import Timed, ratio

LONGEST = 60  # seconds that a peer may take
RUNS = 3
ABOUT = f"""Each program has the input that it is made for in memory before the clock starts: irrCAC a data frame of
items x raters (its five functions for raw ratings, with standard error and interval), krippendorff a matrix,
statsmodels a matrix without gaps (`aggregate_raters` and `fleiss_kappa`; it would count a gap as a label, so that
both sides get complete ratings), nltk a list of triples. kappaflow computes the same coefficients, with standard
error and interval, from the Parquet file of text, which it reads within its time, and again from a polars data frame
in memory. Left out where a program would need more than {LONGEST} s or half of the memory, judged from the size
before. The last column is the largest difference between the figures of the two."""
HEADER = ("items", "beside", "coefficients", "its s", "from file s", "times faster (file)", "from frame s",
          "times faster (frame)", "its MB", "from file MB", "figures differ by")  # fmt: skip


@dataclass(frozen=True)
class Peer:
    """The kind of ratings that it can take, and the coefficients that it has."""

    kind: str
    coefficients: tuple[str, ...]


PEERS = {
    "irrcac": Peer("gaps", ("brennan_prediger", "fleiss_kappa", "conger_kappa", "krippendorff_alpha", "gwet_ac1")),
    "krippendorff": Peer("gaps", ("krippendorff_alpha",)),
    "statsmodels": Peer("complete", ("fleiss_kappa",)),
    "nltk": Peer("gaps", ("krippendorff_alpha",)),
}


def beside_peers(bench: Bench, sizes: Sequence[int], names: Sequence[str], folder: Path) -> Table:
    """A row per size and peer, and a note for each peer that is not there or stops before the largest size."""
    rows, notes = [], []
    for name in names:
        python = folder / name / "bin" / "python"
        if not (folder / name / "stamp").exists():
            notes.append(f"{pinned(name)} is not installed (`make bench-peers`): left out.")
            continue
        last: tuple[int, Timed] | None = None
        for size in sorted(sizes):
            if last and (too_much := _too_much(*last, size)):
                notes.append(f"{pinned(name)} at {size:,} items would need {too_much}: left out.")
                break
            timed = _timed(bench, name, python, size)
            if not timed:
                notes.append(f"{pinned(name)} at {size:,} items failed.")
                break
            last = size, timed[0]
            rows.append((size, _row(name, size, timed)))
    rows.sort(key=lambda row: row[0])
    return Table("Beside other programs", ABOUT, HEADER, [row for _, row in rows], notes)


def pinned(name: str) -> str:
    """Name and version, as installed."""
    lines = (ROOT / "benchmarks" / "peers" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return lines[0].replace("==", " ")


def _timed(bench: Bench, name: str, python: Path, size: int) -> list[Timed]:
    peer = PEERS[name]
    ratings, coefficients = bench.long(peer.kind, size), ",".join(peer.coefficients)
    commands = {
        name: [str(python), "-m", "benchmarks.peers", name, bench.wide(peer.kind, size)],
        "file": work("scan", ratings, coefficients),
        "frame": work("memory", ratings, coefficients),
    }
    return bench.timed(f"beside {name}", commands, size=size, most=RUNS)


def _too_much(size: int, timed: Timed, next_size: int) -> str | None:
    """What the next size would take, if that is too much and grows with the items."""
    factor = next_size / size
    if timed.median * factor > LONGEST:
        return f"about {timed.median * factor:.0f} s"
    before = statistics.median(report["before_mb"] for report in timed.reports)
    peak = max(timed.peak_mb, before) * factor / 1024
    return f"about {peak:.0f} GB" if size >= 100_000 and peak * 1024 > memory_mb() / 2 else None


def _row(name: str, size: int, timed: list[Timed]) -> tuple[str, ...]:
    theirs, file, frame = timed
    theirs_found, ours = theirs.reports[0]["found"], file.reports[0]["found"]
    apart = max(abs(theirs_found[coefficient] - ours[coefficient]) for coefficient in PEERS[name].coefficients)
    return (
        f"{size:,}",
        pinned(name),
        str(len(PEERS[name].coefficients)),
        seconds(theirs.median),
        seconds(file.median),
        seconds(ratio(theirs, file)),
        seconds(frame.median),
        seconds(ratio(theirs, frame)),
        f"{theirs.peak_mb:.0f}",
        f"{file.peak_mb:.0f}",
        f"{apart:.0e}",
    )
