"""A webhook receiver: a real HTTP server on this machine, which keeps what it got."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Webhook:
    """What arrived: `bodies` are the JSON bodies in order, `headers` those of the requests.

    `answers` are the status codes of the next answers, after which it answers 200. `on_request` is called when a body
    has arrived and before it is answered.
    """

    port: int
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    on_request: Callable[[], None] = lambda: None

    def url(self, path: str = "hook") -> str:
        """The Apprise URL of this receiver."""
        return f"json://127.0.0.1:{self.port}/{path}"

    def delivered(self) -> list[str]:
        """The ids of the messages, as often as they arrived, those with which it answered other than 200 left out."""
        return [message_id for body in self.bodies for message_id in body["message_ids"]]


@contextmanager
def webhook() -> Iterator[Webhook]:
    """A receiver for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status = receiver.answers.pop(0) if receiver.answers else 200
            if status == 200:
                receiver.bodies.append(body)
                receiver.headers.append(dict(self.headers))
            receiver.on_request()
            try:
                self.send_response(status)
                self.end_headers()
            except ConnectionError:
                pass  # the sender was killed

        def log_message(self, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Webhook(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
