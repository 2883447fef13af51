"""The doorbell of `kappaflow serve`: who may ring, and that a run is seen to fire."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.doorbell import TOKEN, listen, parse_place
from tasks.errors import InputError
from tests.conftest import free_port

SECRET = "a long random text"
TABLE = "item,rater,label\n" + "".join(f"{i},{r},{'yes' if i % 3 else 'no'}\n" for i in range(12) for r in "ab")


def post(port: int, token: str | None, path: str = "/ring", body: bytes = b'{"action": "x"}') -> int:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.fixture
def door(port: int) -> Iterator[tuple[int, list[str]]]:
    """A doorbell that remembers how often it rang, and fails the third time."""
    rung: list[str] = []

    def ring() -> None:
        if len(rung) == 2:
            raise ConnectionError("no server")
        rung.append("ring")

    server = listen(("127.0.0.1", port), SECRET, ring)
    yield port, rung
    server.shutdown()
    server.server_close()


def test_only_a_post_with_the_token_rings(door: tuple[int, list[str]]) -> None:
    port, rung = door
    assert [post(port, token) for token in (None, "", "wrong", "ä", SECRET[:-1])] == [401] * 5
    assert post(port, SECRET, "/elsewhere") == 404
    with pytest.raises(urllib.error.HTTPError) as got:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/ring", timeout=10)
    got.value.close()
    assert (got.value.code, rung) == (501, [])
    assert post(port, SECRET) == 202
    assert post(port, SECRET, body=b"x" * 100_000) == 202
    assert rung == ["ring", "ring"]
    assert post(port, SECRET) == 503, "no run could be asked for: whoever rings may do so again"


@pytest.mark.parametrize("text", ["", "x", "0", "65536", "localhost:", "127.0.0.1:x"])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no port"):
        parse_place(text)


def test_without_a_token_nothing_starts(kappaflow: Any, port: int) -> None:
    assert "needs a token" in kappaflow("serve", "--doorbell", str(port), code=2).stderr


@pytest.mark.xdist_group("prefect")
def test_a_ring_starts_a_run(tmp_path: Path, command: Path, kappaflow_json: Callable[..., Any]) -> None:
    """No run is due before the next New Year: what is evaluated, the ring has started."""
    project, port, door = tmp_path / "project", free_port(), free_port()
    (project / "inbox").mkdir(parents=True)
    (project / "inbox" / "tone.csv").write_text(TABLE)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
    options = ["--cron", "0 0 1 1 *", "--port", str(port), "--doorbell", str(door)]
    log = project / "serve.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [command, "serve", "--project", project, *options], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            env={**clean, "HOME": str(project), TOKEN: SECRET},
        )  # fmt: skip
        try:
            until(lambda: rings(door), 150, log)
            assert [post(door, SECRET) for _ in range(5)] == [202] * 5
            until(lambda: (project / "published" / "snapshot.duckdb").exists(), 150, log)
            query = "select question from agreement group by question"
            assert kappaflow_json("sql", query, "--project", project) == [{"question": "tone"}]
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        finally:
            if process.poll() is None:
                process.kill()
    runs = kappaflow_json("sql", "select kind from runs where kind = 'pipeline'", "--project", project)
    assert len(runs) <= 2, "six rings, most of them while a run was waiting"


def rings(port: int) -> bool:
    """Whether a ring is heard: the runner listens, and has made its deployment."""
    try:
        return post(port, SECRET) == 202
    except OSError:
        return False


def until(what: Callable[[], bool], seconds: float, log: Path) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"not within {seconds} s; the log says:\n{log.read_text()[-4000:]}"
        time.sleep(0.5)
