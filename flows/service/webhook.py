"""A doorbell for `kappaflow serve`: a POST to /ring says that something may be new, and a run looks.

Only that it rang is heard; what the request says is not. The sweep is the truth, so a ring that is lost, repeated or
sent by the wrong one changes nothing but when a run starts.
"""

import hmac
import logging
import os
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tasks.errors import InputError

TOKEN = "KAPPAFLOW_DOORBELL_TOKEN"
LONGEST = 1 << 20  # bytes of a request that are taken off the line before it is answered
log = logging.getLogger("kappaflow")


def parse_address(text: str) -> tuple[str, int]:
    """'4300' or '0.0.0.0:4300' as host and port; by itself only this machine. Raises InputError.

    >>> parse_address("4300")
    ('127.0.0.1', 4300)
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise InputError(f"--doorbell {text!r} is no port.", "Use a port or HOST:PORT: --doorbell 4300.")
    return host.strip("[]") or "127.0.0.1", int(port)


def token() -> str:
    """What who rings must know, from the environment. Raises InputError without one."""
    if not (found := os.environ.get(TOKEN, "")):
        raise InputError(f"The doorbell needs a token: {TOKEN} is not set.", "Set it to a long random text.")
    return found


def listen(place: tuple[str, int], expected: str, ring: Callable[[], None]) -> ThreadingHTTPServer:
    """Answer in threads that end with the process: 202 after a ring, 401 without the token, 503 where no run could be
    asked for."""

    class WebhookHandler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "0")[:9]
            self.rfile.read(min(int(length), LONGEST) if length.isdecimal() else 0)
            self.send_response(self._answer())
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _answer(self) -> int:
            if self.path != "/ring":
                return 404
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), expected.encode()):
                return 401
            try:
                ring()
            except Exception as error:  # whatever it is, the schedule looks as well
                log.warning("The doorbell rang, but no run could be asked for: %s", error)
                return 503
            return 202

        def log_message(self, format: str, *args: object) -> None:
            log.debug("doorbell: " + format, *args)

    server = ThreadingHTTPServer(place, WebhookHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
