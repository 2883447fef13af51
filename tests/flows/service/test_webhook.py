"""The doorbell of `kappaflow serve`: who may ring, and that a run is seen to fire."""

import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from flows.service.webhook import listen, parse_address
from tasks.errors import InputError
from tests.flows.service.conftest import TABLE, TOKEN, Served, children, until


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

    server = listen(("127.0.0.1", port), TOKEN, ring)
    yield port, rung
    server.shutdown()
    server.server_close()


def test_only_a_post_with_the_token_rings(door: tuple[int, list[str]]) -> None:
    port, rung = door
    assert [post(port, token) for token in (None, "", "wrong", "ä", TOKEN[:-1])] == [401] * 5
    assert post(port, TOKEN, "/elsewhere") == 404
    with pytest.raises(urllib.error.HTTPError) as got:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/ring", timeout=10)
    got.value.close()
    assert (got.value.code, rung) == (501, [])
    assert post(port, TOKEN) == 202
    assert post(port, TOKEN, body=b"x" * 100_000) == 202
    assert rung == ["ring", "ring"]
    assert post(port, TOKEN) == 503, "no run could be asked for: whoever rings may do so again"


@pytest.mark.parametrize("text", ["", "x", "0", "65536", "localhost:", "127.0.0.1:x"])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no port"):
        parse_address(text)


def test_without_a_token_nothing_starts(kappaflow: Any, port: int) -> None:
    assert "needs a token" in kappaflow("serve", "--doorbell", str(port), code=2).stderr


@pytest.mark.xdist_group("prefect")
def test_a_ring_starts_a_run(served: Served, kappaflow_json: Callable[..., Any]) -> None:
    """No run is due within the hour, after the one at the start: what is evaluated, the ring has started."""
    snapshot = served.project / "published" / "snapshot.duckdb"
    until(snapshot.exists, 150, served.log)
    (served.project / "inbox" / "rung.csv").write_text(TABLE + "98,a,no\n")
    before = len(kappaflow_json("sql", "select * from runs where kind = 'pipeline'", "--project", served.project))
    assert [post(served.doorbell, TOKEN) for _ in range(5)] == [202] * 5
    runs: list[bytes] = []

    def evaluated() -> bool:
        runs.extend(_environments(served.pid, b"multiprocessing"))
        query = "select question from agreement where question = 'rung' group by question"
        return bool(kappaflow_json("sql", query, "--project", served.project))

    until(evaluated, 150, served.log)
    assert runs, "the environment of the run was looked at"
    assert not [run for run in runs if TOKEN.encode() in run], "a run needs no token to ring"
    after = len(kappaflow_json("sql", "select * from runs where kind = 'pipeline'", "--project", served.project))
    assert after - before <= 2, "five rings, most of them while a run was waiting"


def _environments(below: int, command: bytes) -> list[bytes]:
    """Of the processes below one with this in their command line."""
    found = []
    for pid in children(below):
        with suppress(OSError):
            if command in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(Path(f"/proc/{pid}/environ").read_bytes())
    return found
