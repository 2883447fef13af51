"""The webhook of `kappaflow serve`: a POST to /run starts a run.

The body of the request is ignored. A run looks at everything that is due, so a request that is lost, repeated or
sent by mistake changes only when a run starts.
"""

import hmac
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tasks.errors import InputError

TOKEN_VARIABLE = "KAPPAFLOW_WEBHOOK_TOKEN"
OLD_TOKEN_VARIABLE = "KAPPAFLOW_DOORBELL_TOKEN"  # the name in earlier versions
PATHS = ("/run", "/ring")  # the second is the path of earlier versions
MAX_BODY_BYTES = 64 << 20  # of a caller with the token: who still sends would not see the answer
MAX_SECONDS = 30.0  # then a caller who sends byte by byte is left without an answer
MAX_WAITING_CALLERS = 256  # who get no thread yet; the others try again by themselves, after one second, two, four
CHUNK_BYTES = 1 << 16
MAX_REFUSED_BYTES = 1 << 20  # of the body of a caller without the token, who already has the answer
MAX_REFUSED_SECONDS = 2.0
log = logging.getLogger("kappaflow")


def parse_address(text: str, option: str = "--webhook") -> tuple[str, int]:
    """Split '4300' or '0.0.0.0:4300' into host and port. Without a host it is this machine.

    Raises InputError for anything else.

    >>> parse_address("4300")
    ('127.0.0.1', 4300)
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise InputError(f"{option} {text!r} is not a port.", f"Use a port or HOST:PORT: {option} 4300.")
    return host.strip("[]") or "127.0.0.1", int(port)


def webhook_token() -> str:
    """Return the token that a request must have, from the environment. Raises InputError where none is set."""
    token = os.environ.get(TOKEN_VARIABLE) or os.environ.get(OLD_TOKEN_VARIABLE)
    if not token:
        raise InputError(f"The webhook needs a token: {TOKEN_VARIABLE} is not set.", "Set it to a long random text.")
    return token


def remove_token() -> None:
    """Remove the token from the environment: runs inherit the environment and do not need it."""
    for variable in (TOKEN_VARIABLE, OLD_TOKEN_VARIABLE):
        os.environ.pop(variable, None)


def listen(address: tuple[str, int], expected_token: str, request_run: Callable[[], None]) -> ThreadingHTTPServer:
    """Answer requests in threads that end with the process.

    The answer is 202 after `request_run`, 401 without the token, 404 on another path, and 503 where `request_run`
    raises. Token and path are looked at before the body is read.
    """

    class WebhookHandler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            if server.has_hung_up(self.connection):  # in the middle of the headers, which then only seem whole
                raise ConnectionAbortedError("the caller took too long")
            if refusal := self._refusal():
                self._answer(refusal)
                self._read_a_little()
                return
            self._discard_body()
            self._answer(self._start())

        def _refusal(self) -> int | None:
            """Return the status for a caller whose headers are wrong, else None."""
            if self.path not in PATHS:
                return 404
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            return None if hmac.compare_digest(token.encode(), expected_token.encode()) else 401

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _read_a_little(self) -> None:
            """Give a caller who was refused a moment to see the answer: one who still sends would only see a reset."""
            self.connection.settimeout(MAX_REFUSED_SECONDS)
            latest, n_left = time.monotonic() + MAX_REFUSED_SECONDS, MAX_REFUSED_BYTES
            with suppress(OSError):  # the caller may be gone
                self.connection.shutdown(socket.SHUT_WR)
                while n_left > 0 and time.monotonic() < latest and (piece := self.rfile.read1(CHUNK_BYTES)):
                    n_left -= len(piece)

        def _discard_body(self) -> None:
            """Read the body piece by piece, so that many large ones take no memory."""
            length = self.headers.get("Content-Length", "0")[:9]
            n_left = min(int(length), MAX_BODY_BYTES) if length.isdecimal() else 0
            while n_left:
                piece = self.rfile.read1(min(n_left, CHUNK_BYTES))
                if not piece:
                    raise ConnectionAbortedError("the body is not whole")
                n_left -= len(piece)

        def _start(self) -> int:
            try:
                request_run()
            except Exception as error:  # the schedule still starts its runs, so the process goes on
                log.warning("The webhook was called, but no run could be started: %s", error)
                return 503
            return 202

        def log_message(self, format: str, *args: object) -> None:
            log.debug("webhook: " + format, *args)

    server = _WebhookServer(address, WebhookHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class _WebhookServer(ThreadingHTTPServer):
    """A server that many callers may call at once. It prints no traceback if one of them hangs up, and hangs up on one
    who takes too long for headers and body."""

    request_queue_size = MAX_WAITING_CALLERS

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self._began: dict[socket.socket, float] = {}
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Note when a caller began, and answer in a thread."""
        self._began[request] = time.monotonic()
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Close the connection to a caller."""
        self._began.pop(request, None)
        super().shutdown_request(request)

    def has_hung_up(self, request: socket.socket) -> bool:
        """Whether this caller took too long."""
        return request not in self._began

    def service_actions(self) -> None:
        """Hang up on those who take too long. The loop of the server calls this twice a second, and after a call."""
        latest = time.monotonic() - MAX_SECONDS
        for request in [request for request, began in self._began.copy().items() if began < latest]:
            self._began.pop(request, None)
            with suppress(OSError):
                request.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print the traceback of an error, unless it is a broken connection."""
        if isinstance(sys.exception(), ConnectionError):
            log.debug("webhook: the connection to %s broke", client_address)
        else:
            super().handle_error(request, client_address)
