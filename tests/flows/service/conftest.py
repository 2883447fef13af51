"""One `kappaflow serve` for all tests that only look at it or call its webhook: its start takes long."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import COMMAND, free_ports

TOKEN = "a long random text"
TABLE = "item,rater,label\n" + "".join(f"{i},{r},{'yes' if i % 3 else 'no'}\n" for i in range(12) for r in "ab")
SECRETS = {"LABEL_STUDIO_TOKEN": "hush-label-studio", "AWS_SECRET_ACCESS_KEY": "hush-aws", "MY_OWN_KEY": "hush-own"}
HOSTILE = ("flows", "tasks", "stats", "schemas", "warehouse", "prefect", "uvicorn")


@dataclass(frozen=True)
class Served:
    """A project that is being served: its next run by the schedule is due in an hour."""

    project: Path
    port: int
    webhook: int
    dashboard: int
    pid: int
    log: Path

    @property
    def api(self) -> str:
        return f"http://127.0.0.1:{self.port}/api"

    @property
    def password(self) -> str:
        return self.project.joinpath(".kappaflow", f"prefect-password-{self.port}").read_text().strip()


def until(what: Callable[[], bool], seconds: float, log: Path) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"not within {seconds} s; the log says:\n{log.read_text()[-4000:]}"
        time.sleep(0.5)


def children(of: int) -> list[int]:
    """All processes below one, by /proc."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(after_name[1])
    result, wave = [], [of]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        result += wave
    return result


def lay_hostile_modules(folder: Path) -> Path:
    """Modules of a user's whose names are those of ours, and which say so if anybody imports them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in HOSTILE:
        (folder / f"{name}.py").write_text(f'raise RuntimeError("the user\'s {name}.py was imported")\n')
    return folder


@pytest.fixture(scope="package")  # not longer: its processes are never quite idle
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """`kappaflow serve` with a webhook and a dashboard, started in a folder of hostile modules, with secrets in its
    environment, and one file in the inbox."""
    project = tmp_path_factory.mktemp("served") / "project"
    (project / "inbox").mkdir(parents=True)
    (project / "inbox" / "first.csv").write_text(TABLE)
    here = lay_hostile_modules(project.parent / "work")
    (port, webhook, pages), log = free_ports(3), project.parent / "serve.log"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
    environment = {**clean, **SECRETS, "HOME": str(project), "KAPPAFLOW_WEBHOOK_TOKEN": TOKEN}
    options = ["--every", "1h", "--port", str(port), "--webhook", str(webhook), "--dashboard-at", str(pages)]
    with log.open("wb") as out:
        process = subprocess.Popen([COMMAND, "serve", "--project", project, *options], cwd=here, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out)  # fmt: skip
        try:
            until(lambda: process.poll() is not None or "A run starts now" in log.read_text(), 240, log)
            yield Served(project, port, webhook, pages, process.pid, log)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(40)
            except subprocess.TimeoutExpired:
                process.kill()
