"""Access to Prefect's server: by a password that is new at each start, and only under the server's own address.

Prefect by default lets everybody in: every web page in the user's browser, and every other user of the machine. Whoever
can change a deployment can run code.
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

# The variables that Prefect's server gets: those that Python and Prefect read. It gets no tokens or keys of the user.
PASSED_ON = {
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV", "LD_LIBRARY_PATH",
    "DO_NOT_TRACK", "COLUMNS", "NO_COLOR", "TERM",
}  # fmt: skip
PASSED_ON_PREFIXES = ("PREFECT_", "PYTHON", "LC_")
# Prefect's own variables that only its clients need.
NOT_PASSED_ON = {"PREFECT_API_KEY", "PREFECT_CLIENT_CUSTOM_HEADERS", CLIENT_PASSWORD}


def new_password() -> str:
    """Return a random password in the form that Prefect expects: NAME:PASSWORD."""
    return f"kappaflow:{secrets.token_urlsafe(32)}"


def server_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of an environment that Prefect's server gets."""
    return {
        name: value
        for name, value in environment.items()
        if (name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)) and name not in NOT_PASSED_ON
    }


@contextmanager
def password_file(path: Path, password: str) -> Iterator[None]:
    """Keep the password in a file that only its owner can read, until the block ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileNotFoundError):
        path.unlink()  # a killed process left it
    # O_EXCL and the mode: nobody can read the file before its mode is set, or put a link in its place.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(password + "\n")
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            path.unlink()


def own_origins(host: str, port: int) -> list[str]:
    """Return the addresses under which a browser may open a server on host:port.

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
        names += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None)]
    # The address that other machines see: that of the interface to the outside. No packet is sent.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        names.append(str(probe.getsockname()[0]))
    return list(dict.fromkeys(names))
