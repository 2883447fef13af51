"""Prefect's temporary server: two processes never choose the same port, and it never outlives its owner."""

import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from flows.service import temporary_server
from flows.service.temporary_server import claim_port
from tests.conftest import wait_until_it_answers
from warehouse.errors import WarehouseError

OWNER = """
import os, sys, time
from flows.service.temporary_server import start_temporary_server
start_temporary_server()()
print(os.environ["PREFECT_API_URL"], flush=True)
if sys.stdin.readline() .strip() == "wait":
    time.sleep(300)
"""


def test_a_port_that_another_process_holds_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        others = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(3)]
        for other in others:
            other.bind(("127.0.0.1", 0))
        *busy, free = [other.getsockname()[1] for other in others]
        others.pop().close()
        monkeypatch.setattr(temporary_server, "PORTS", [*busy, free])
        port = stack.enter_context(claim_port().claim)
        assert port.getsockname()[1] == free


def test_a_port_that_is_in_use_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        monkeypatch.setattr(temporary_server, "PORTS", [busy.getsockname()[1]])
        with pytest.raises(WarehouseError, match="No port from"):
            claim_port()


def test_with_a_server_of_the_user_none_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:4200/api")
    monkeypatch.setattr(temporary_server, "claim_port", lambda: pytest.fail("a port was chosen"))
    temporary_server.start_temporary_server()()
    assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:4200/api"


def test_a_server_that_cannot_start_is_said_in_a_sentence(tmp_path: Path) -> None:
    owner = own(tmp_path, PREFECT_LOGGING_LEVEL="bogus")
    _, text = owner.communicate("", timeout=60)
    assert "WarehouseError: Prefect's temporary server ended by itself with exit code 1." in text


@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_the_server_ends_with_its_owner(tmp_path: Path, killed: bool) -> None:
    owner = own(tmp_path)
    assert owner.stdin
    assert owner.stdout
    with owner:
        owner.stdin.write("wait\n" if killed else "end\n")
        owner.stdin.flush()
        url = owner.stdout.readline().strip()
        if killed:
            wait_until_it_answers(f"{url}/health", 10)
            owner.kill()
    port = int(url.split(":")[2].split("/")[0])
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                return
        time.sleep(0.2)
    raise AssertionError("the server still listens")


def own(folder: Path, **environment: str) -> "subprocess.Popen[str]":
    """Start a process that starts a temporary server, and ends after a line of input."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PREFECT_", "KAPPAFLOW_"))}
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", OWNER], stdin=pipe, stdout=pipe, stderr=pipe, text=True,
                            env={**clean, "PREFECT_HOME": str(folder), "HOME": str(folder), **environment})  # fmt: skip
