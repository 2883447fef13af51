"""A mail server that answers as it is told."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def mail_server(refused: dict[str, str], offers: str = "") -> Iterator[tuple[int, list[str]]]:
    """Serve SMTP on a port of this machine. Yields the port, and the mails it took.

    refused: 'RCPT', 'DATA', 'AUTH' or the address of a recipient -> the answer. offers: an extension, such as 'AUTH
    PLAIN'.
    """
    mails: list[str] = []

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self._say("220 here")
            recipient = ""
            while line := self.rfile.readline().decode().strip():
                verb = line.split()[0].upper()
                if verb == "EHLO":
                    self._say(f"250-here\r\n250 {offers or 'HELP'}")
                elif verb == "DATA":
                    self._say("354 go on")
                    text = b"".join(iter(self.rfile.readline, b".\r\n")).decode()
                    answer = refused.get(recipient) or refused.get("DATA")
                    if not answer:
                        mails.append(text)
                    self._say(answer or "250 taken")
                else:
                    recipient = line.split("<")[-1].rstrip(">") if verb == "RCPT" else recipient
                    self._say(refused.get(verb, "221 bye" if verb == "QUIT" else "250 fine"))

        def _say(self, answer: str) -> None:
            self.wfile.write(f"{answer}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1], mails
        server.shutdown()
