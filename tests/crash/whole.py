"""`kappaflow run` as a user starts it, with Prefect's temporary server, killed as a whole."""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.crash.compare import Verdict, compare, picture
from tests.crash.kills import Outcome, Point
from tests.crash.scenarios import with_a_system
from tests.crash.worker import ROOT, clean_environment, kill_group

NAME = "whole command"
COMMAND = [sys.executable, "-c", "from flows.cli import main; main()"]


def kill_whole_runs(number: int, seed: int, scratch: Path) -> Iterator[Outcome]:
    """Kill `kappaflow run` at random times of its undisturbed duration, let the next one finish, compare."""
    chance, template, folder = random.Random(f"{seed} {NAME}"), scratch / NAME, scratch / "project"
    with_a_system(template)
    shutil.copytree(template, folder)
    started = time.monotonic()
    wait(start(folder))
    seconds = time.monotonic() - started
    expected = picture(folder / "warehouse.duckdb")
    for _ in range(number):
        shutil.rmtree(folder)
        shutil.copytree(template, folder)
        point = Point(seconds=chance.uniform(0, seconds))
        process = start(folder)
        try:
            process.wait(point.seconds)
        except subprocess.TimeoutExpired:
            kill_group(process.pid)
        killed = process.wait() == -9
        code, text = wait(start(folder))
        failed = Verdict(inconsistent=(f"the next run ends with {code}: {text[-1000:]}",))
        yield Outcome(NAME, point, killed, compare(expected, folder) if code == 0 else failed)


def start(folder: Path, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
    """A `kappaflow run` (or another command) on the project, at the head of a group of its own."""
    command = [*COMMAND, *(arguments or ("run", "--json")), "--project", str(folder)]
    return subprocess.Popen(
        command, cwd=ROOT, env=clean_environment(folder) | environment, start_new_session=True, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def wait(process: "subprocess.Popen[str]", seconds: float = 600) -> tuple[int, str]:
    """How it ended: exit code, and what it said of what is wrong."""
    try:
        _, text = process.communicate(timeout=seconds)
    finally:
        kill_group(process.pid)
    return process.returncode, text
