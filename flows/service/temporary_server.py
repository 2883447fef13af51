"""Prefect's temporary server for one command: started while Prefect is imported, ended with the command."""

import atexit
import os
import random
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flows.service.access import CLIENT_PASSWORD, SERVER_PASSWORD, new_password, server_environment
from flows.service.environment import names_a_server
from warehouse.errors import WarehouseError

PORTS = range(8000, 9000)  # the range in which Prefect looks for one
TIMEOUT = "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"
MAX_SECONDS_TO_END = 5.0


@dataclass(frozen=True)
class ClaimedPort:
    """A TCP port, with the UDP socket of the same number that keeps other kappaflow processes away from it."""

    number: int
    claim: socket.socket


def start_temporary_server() -> Callable[[], None]:
    """Start Prefect's server, unless the user names one, and set PREFECT_API_URL. Return a function that waits for it.

    Call it before Prefect is imported: Prefect reads the address when it is imported. And a function that is registered
    first for the end of the process runs last, so the server ends after Prefect has sent its log. If this process is
    killed the server ends too, because it then reads the end of its input.
    """
    if names_a_server(os.environ):
        return lambda: None
    port = claim_port()
    url = f"http://127.0.0.1:{port.number}/api"
    password = os.environ.setdefault(SERVER_PASSWORD, new_password())
    with _log().open("ab") as log:  # what it prints before it opens its log
        server = subprocess.Popen(
            [sys.executable, "-m", "flows.service.prefect_server", "--port", str(port.number), "--temporary"],
            env=server_environment(os.environ),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,  # so Ctrl-C reaches only this process, and the server still hears how the run ended
        )
    os.environ["PREFECT_API_URL"] = url
    os.environ.setdefault(CLIENT_PASSWORD, password)
    atexit.register(_end, server, port)
    return lambda: _wait_until_healthy(url, server)


def claim_port() -> ClaimedPort:
    """Choose a free port that no other kappaflow process takes.

    A server listens only seconds after its port was chosen. If two processes choose the same port, both use the server
    that starts first, and one of them loses it when the owner ends. So each process holds the UDP port of the same
    number as long as its server lives. Raises WarehouseError if all ports are taken.
    """
    for number in random.sample(PORTS, len(PORTS)):
        claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            claim.bind(("127.0.0.1", number))
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
                probe.bind(("127.0.0.1", number))
        except OSError:
            claim.close()
        else:
            return ClaimedPort(number, claim)
    raise WarehouseError(
        f"No port from {min(PORTS)} to {max(PORTS)} is free for Prefect's temporary server.",
        "Start a Prefect server and name it in PREFECT_API_URL, or use `kappaflow serve`.",
    )


def _wait_until_healthy(url: str, server: "subprocess.Popen[bytes]") -> None:
    seconds = float(os.environ.get(TIMEOUT, "120"))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise _not_started(f"ended by itself with exit code {server.returncode}")
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise _not_started(f"did not answer within {seconds:.0f} seconds")


def _not_started(how: str) -> WarehouseError:
    return WarehouseError(
        f"Prefect's temporary server {how}.",
        f"{_log()} says more. Nothing was stored; run again.",
    )


def _log() -> Path:
    return Path(os.environ["PREFECT_HOME"]) / "temporary-server.log"


def _end(server: "subprocess.Popen[bytes]", port: ClaimedPort) -> None:
    server.terminate()
    try:
        server.wait(MAX_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    if server.stdin:
        with suppress(OSError):
            server.stdin.close()
    port.claim.close()
