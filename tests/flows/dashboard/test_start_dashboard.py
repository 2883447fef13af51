"""Starting the live pages: an address that cannot be used is said at once, before anything is printed."""

import socket
from pathlib import Path

import pytest

from flows.dashboard.start_dashboard import serve_dashboard, start_sentences
from flows.project_folder import find_project
from tasks.errors import InputError


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    texts: list[str] = []
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1:{port}"):
            serve_dashboard(find_project(tmp_path), host="127.0.0.1", port=port, say=texts.append)
    assert texts == []


def test_an_address_of_another_machine_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1:8500"):
        serve_dashboard(find_project(tmp_path), host="192.0.2.1", port=8500, say=print)
    with pytest.raises(InputError, match=r"cannot listen on no\.such\.host\.invalid:8500"):
        serve_dashboard(find_project(tmp_path), host="no.such.host.invalid", port=8500, say=print)


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "ü..a", ""])
def test_another_port_does_not_mend_a_wrong_address(tmp_path: Path, host: str) -> None:
    """An empty host, as of a variable that is not set, would listen on all networks of the machine."""
    with pytest.raises(InputError) as caught:
        serve_dashboard(find_project(tmp_path), host=host, port=8500, say=print)
    assert caught.value.hint == (
        "Give an address of this machine: --host 127.0.0.1. 0.0.0.0 stands for all its addresses."
    )
    assert ("--host is empty." in str(caught.value)) is (host == "")


def test_a_token_that_the_user_gave_is_not_printed() -> None:
    assert start_sentences("127.0.0.1", 8500, None, is_given=True) == [
        "dashboard: http://127.0.0.1:8500/",
        "Ctrl-C stops it.",
    ]
    own = start_sentences("::", 8500, "abc", is_given=False)
    assert own[0] == "dashboard: http://[::]:8500/?token=abc"
    given = start_sentences("0.0.0.0", 8500, "hush", is_given=True)
    assert given[0] == "dashboard: http://0.0.0.0:8500/?token=$KAPPAFLOW_DASHBOARD_TOKEN"
    assert "hush" not in "".join(given)
    assert len(given) == 3
