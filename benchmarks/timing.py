"""Time whole commands in turn, A B A B ..., so that a ratio holds although the machine's speed drifts."""

import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any


@dataclass(frozen=True)
class Timed:
    """Seconds of each run of a command, and the largest resident memory of any, in MB.

    The seconds are the wall's, of the whole process; of a command that reports (`benchmarks.child`) those of its work
    alone. reports: what such a command printed, run by run, with the whole process as `wall`.
    """

    name: str
    seconds: tuple[float, ...]
    peak_mb: float
    reports: tuple[dict[str, Any], ...] = ()

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def in_turn(
    commands: Mapping[str, Sequence[str]], *, runs: int, env: Mapping[str, str], reporting: bool = False
) -> list[Timed]:
    """Each command `runs` times, in turn, after one run of each that does not count. Raises when one fails.

    The peak of a process starts at the memory of the one that starts it: keep that small, make data elsewhere.
    """
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    reports: dict[str, list[dict[str, Any]]] = {name: [] for name in commands}
    peaks: dict[str, float] = dict.fromkeys(commands, 0.0)
    for turn in range(runs + 1):
        for name, command in commands.items():
            wall, peak, printed = _once(command, {**os.environ, **env}, keep=reporting)
            if turn:
                if reporting:
                    reports[name].append({**json.loads(printed.splitlines()[-1]), "wall": wall})
                seconds[name].append(reports[name][-1]["seconds"] if reporting else wall)
                peaks[name] = max(peaks[name], peak)
    return [Timed(name, tuple(seconds[name]), peaks[name], tuple(reports[name])) for name in commands]


def _once(command: Sequence[str], env: Mapping[str, str], *, keep: bool) -> tuple[float, float, str]:
    """Wall seconds, peak memory in MB, and what was printed if that is to be kept."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=printed if keep else subprocess.DEVNULL,
            stderr=errors,
        )
        # wait4 gives this child's own memory; RUSAGE_CHILDREN would give the largest of all that ever ran.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {_text(errors)}")
        return wall, _megabytes(usage), _text(printed)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1024


def ratio(timed: Timed, floor: Timed) -> float:
    """The median of the ratios run by run."""
    return statistics.median(a / b for a, b in zip(timed.seconds, floor.seconds, strict=True))
