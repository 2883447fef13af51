"""Two processes never wait for a Prefect server on the same port."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from prefect.server.api.server import SubprocessASGIServer

from flows.service import ports


@pytest.fixture(autouse=True)
def own_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setattr(SubprocessASGIServer, "_instances", {})
    monkeypatch.setattr(ports, "_claims", [])
    yield
    for claim in ports._claims:
        claim.close()


def test_a_port_that_another_process_spoke_for_is_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as stack:
        others = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in range(3)]
        for other in others:
            other.bind(("127.0.0.1", 0))
        *taken, free = [other.getsockname()[1] for other in others]
        others.pop().close()
        monkeypatch.setattr(ports, "PORTS", [*taken, free])
        ports.claim_port()
        assert SubprocessASGIServer().port == free


def test_a_port_that_is_in_use_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        monkeypatch.setattr(ports, "PORTS", [busy.getsockname()[1]])
        ports.claim_port()
        assert SubprocessASGIServer().port is None  # Prefect draws one itself


def test_with_a_server_of_the_user_s_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:4200/api")
    ports.claim_port()
    assert SubprocessASGIServer().port is None
    assert not ports._claims
