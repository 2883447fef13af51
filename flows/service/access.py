"""Who may use Prefect's server: those who know the password of this start, under the server's own address.

Prefect by itself lets everybody in: any web page that the user's browser shows, and any other user of the machine. Who
may change a deployment may run code.
"""

import os
import secrets
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

SERVER_PASSWORD = "PREFECT_SERVER_API_AUTH_STRING"
CLIENT_PASSWORD = "PREFECT_API_AUTH_STRING"
EVERYWHERE = ("0.0.0.0", "::", "")

# The environment that Prefect's server gets: what Python and Prefect read. Tokens and keys of the user's are not in it.
KEPT = {
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH",
    "DO_NOT_TRACK", "COLUMNS", "NO_COLOR", "TERM",
}  # fmt: skip
KEPT_PREFIXES = ("PREFECT_", "PYTHON", "LC_")
# Prefect's own that only its clients need.
WITHHELD = {"PREFECT_API_KEY", "PREFECT_CLIENT_CUSTOM_HEADERS", CLIENT_PASSWORD}


def new_password() -> str:
    """A random password in the form that Prefect takes: NAME:PASSWORD."""
    return f"kappaflow:{secrets.token_urlsafe(32)}"


def server_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What of an environment Prefect's server gets."""
    return {
        name: value
        for name, value in environment.items()
        if (name in KEPT or name.startswith(KEPT_PREFIXES)) and name not in WITHHELD
    }


@contextmanager
def password_file(path: Path, password: str) -> Iterator[None]:
    """The password in a file that only its owner can read, as long as the server runs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        path.unlink()  # left by a killed process
    # Made with its mode, and never opened if it exists: nobody can read it in between, or lay a link there.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            path.unlink()


def own_origins(host: str, port: int) -> list[str]:
    """The addresses under which a server on host:port may be opened in a browser.

    >>> own_origins("127.0.0.1", 4200)
    ['http://127.0.0.1:4200', 'http://localhost:4200', 'http://[::1]:4200']
    """
    names = ["127.0.0.1", "localhost", "::1"]
    if host in EVERYWHERE:
        names += _names_of_this_machine()
    elif host not in names:
        names.append(host)
    return [f"http://{f'[{name}]' if ':' in name else name}:{port}" for name in names]


def _names_of_this_machine() -> list[str]:
    names = [socket.gethostname().lower(), socket.getfqdn().lower()]
    with suppress(OSError):
        names += [str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)]
    # The address that others see: that of the interface by which packets leave. Nothing is sent.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        names.append(str(probe.getsockname()[0]))
    return list(dict.fromkeys(names))
