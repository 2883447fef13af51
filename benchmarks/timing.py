"""Time whole commands in turn, A B A B ..., so that a ratio holds although the machine's speed drifts."""

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Timed:
    """Wall seconds of each run of a command, and the largest resident memory of any, in MB."""

    name: str
    seconds: tuple[float, ...]
    peak_mb: float

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def in_turn(commands: Mapping[str, Sequence[str]], *, runs: int, env: Mapping[str, str]) -> list[Timed]:
    """Each command `runs` times, in turn, after one run of each that does not count. Raises when one fails."""
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    peaks: dict[str, float] = dict.fromkeys(commands, 0.0)
    for turn in range(runs + 1):
        for name, command in commands.items():
            wall, peak = _once(command, {**os.environ, **env})
            if turn:
                seconds[name].append(wall)
                peaks[name] = max(peaks[name], peak)
    return [Timed(name, tuple(seconds[name]), peaks[name]) for name in commands]


def _once(command: Sequence[str], env: Mapping[str, str]) -> tuple[float, float]:
    started = time.perf_counter()
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    # wait4 gives this child's own memory; RUSAGE_CHILDREN would give the largest of all that ever ran.
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    errors = process.stderr.read().decode() if process.stderr else ""
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}: {errors}")
    return wall, _megabytes(usage)


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1024


def ratio(timed: Timed, floor: Timed) -> float:
    """The median of the ratios run by run."""
    return statistics.median(a / b for a, b in zip(timed.seconds, floor.seconds, strict=True))
