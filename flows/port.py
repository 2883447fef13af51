"""A port of one's own for Prefect's temporary server."""

import os
import random
import socket

from prefect.server.api.server import SubprocessASGIServer

PORTS = range(8000, 9000)  # where Prefect looks, too
_claims: list[socket.socket] = []


def claim_port() -> None:
    """Let Prefect's temporary server use a port that no other kappaflow takes before it listens there.

    Prefect draws a port that nobody uses yet. Its server needs seconds until it listens; where two processes draw the
    same one, both work with the server that comes first, and when its owner ends, the other has lost it in mid-run. So
    the UDP port of the same number is held as a sign, as long as this process lives.
    """
    server = SubprocessASGIServer()  # there is one per process
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
