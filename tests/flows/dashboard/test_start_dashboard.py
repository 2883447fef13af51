"""Starting the live pages: an address that cannot be used is said at once, before anything is printed."""

import socket
from pathlib import Path

import pytest

from flows.dashboard.start_dashboard import serve_dashboard
from flows.project_folder import find_project
from tasks.errors import InputError


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    said: list[str] = []
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port}"):
            serve_dashboard(find_project(tmp_path), host="127.0.0.1", port=port, say=said.append)
    assert said == []


def test_an_address_of_another_machine_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1:8500"):
        serve_dashboard(find_project(tmp_path), host="192.0.2.1", port=8500, say=print)
    with pytest.raises(InputError, match=r"cannot listen on no\.such\.host\.invalid:8500"):
        serve_dashboard(find_project(tmp_path), host="no.such.host.invalid", port=8500, say=print)
