"""`kappaflow serve`: a scheduled run is seen to fire, and a signal ends everything that was started."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

Json = Callable[..., Any]
TABLE = "item,rater,label\n" + "".join(
    f"{i},{r},{'yes' if (i + len(r)) % 3 else 'no'}\n" for i in range(12) for r in "ab"
)


@contextmanager
def _serving(command: Path, project: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
    with (project / "serve.log").open("wb") as log:
        process = subprocess.Popen(
            [command, "serve", "--project", project, "--every", "5", "--port", str(port)],
            env={**clean, "HOME": str(project)}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def _until(what: Callable[[], bool], seconds: float, log: Path) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if what():
            return
        time.sleep(0.5)
    pytest.fail(f"not within {seconds} s; the log says:\n{log.read_text()[-4000:]}")


def children(of: int) -> list[int]:
    """All processes below one, by /proc."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after_name = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(after_name[1])
    found, wave = [], [of]
    while wave:
        wave = [child for child, parent in parents.items() if parent in wave]
        found += wave
    return found


def _evaluated(project: Path, kappaflow_json: Json, question: str) -> bool:
    if not (project / "published" / "snapshot.duckdb").exists():
        return False
    rows = kappaflow_json("sql", "select distinct question from latest_agreement", "--project", project)
    return {"question": question} in rows


@pytest.mark.xdist_group("prefect")
def test_a_scheduled_run_fires_and_takes_in_what_was_dropped_into_the_inbox(
    tmp_path: Path, command: Path, port: int, kappaflow_json: Json
) -> None:
    project = tmp_path / "project"
    (project / "inbox").mkdir(parents=True)
    with _serving(command, project, port) as process:
        (project / "inbox" / "first.csv").write_text(TABLE)
        _until(lambda: _evaluated(project, kappaflow_json, "first"), 150, project / "serve.log")
        (project / "inbox" / "second.csv").write_text(TABLE + "99,a,no\n")
        _until(lambda: _evaluated(project, kappaflow_json, "second"), 60, project / "serve.log")
        started = children(process.pid)
        assert len(started) >= 2  # a server and a runner
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    left = [pid for pid in started if Path(f"/proc/{pid}").exists()]
    assert left == []


def test_a_port_that_is_taken_is_named(tmp_path: Path, kappaflow: Any, port: int) -> None:
    import socket

    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        done = kappaflow("serve", "--port", str(port), code=2)
    assert f"Port {port}" in done.stderr
