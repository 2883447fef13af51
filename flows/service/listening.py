"""Listen on the address that the user chose, or say what is wrong with it."""

import errno
import socket

from tasks.errors import InputError

NOT_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def listening_socket(host: str, port: int, *, subject: str, option: str, other_port: str) -> socket.socket:
    """Return a socket that listens on host:port.

    Raises InputError if that fails. `subject` begins its sentence, `option` gave the host, and `other_port` says how to
    choose another port. An empty host is refused: the system would listen on all networks of the machine.
    """
    here = f"127.0.0.1{'' if option == '--host' else f':{port}'}"
    advice = f"Give an address of this machine: {option} {here}. 0.0.0.0 stands for all its addresses."
    if not host:
        raise InputError(f"{option} is empty.", advice)
    listener = None
    try:
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except (OSError, TypeError) as error:
        if listener is not None:
            listener.close()
        why = error.strerror or error if isinstance(error, OSError) else "No name of a machine is like this"
        is_wrong_host = isinstance(error, socket.gaierror | TypeError) or error.errno in NOT_HERE
        raise InputError(f"{subject}: {why}.", advice if is_wrong_host else other_port) from None
    return listener
