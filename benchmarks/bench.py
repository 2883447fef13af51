"""Data for the benchmarks, made when first asked for, and processes that are timed in turn on it."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.timing import Timed, in_turn

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
MANY = 1_000_000  # above it three runs must do


@dataclass(frozen=True)
class Bench:
    """A folder for the data, and how often each measurement is repeated."""

    folder: Path
    runs: int

    def long(self, kind: str, size: int) -> str:
        """The Parquet file of one of `benchmarks.ratings.SETS`; beside it may be the wide one."""
        path = self.folder / f"{kind}-{size}.parquet"
        if not path.exists():
            # a process of its own: the memory peak of those that are measured would begin at that of this one
            command = [sys.executable, "-m", "benchmarks.ratings", str(self.folder), path.stem]
            subprocess.run(command, check=True, cwd=ROOT, stdin=subprocess.DEVNULL)
        return str(path)

    def wide(self, kind: str, size: int) -> str:
        """The wide matrix of a dense set."""
        return str(Path(self.long(kind, size)).with_suffix(".npy"))

    def timed(self, title: str, commands: Mapping[str, Sequence[str]], *, size: int, most: int = 99) -> list[Timed]:
        """Each command, in turn; an empty list where one failed, which is said and does not end the rest."""
        runs = min(self.runs, most, 3 if size > MANY else self.runs)
        try:
            timed = in_turn(commands, runs=runs, env=ENVIRONMENT, reporting=True)
        except RuntimeError as error:
            print(f"{title}, {size:,}: failed. {error}", file=sys.stderr)
            return []
        shown = ", ".join(f"{command_timed.name} {seconds(command_timed.median)} s" for command_timed in timed)
        print(f"{title}, {size:,}: {shown}", file=sys.stderr, flush=True)
        return timed


def work(name: str, *arguments: str) -> list[str]:
    """The command that does one of `benchmarks.agreement.measurements.WORKS`."""
    return [sys.executable, "-m", "benchmarks.agreement.measurements", name, *arguments]


def seconds(value: float) -> str:
    """Seconds, or times, as three digits, none of them below the thousandth part.

    >>> seconds(0.01234), seconds(1.234), seconds(123.4)
    ('0.012', '1.23', '123')
    """
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0}f}"
