"""Prefect's temporary server: a port of its own, and closed to others."""

import os
import random
import socket
import subprocess
import sys
from typing import Any

from prefect.server.api.server import SubprocessASGIServer
from prefect.settings import get_current_settings

from flows.service.access import server_environment

PORTS = range(8000, 9000)  # where Prefect looks, too
_claims: list[socket.socket] = []


class ClosedServer(SubprocessASGIServer):
    """Prefect's temporary server, started by `flows.service.prefect_server`.

    It answers to its own address only and has none of the user's tokens. Its password comes with the environment."""

    def _run_uvicorn_command(self) -> "subprocess.Popen[Any]":
        settings = get_current_settings().to_environment_variables(exclude_unset=True)
        return subprocess.Popen(
            [sys.executable, "-m", "flows.service.prefect_server", "--port", str(self.port), "--temporary"],
            env=server_environment({**os.environ, **settings}),
        )


def claim_port() -> None:
    """Let Prefect's temporary server use a port that no other kappaflow takes before it listens there.

    Prefect draws a port that nobody uses yet. Its server needs seconds until it listens; where two processes draw the
    same one, both work with the server that comes first, and when its owner ends, the other has lost it in mid-run. So
    the UDP port of the same number is held as a sign, as long as this process lives.
    """
    server = ClosedServer()  # there is one per process: Prefect finds this one
    if os.environ.get("PREFECT_API_URL") or server.running:
        return
    free = (port for port in random.sample(PORTS, len(PORTS)) if _claimed(port))
    server.port = next((port for port in free if server.is_port_available(port)), None)


def _claimed(port: int) -> bool:
    claim = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        claim.bind(("127.0.0.1", port))
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True
