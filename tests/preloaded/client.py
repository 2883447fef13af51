"""Ask the preloaded process to run a command. In a shell: client.py SOCKET ARGUMENTS."""

import array
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryFile


def run(
    address: Path, arguments: Sequence[str], *, folder: Path, environment: Mapping[str, str], seconds: float
) -> "CompletedProcess[str]":
    """Run a command without input, as subprocess.run does. Raises TimeoutExpired after so many seconds."""
    with TemporaryFile() as out, TemporaryFile() as err, open(os.devnull, "rb") as nothing:
        files = [nothing.fileno(), out.fileno(), err.fileno()]
        with _sent(str(address), arguments, str(folder), environment, files) as connection:
            connection.settimeout(seconds)
            try:
                code = _exit_code(connection)
            except TimeoutError:
                raise TimeoutExpired(list(arguments), seconds) from None
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode().replace("\r\n", "\n").replace("\r", "\n"))
        return CompletedProcess(list(arguments), code, *texts)


def _sent(
    address: str, arguments: Sequence[str], folder: str, environment: Mapping[str, str], files: Sequence[int]
) -> socket.socket:
    """Send a command with the files that shall be its stdin, stdout and stderr."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    options = {"arguments": list(arguments), "folder": folder, "environment": dict(environment)}
    text = json.dumps(options).encode() + b"\n"
    sent = connection.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
    connection.sendall(text[sent:])
    return connection


def _exit_code(connection: socket.socket) -> int:
    """Wait until the command has ended. A negative number is the signal that ended it."""
    return int(connection.recv(16))


if __name__ == "__main__":
    code = _exit_code(_sent(sys.argv[1], sys.argv[2:], os.getcwd(), os.environ, [0, 1, 2]))
    sys.exit(code if code >= 0 else 128 - code)
