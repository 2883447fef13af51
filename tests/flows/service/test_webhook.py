"""The webhook of `kappaflow serve`: who may call it, and that it starts a run."""

import os
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.objects import FlowRun
from typer.testing import CliRunner

from flows.cli import app
from flows.service import supervisor
from flows.service.webhook import listen, parse_address, remove_token, webhook_token
from tasks.errors import InputError
from tests.flows.service.conftest import TABLE, TOKEN, Served, children, until


def post(port: int, token: str | None, path: str = "/run", body: bytes = b'{"action": "x"}') -> int:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.fixture
def webhook(port: int) -> Iterator[tuple[int, list[str]]]:
    """A webhook that records each request for a run, and fails the third time."""
    requests: list[str] = []

    def request_run() -> None:
        if len(requests) == 2:
            raise ConnectionError("no server")
        requests.append("run")

    server = listen(("127.0.0.1", port), TOKEN, request_run)
    yield port, requests
    server.shutdown()
    server.server_close()


def test_only_a_post_with_the_token_requests_a_run(webhook: tuple[int, list[str]]) -> None:
    port, requests = webhook
    assert [post(port, token) for token in (None, "", "wrong", "ä", TOKEN[:-1])] == [401] * 5
    assert post(port, TOKEN, "/elsewhere") == 404
    with pytest.raises(urllib.error.HTTPError) as got:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/run", timeout=10)
    got.value.close()
    assert (got.value.code, requests) == (501, [])
    assert post(port, TOKEN) == 202
    assert post(port, TOKEN, body=b"x" * 100_000) == 202
    assert requests == ["run", "run"]
    assert post(port, TOKEN) == 503, "no run could be started: the caller may try again"


def test_a_large_body_is_read_so_that_the_caller_sees_the_answer(webhook: tuple[int, list[str]]) -> None:
    port, requests = webhook
    assert post(port, TOKEN, body=bytes(20_000_000)) == 202
    assert post(port, "wrong", body=bytes(1_000_000)) == 401
    assert requests == ["run"]


def test_who_has_no_token_is_answered_before_the_body_and_soon_left(webhook: tuple[int, list[str]]) -> None:
    port, requests = webhook
    for path, status in (("/run", b"401"), ("/elsewhere", b"404")):
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\nContent-Length: 60000000\r\n\r\n".encode())
            assert connection.recv(100).split()[1] == status, "although no byte of the body was sent"
            n_sent = 0
            with suppress(ConnectionError):
                while n_sent < 60_000_000:
                    n_sent += connection.send(bytes(1 << 16))
        assert n_sent < 30_000_000, "one megabyte is read; the rest fills the buffers of the system"
        assert time.monotonic() - began < 8
    assert requests == []


def test_a_caller_who_hangs_up_leaves_no_traceback(
    webhook: tuple[int, list[str]], capfd: pytest.CaptureFixture[str]
) -> None:
    port, requests = webhook
    for n in range(200):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(b"POST /run HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc")
            if n % 2:
                connection.recv(10)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close with a reset
    assert post(port, TOKEN) == 202
    threads = [thread for thread in threading.enumerate() if "process_request_thread" in thread.name]
    for thread in threads:
        thread.join(10)
    assert (requests, capfd.readouterr().err) == (["run"], "")


@pytest.mark.parametrize(
    "beginning",
    [
        "POST /run HTTP/1.1\r\nContent-Length: 1000\r\n\r\n",
        f"POST /run HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 1000\r\n\r\n",
        f"POST /run HTTP/1.1\r\nAuthorization: Bearer {TOKEN}\r\nX-Slow: ",
        "PO",
    ],
    ids=["body without the token", "body", "header", "first line"],
)
def test_a_caller_who_sends_byte_by_byte_is_left_after_a_while(
    webhook: tuple[int, list[str]], monkeypatch: pytest.MonkeyPatch, beginning: str
) -> None:
    port, requests = webhook
    monkeypatch.setattr("flows.service.webhook.MAX_SECONDS", 0.3)
    monkeypatch.setattr("flows.service.webhook.MAX_REFUSED_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(beginning.encode())
        with suppress(ConnectionError):
            for _ in range(200):
                connection.sendall(b"x")
                time.sleep(0.05)
            pytest.fail("the webhook reads on for ten seconds")
    assert requests == []


def test_hundreds_of_callers_wait_for_their_turn_and_get_an_answer(port: int) -> None:
    server = listen(("127.0.0.1", port), TOKEN, lambda: None)
    server.shutdown()  # nobody is let in until it serves again
    with ExitStack() as stack:
        callers = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10)) for _ in range(200)]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for caller in callers:
            caller.sendall(b"POST /run HTTP/1.1\r\n\r\n")
        assert {caller.recv(100).split()[1] for caller in callers} == {b"401"}
        server.shutdown()
    server.server_close()


def test_the_path_of_earlier_versions_works(webhook: tuple[int, list[str]]) -> None:
    port, requests = webhook
    assert post(port, TOKEN, "/ring") == 202
    assert requests == ["run"]


def test_the_variable_of_earlier_versions_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KAPPAFLOW_WEBHOOK_TOKEN", raising=False)
    monkeypatch.setenv("KAPPAFLOW_DOORBELL_TOKEN", "old")
    assert webhook_token() == "old"
    monkeypatch.setenv("KAPPAFLOW_WEBHOOK_TOKEN", "new")
    assert webhook_token() == "new"
    remove_token()
    assert not [name for name in os.environ if name.endswith("_TOKEN") and name.startswith("KAPPAFLOW_")]


@pytest.mark.parametrize("options", [["--doorbell", "4300"], ["--webhook", "4300", "--doorbell", "4301"]])
def test_the_option_of_earlier_versions_works(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = []
    monkeypatch.setattr(supervisor, "serve", lambda project, **settings: addresses.append(settings["webhook"]) or 0)
    assert CliRunner().invoke(app, ["serve", "--project", str(tmp_path), *options]).exit_code == 0
    assert addresses == ["4300"]


def test_the_names_of_earlier_versions_are_not_in_the_help(kappaflow: Any) -> None:
    text = kappaflow("serve", "--help").stdout
    assert "--webhook" in text
    assert "doorbell" not in text.lower()


@pytest.mark.parametrize("text", ["", "x", "0", "65536", "localhost:", "127.0.0.1:x"])
def test_a_text_that_is_not_a_port_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a port"):
        parse_address(text)


def test_without_a_token_nothing_starts(kappaflow: Any, port: int) -> None:
    assert "needs a token" in kappaflow("serve", "--webhook", str(port), code=2).stderr


@pytest.mark.xdist_group("prefect")
def test_a_request_starts_a_run(served: Served, kappaflow_json: Callable[..., Any]) -> None:
    """No run is due within the hour, after the one at the start: the request started what is evaluated."""
    snapshot = served.project / "published" / "snapshot.duckdb"
    until(snapshot.exists, 150, served.log)
    (served.project / "inbox" / "requested.csv").write_text(TABLE + "98,a,no\n")
    before = len(kappaflow_json("sql", "select * from runs where kind = 'pipeline'", "--project", served.project))
    assert [post(served.webhook, TOKEN) for _ in range(5)] == [202] * 5
    runs: list[bytes] = []

    def evaluated() -> bool:
        runs.extend(_environments(served.pid, b"multiprocessing"))
        query = "select question from agreement where question = 'requested' group by question"
        return bool(kappaflow_json("sql", query, "--project", served.project))

    until(evaluated, 150, served.log)
    assert runs, "the environment of the run was looked at"
    assert not [run for run in runs if TOKEN.encode() in run], "a run does not need the token"
    after = len(kappaflow_json("sql", "select * from runs where kind = 'pipeline'", "--project", served.project))
    assert after - before <= 2, "five requests, most of them while a run was waiting"


@pytest.mark.xdist_group("prefect")
def test_a_request_starts_a_run_after_prefect_deleted_the_record_of_the_last_requested_run(served: Served) -> None:
    """It deletes records after three days, or sooner."""
    with SyncPrefectClient(served.api, auth_string=served.password) as client:

        def ended() -> bool:
            return all(run.state is None or run.state.is_final() or run.auto_scheduled for run in runs())

        def runs() -> list[FlowRun]:
            return [run for run in client.read_flow_runs() if run.parent_task_run_id is None]

        until(ended, 150, served.log)
        for run in runs():
            if not run.auto_scheduled:
                client.delete_flow_run(run.id)
        assert post(served.webhook, TOKEN) == 202
        assert any(not run.auto_scheduled for run in runs()), "the request started a run"
        until(ended, 150, served.log)  # else it goes on while other tests count runs


def _environments(below: int, command: bytes) -> list[bytes]:
    """Of the processes below one with this in their command line."""
    results = []
    for pid in children(below):
        with suppress(OSError):
            if command in Path(f"/proc/{pid}/cmdline").read_bytes():
                results.append(Path(f"/proc/{pid}/environ").read_bytes())
    return results
