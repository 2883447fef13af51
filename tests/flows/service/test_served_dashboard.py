"""`kappaflow serve --dashboard-at`: the live pages of the project that is served, without its secrets."""

import urllib.request
from pathlib import Path

import pytest

from tests.flows.service.conftest import SECRETS, Served, children, until


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def _page(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


@pytest.mark.xdist_group("prefect")
def test_serve_shows_the_live_pages(served: Served) -> None:
    until(lambda: "first" in _page(served.dashboard), 150, served.log)
    (pid,) = (pid for pid in children(served.pid) if " dashboard --project" in _command(pid))
    environment = Path(f"/proc/{pid}/environ").read_text()
    assert "PATH=" in environment
    assert not [name for name, value in SECRETS.items() if value in environment]
    assert served.password not in environment
    assert f"dashboard: http://127.0.0.1:{served.dashboard}/" in served.log.read_text()


def test_an_address_that_is_none_is_refused(tmp_path: Path, kappaflow: object) -> None:
    (tmp_path / "inbox").mkdir()
    assert callable(kappaflow)
    result = kappaflow("serve", "--project", tmp_path, "--dashboard-at", "here", code=2)
    assert "--dashboard-at 'here' is not a port." in result.stderr
