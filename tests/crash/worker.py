"""The harness's side of a child: give it work, kill it, learn how it ended."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Ended:
    """How a piece of work ended: its exit code (negative: the signal), its seconds, what it said."""

    code: int
    seconds: float
    output: str
    n_steps: int = 0


class Worker:
    """One child process that does one piece of work at a time, each in a fork at the head of its own group."""

    def __init__(self, process: "subprocess.Popen[str]", scratch: Path) -> None:
        self._process, self._scratch = process, scratch
        self._group: int | None = None

    def kill(self) -> None:
        """Kill the work under way, from another thread."""
        if self._group is not None:
            kill_group(self._group)

    def do(
        self,
        folder: Path,
        work: Sequence[Sequence[str]],
        *,
        kill_after: float | None = None,
        kill_at: int | None = None,
        count: bool = False,
    ) -> Ended:
        """Run the commands on the project; kill the whole group after so many seconds, or at the n-th step. With
        `count` tell how many steps there are."""
        log, steps = self._scratch / "log", self._scratch / "steps"
        for path in (log, steps):
            path.unlink(missing_ok=True)
        order = {"folder": str(folder), "work": work, "log": str(log), "steps": str(steps), "kill_at": kill_at,
                 "count": count or kill_at is not None}  # fmt: skip
        self._tell(order)
        group, started = self._answer()["pid"], time.monotonic()
        self._group = group
        if kill_after is not None:
            time.sleep(kill_after)
            kill_group(group)
        code = self._answer()["code"]
        self._group = None
        kill_group(group)  # a copy under way may have outlived its parent
        n_steps = json.loads(steps.read_text()) if steps.exists() else 0
        return Ended(code, time.monotonic() - started, log.read_text() if log.exists() else "", n_steps)

    def _tell(self, order: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, int]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the child process has ended"
        answer: dict[str, int] = json.loads(line)
        return answer


@contextmanager
def worker(module: str = "tests.crash.child") -> Iterator[Worker]:
    """A child for as long as the block lasts."""
    command = [sys.executable, "-m", module]
    with (
        tempfile.TemporaryDirectory() as scratch,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
                         env=clean_environment(Path(scratch))) as process,
    ):  # fmt: skip
        try:
            yield Worker(process, Path(scratch))
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(60)


def clean_environment(home: Path) -> dict[str, str]:
    """As a user's: nothing of Prefect's or kappaflow's variables, a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
    return {**kept, "HOME": str(home), "COLUMNS": "200"}


def kill_group(group: int) -> None:
    """kill -9, all of it."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
