"""A real browser shows the live pages without a complaint, hostile names included."""

import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import uvicorn

from docs.browser import MISSING, find_browser
from flows.dashboard.app import make_app
from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tests.flows.dashboard.conftest import HOSTILE

CHROMIUM = find_browser()
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --enable-logging=stderr --dump-dom"
)


@pytest.fixture
def server(published_project: Path, port: int) -> Iterator[str]:
    """The address of a dashboard that a thread serves."""
    app = make_app(make_dashboard(find_project(published_project), host="127.0.0.1", port=port))
    running = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join()


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
def test_a_browser_shows_the_pages_without_complaint(server: str, tmp_path: Path) -> None:
    for path in ("/", f"/raters?question={quote(HOSTILE)}", "/alert?alert_id=c0ffee00"):
        done = subprocess.run(
            [str(CHROMIUM), *FLAGS.split(), f"--user-data-dir={tmp_path / 'profile'}", server + path],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        assert "</footer>" in done.stdout
        assert "<img" not in done.stdout
        assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
