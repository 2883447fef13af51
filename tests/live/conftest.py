"""A real Label Studio, started for the tests. They run by `make test-live` only, which installs it apart."""

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

COMMAND = os.environ.get("KAPPAFLOW_TEST_LIVE", "")
collect_ignore_glob = [] if COMMAND else ["test_*.py"]
TOKEN = "0123456789abcdef0123456789abcdef01234567"  # of this server only, which ends with the tests


@pytest.fixture(scope="session")
def studio_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Label Studio on an empty database."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    home = tmp_path_factory.mktemp("label-studio")
    quiet = dict.fromkeys(("SENTRY_DSN", "FRONTEND_SENTRY_DSN"), "") | dict.fromkeys(
        ("COLLECT_ANALYTICS", "LATEST_VERSION_CHECK", "SSRF_PROTECTION_ENABLED"), "false"
    )
    environment = {**os.environ, **quiet, "LABEL_STUDIO_BASE_DATA_DIR": str(home), "HOME": str(home),
                   "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true"}  # fmt: skip
    start = [str(Path(COMMAND).resolve()), "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port),
             "--username", "ann@example.com", "--password", "a-long-password", "--user-token", TOKEN]  # fmt: skip
    with (home / "server.log").open("wb") as log:
        server = subprocess.Popen(start, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(url, server, home / "server.log")
            yield url
        finally:
            server.terminate()
            try:
                server.wait(30)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(10)


def _wait(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text(encoding="utf-8")[-2000:]
        try:
            if httpx.get(f"{url}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    raise TimeoutError(f"Label Studio did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


class Person:
    """A user of the server, who calls its API."""

    def __init__(self, url: str, token: str) -> None:
        self._http = httpx.Client(base_url=url, headers={"Authorization": f"Token {token}"}, timeout=60)
        self.number = self.call("GET", "/api/current-user/whoami")["id"]

    def close(self) -> None:
        self._http.close()

    def call(self, method: str, path: str, **more: Any) -> Any:
        result = self._http.request(method, path, **more)
        assert result.is_success, f"{method} {path}: HTTP {result.status_code} {result.text[:300]}"
        return result.json() if result.content else None


@pytest.fixture(scope="session")
def people(studio_url: str) -> Iterator[list[Person]]:
    """The owner, and two who followed her invitation."""
    owner = Person(studio_url, TOKEN)
    invitation = owner.call("GET", "/api/invite")["invite_url"]
    results = [owner, *(Person(studio_url, _sign_up(studio_url, invitation, name)) for name in ("bob", "cyd"))]
    yield results
    for person in results:
        person.close()


def _sign_up(url: str, invitation: str, name: str) -> str:
    page = invitation if invitation.startswith("http") else url + invitation
    with httpx.Client(timeout=60) as http:
        form = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', http.get(page).text)
        assert form is not None
        http.post(page, headers={"Referer": page}, data={"email": f"{name}@example.com", "password": f"{name}-password",
                  "csrfmiddlewaretoken": form[1], "allow_newsletters": "false"})  # fmt: skip
        return str(http.get(f"{url}/api/current-user/token").json()["token"])
