"""Kill, run again, compare: one point of one scenario after the other."""

import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.crash.compare import Picture, Verdict, compare, picture
from tests.crash.scenarios import SCENARIOS, Scenario
from tests.crash.worker import Ended, Worker


@dataclass(frozen=True)
class Prepared:
    """A scenario ready to be killed in: the folder to copy, how its undisturbed run went, and what that led to."""

    name: str
    scenario: Scenario
    template: Path
    expected: Picture
    seconds: float
    n_steps: int


@dataclass(frozen=True)
class Point:
    """Where to kill: after so many seconds of the undisturbed run's, or at that step of its steps."""

    seconds: float | None = None
    step: int | None = None

    def __str__(self) -> str:
        return f"after {self.seconds:.3f} s" if self.seconds is not None else f"at step {self.step}"


@dataclass(frozen=True)
class Outcome:
    """What came of one kill: `killed` is false where the work had ended before."""

    scenario: str
    point: Point
    killed: bool
    verdict: Verdict


def prepare(name: str, scratch: Path, worker: Worker) -> Prepared:
    """Make the template of a scenario and do its work undisturbed on a copy."""
    scenario = SCENARIOS[name]
    template, undisturbed = (scratch / f"{name} {part}" for part in ("template", "undisturbed"))
    template.mkdir()
    scenario.prepare(template)
    if scenario.before:
        _must_end_well(worker, template, scenario.before)
    scenario.change(template)
    with _copy(template, undisturbed) as folder:
        ended = _must_end_well(worker, folder, scenario.work)
        expected = picture(folder / "warehouse.duckdb")
        if wrong := compare(expected, folder):
            raise RuntimeError(f"{name}, undisturbed: {wrong}")
    with _copy(template, undisturbed) as folder:
        n_steps = _must_end_well(worker, folder, scenario.work, count=True).n_steps
    return Prepared(name, scenario, template, expected, ended.seconds, n_steps)


def points(prepared: Prepared, number: int, seed: int) -> Iterator[Point]:
    """Random points, the same for the same seed: in turn by time and by step."""
    chance = random.Random(f"{seed} {prepared.name}")
    for each in range(number):
        if each % 2:
            yield Point(seconds=chance.uniform(0, prepared.seconds))
        else:
            yield Point(step=chance.randint(1, prepared.n_steps))


def kill(prepared: Prepared, point: Point, scratch: Path, worker: Worker) -> Outcome:
    """Kill the work at the point, do it again undisturbed, and compare what is there then."""
    with _copy(prepared.template, scratch / "killed") as folder:
        ended = worker.do(folder, prepared.scenario.work, kill_after=point.seconds, kill_at=point.step)
        again = worker.do(folder, prepared.scenario.work)
        if again.code:
            verdict = Verdict(inconsistent=(f"the next run ends with {again.code}: {again.output[-1000:]}",))
        else:
            verdict = compare(prepared.expected, folder, repeated=prepared.scenario.repeated)
    return Outcome(prepared.name, point, ended.code == -9, verdict)


@contextmanager
def _copy(template: Path, target: Path) -> Iterator[Path]:
    """A copy of the project folder, times of the files included, for as long as the block lasts."""
    shutil.copytree(template, target)
    try:
        yield target
    finally:
        shutil.rmtree(target)


def _must_end_well(worker: Worker, folder: Path, work: tuple[tuple[str, ...], ...], *, count: bool = False) -> Ended:
    ended = worker.do(folder, work, count=count)
    if ended.code:
        raise RuntimeError(f"{folder.name}: exit {ended.code}\n{ended.output}")
    return ended
