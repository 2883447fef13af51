"""Prefect's temporary server: its port, and how it is closed to others."""

import os
import random
import socket
import subprocess
import sys
from typing import Any

from prefect.server.api.server import SubprocessASGIServer
from prefect.settings import get_current_settings

from flows.service.access import server_environment

PORTS = range(8000, 9000)  # Prefect's own range
_claims: list[socket.socket] = []


class ClosedServer(SubprocessASGIServer):
    """Prefect's temporary server, started by `flows.service.prefect_server`.

    It answers only under its own address and has no tokens of the user. Its password is in the environment.
    """

    def _run_uvicorn_command(self) -> "subprocess.Popen[Any]":
        settings = get_current_settings().to_environment_variables(exclude_unset=True)
        return subprocess.Popen(
            [sys.executable, "-m", "flows.service.prefect_server", "--port", str(self.port), "--temporary"],
            env=server_environment({**os.environ, **settings}),
        )


def claim_port() -> None:
    """Choose a port for Prefect's temporary server that no other kappaflow process takes.

    Prefect draws a random free port, but its server listens there only seconds later. If two processes draw the same
    port, both use the server that starts first, and one of them loses it when the owner ends. So each process holds
    the UDP port of the same number as long as it lives.
    """
    server = ClosedServer()  # the class has one instance per process, which Prefect uses too
    if os.environ.get("PREFECT_API_URL") or server.running:
        return
    free = (port for port in random.sample(PORTS, len(PORTS)) if _claim(port))
    server.port = next((port for port in free if server.is_port_available(port)), None)


def _claim(port: int) -> bool:
    """Hold the UDP port until this process ends. Return False if another process holds it."""
    claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        claim.bind(("127.0.0.1", port))
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True
