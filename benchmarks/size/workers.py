"""Many questions spread over one and two workers: how long the evaluation of a project takes.

The seconds are those that the warehouse has of each run, so that the start of Python and of Prefect is not in them.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.bench import ROOT, seconds
from benchmarks.page import Table
from benchmarks.ratings import KNOWING, LABELS, RATERS, dense

QUESTIONS, ITEMS = 16, 5_000
RUN = "select date_diff('millisecond', started_at, ended_at) / 1000 from runs order by started_at desc limit 1"
ABOUT = f"""`kappaflow evaluate --all` on a project of {QUESTIONS} questions, {ITEMS:,} items each with five people and
a system: agreement, all estimators of accuracy, checks, consensus. Everything runs on this one machine. Threads share
Python's lock; a Dask worker is a process of one thread. In turn, after one run that does not count."""
Settings = Mapping[str, str]


def workers_table(folder: Path, runs: int) -> Table:
    """A row per way to spread the questions."""
    project = _project(folder)
    with ExitStack() as stack:
        ways = {"no workers": "", "threads, 1": _threads(1), "threads, 2": _threads(2)}
        environment: dict[str, str] = {}
        if find_spec("prefect_dask") is not None:
            environment["PREFECT_API_URL"] = stack.enter_context(_server(folder))
            for number in (1, 2):
                ways[f"Dask, {number}"] = _dask(stack.enter_context(_cluster(folder, number, environment)))
        _kappaflow("ingest", project, environment)
        took: dict[str, list[float]] = {way: [] for way in ways}
        for turn in range(runs + 1):
            for way, settings in ways.items():
                duration = _evaluated(project, settings, environment)
                took[way] += [duration] if turn else []
                print(f"{way}: {seconds(duration)} s", file=sys.stderr, flush=True)
    first = statistics.median(took["no workers"])
    rows = [(way, seconds(now := statistics.median(each)), f"{now / first:.2f}") for way, each in took.items()]
    notes = () if "Dask, 1" in ways else ("Dask is left out: it is not installed.",)
    return Table("Questions over workers", ABOUT, ("workers", "seconds", "times no workers"), rows, notes)


def _project(folder: Path) -> Path:
    """A project with one file per question."""
    (folder / "project" / "inbox").mkdir(parents=True)
    for number in range(QUESTIONS):
        wide, rng = dense(ITEMS, seed=number), np.random.default_rng(number)
        guess = rng.integers(0, len(LABELS), ITEMS)
        system = np.where(rng.random(ITEMS) < KNOWING, np.maximum(wide[:, 0], 0), guess)
        labels = {f"rater-{i + 1}": wide[:, i] for i in range(RATERS)} | {"gpt": system.astype(np.int8)}
        long = (
            pl.DataFrame(labels).with_row_index("item").unpivot(index="item", variable_name="rater", value_name="label")
        )
        rated = long.filter(pl.col("label") >= 0).with_columns(
            pl.format("label-{}", pl.col("label") + 1).alias("label"),
            pl.when(pl.col("rater") == "gpt").then(pl.lit("system")).otherwise(pl.lit("human")).alias("rater_kind"),
        )
        rated.write_csv(folder / "project" / "inbox" / f"q{number}.csv")
    (folder / "project" / "kappaflow.toml").write_text("")
    return folder / "project"


def _threads(count: int) -> str:
    return f'[workers]\nrunner = "threads"\ncount = {count}\n'


def _dask(address: str) -> str:
    return f'[workers]\nrunner = "dask"\naddress = "{address}"\n'


def _evaluated(project: Path, settings: str, environment: Settings) -> float:
    (project / "kappaflow.toml").write_text(settings)
    _kappaflow("evaluate", project, environment, "--all")
    printed = _kappaflow("sql", project, environment, RUN, "--json")
    return float(next(iter(json.loads(printed)[0].values())))


def _kappaflow(command: str, project: Path, environment: Settings, *arguments: str) -> str:
    call = [sys.executable, "-c", "from flows.cli import main; main()", command, *arguments, "--project", str(project)]
    process = subprocess.run(
        call, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if process.returncode:
        raise RuntimeError(f"kappaflow {command} ended with {process.returncode}: {process.stderr}")
    return process.stdout


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    """A Prefect server, to which Dask's workers report."""
    home, port = folder / "prefect", "4399"
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", port]
    with _process(command, folder / "server.log", {"PREFECT_HOME": str(home), "DO_NOT_TRACK": "1"}, "Check out"):
        yield f"http://127.0.0.1:{port}/api"


@contextmanager
def _cluster(folder: Path, number: int, environment: Settings) -> Iterator[str]:
    """A scheduler with so many workers, each a process of one thread."""
    dask = str(Path(sys.executable).with_name("dask"))
    address = f"tcp://127.0.0.1:{8780 + number}"
    start = [dask, "scheduler", "--host", "127.0.0.1", "--port", str(8780 + number), "--no-dashboard"]
    join = [dask, "worker", address, "--nthreads", "1", "--no-dashboard"]
    with ExitStack() as stack:
        stack.enter_context(_process(start, folder / f"scheduler-{number}.log", environment, "Scheduler at"))
        for worker in range(number):
            log = folder / f"worker-{number}-{worker}.log"
            stack.enter_context(_process(join, log, environment, "Registered to"))
        yield address


@contextmanager
def _process(command: list[str], log: Path, environment: Settings, ready: str) -> Iterator[None]:
    """A process that is there once it has said so in its log; it ends with the block."""
    with log.open("wb") as file:
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stdout=file, stderr=file)
    try:
        until = time.monotonic() + 120
        while ready not in log.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{' '.join(command)} did not start: {log.read_text(errors='replace')[-600:]}")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(30)
