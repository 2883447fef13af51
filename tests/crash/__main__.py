"""`python -m tests.crash --kills N`: kill -9 at N random points, and compare with undisturbed runs.

`--only "first run" --step 17` (or `--seconds 0.4`) does one of them again.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from tests.crash.kills import Outcome, Point, kill, points, prepare
from tests.crash.scenarios import SCENARIOS
from tests.crash.together import together
from tests.crash.whole import NAME as WHOLE
from tests.crash.whole import kill_whole_runs
from tests.crash.worker import worker

SEED = 6
Results = SimpleQueue[Outcome | BaseException | None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--whole", type=int, help="of them whole commands with Prefect; else a tenth")
    parser.add_argument("--together", type=int, default=20, help="processes that run at once, at the end")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=[*SCENARIOS])
    parser.add_argument("--step", type=int)
    parser.add_argument("--seconds", type=float)
    options = parser.parse_args()
    started = time.monotonic()
    outcomes = []
    for outcome in _outcomes(options):
        outcomes.append(outcome)
        _tell(len(outcomes), outcome)
    failed = _summary(outcomes, options.seed, time.monotonic() - started)
    return max(failed, _crowds(0 if options.only else options.together))


def _outcomes(options: argparse.Namespace) -> Iterator[Outcome]:
    """As they come: scenarios side by side, in `jobs` threads that only wait for their child processes."""
    results = Results()
    parts = _parts(options)
    with ThreadPoolExecutor(options.jobs) as pool:
        for part in parts:
            pool.submit(_collect, part, results)
        ended = 0
        while ended < len(parts):
            result = results.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                ended += 1
            else:
                yield result


def _parts(options: argparse.Namespace) -> list["partial[Iterator[Outcome]]"]:
    if options.step is not None or options.seconds is not None:
        point = Point(step=options.step, seconds=options.seconds)
        return [partial(_of_scenario, options.only or next(iter(SCENARIOS)), options.kills, options.seed, point)]
    n_whole = (0 if options.only else options.kills // 10) if options.whole is None else options.whole
    names, n_left = [options.only] if options.only else [*SCENARIOS], options.kills - n_whole
    shares = [n_left // len(names) + (number < n_left % len(names)) for number in range(len(names))]
    parts = [
        partial(_of_scenario, name, share, options.seed) for name, share in zip(names, shares, strict=True) if share
    ]
    return [partial(_whole, n_whole, options.seed), *parts] if n_whole else parts


def _of_scenario(name: str, number: int, seed: int, point: Point | None = None) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as scratch, worker() as child:
        prepared = prepare(name, Path(scratch), child)
        for each in [point] if point else points(prepared, number, seed):
            yield kill(prepared, each, Path(scratch), child)


def _whole(number: int, seed: int) -> Iterator[Outcome]:
    with tempfile.TemporaryDirectory() as scratch:
        yield from kill_whole_runs(number, seed, Path(scratch))


def _collect(part: "partial[Iterator[Outcome]]", results: Results) -> None:
    try:
        for outcome in part():
            results.put(outcome)
        results.put(None)
    except BaseException as error:
        results.put(error)


def _crowds(number: int) -> int:
    """Processes that start at once: whole runs, then plain ingests."""
    failed = 0
    for command in ("run", "ingest") if number else ():
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as scratch:
            verdict = together(number, Path(scratch), (command, "--json"))
        text = "all end well, as after one" if not verdict else str(verdict)[:3000]
        print(f"{number} x kappaflow {command} at once: {text} ({time.monotonic() - started:.0f} s)", flush=True)
        failed |= bool(verdict)
    return failed


def _tell(number: int, outcome: Outcome) -> None:
    text = "" if outcome.killed else " (had ended before)"
    print(f"{number:4} {outcome.scenario:18}{outcome.point}{text}", flush=True)
    for name in ("lost", "doubled", "inconsistent"):
        for row in getattr(outcome.verdict, name)[:5]:
            print(f"     {name.upper()}: {row[:600]}", flush=True)


def _summary(outcomes: list[Outcome], seed: int, seconds: float) -> int:
    print(f"\nseed {seed}, {len(outcomes)} kills in {seconds / 60:.1f} minutes")
    print(f"{'scenario':18}{'kills':>7}{'hit':>6}{'lost':>6}{'doubled':>9}{'inconsistent':>14}")
    totals = Counter[str]()
    for name in (*SCENARIOS, WHOLE, "all"):
        of = [each for each in outcomes if name in (each.scenario, "all")]
        counts = {part: sum(bool(getattr(each.verdict, part)) for each in of) for part in
                  ("lost", "doubled", "inconsistent")}  # fmt: skip
        if of:
            print(f"{name:18}{len(of):7}{sum(each.killed for each in of):6}{counts['lost']:6}{counts['doubled']:9}"
                  f"{counts['inconsistent']:14}")  # fmt: skip
        totals = Counter(counts)
    return 1 if totals.total() else 0


if __name__ == "__main__":
    sys.exit(main())
