"""Take the pictures of the report and the live pages in docs/images: `make screenshots`.

They show the demo, an empty project, and one of 30 questions and 200 annotators. A Chromium is needed
(docs/browser.py).
"""

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from benchmarks.pages.large_project import TOPICS, make_project
from docs.browser import MISSING, ROOT, Picture, find_browser, open_page
from flows.dashboard.app import make_app
from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tests.conftest import free_port

IMAGES = ROOT / "docs" / "images"
MAX_BYTES = 150_000
DESKTOP, PHONE = Picture(1200, 800), Picture(390, 800, phone=True)
DARK = Picture(1200, 800, dark=True)
LOW_DARK = Picture(1200, 560, dark=True)  # a dark picture full of text has more bytes than others
PRINT = Picture(718, 1047, media="print")  # A4 less margins of 10 and 12 mm, at 96 dots an inch
# name, the project, the page: of the dashboard, or None for the report, and how it is taken
PICTURES = (
    ("report-desktop", "demo", None, DESKTOP),
    ("report-phone", "demo", None, PHONE),
    ("report-dark", "demo", None, DARK),
    ("report-print", "demo", None, PRINT),
    ("report-empty", "empty", None, DESKTOP),
    ("dashboard-desktop", "demo", "/", DESKTOP),
    ("dashboard-phone", "demo", "/", PHONE),
    ("dashboard-dark", "demo", "/", DARK),
    ("dashboard-annotators", "demo", "/raters?question=intent", DESKTOP),
    ("dashboard-versions", "demo", "/systems?question=intent#s5", DESKTOP),
    ("dashboard-empty", "empty", "/", DESKTOP),
    ("report-empty-phone", "empty", None, PHONE),
    ("dashboard-empty-phone", "empty", "/", PHONE),
    ("dashboard-print", "demo", "/", PRINT),
    ("report-large", "large", None, DESKTOP),
    ("report-large-phone", "large", None, PHONE),
    ("report-large-dark", "large", None, LOW_DARK),
    ("report-large-print", "large", None, PRINT),
    ("dashboard-large", "large", "/", DESKTOP),
    ("dashboard-large-phone", "large", "/", PHONE),
    ("dashboard-large-dark", "large", "/", LOW_DARK),
    ("dashboard-large-annotators", "large", f"/raters?question={TOPICS[0]}_01", DESKTOP),
)


def main(projects: Path | None = None) -> None:
    """Take every picture. `projects` has the folders demo, empty and large, else they are made."""
    browser = find_browser()
    if browser is None:
        sys.exit(f"There is {MISSING}. Install Chromium, or run `make browser`.")
    with tempfile.TemporaryDirectory() as folder, open_page(browser) as page:
        made = projects or make_projects(Path(folder))
        with serve(made / "demo") as demo, serve(made / "empty") as empty, serve(made / "large") as large:
            for name, project, path, picture in PICTURES:
                address = {"demo": demo, "empty": empty, "large": large}[project]
                url = (made / project / "report.html").as_uri() if path is None else address + path
                image = page.take(url, picture)
                assert len(image) < MAX_BYTES, f"{name} has {len(image):,} bytes"
                (IMAGES / f"{name}.png").write_bytes(image)
                print(f"wrote {IMAGES / name}.png ({len(image):,} bytes)")


def make_projects(folder: Path) -> Path:
    """Run the demo, a project without a file, and a large one, which takes minutes."""
    shutil.copytree(ROOT / "examples" / "demo", folder / "demo")
    for file in (*(ROOT / "examples" / "literature").glob("*.csv"), *(ROOT / "examples/demo/late").glob("*.json")):
        shutil.copy(file, folder / "demo" / "inbox")
    command = Path(sys.executable).with_name("kappaflow")
    subprocess.run([command, "init", folder / "empty"], check=True, stdout=subprocess.DEVNULL)
    make_project(folder / "large")
    for name in ("demo", "empty", "large"):
        subprocess.run([command, "run", "-q", "--project", folder / name], check=True)
    return folder


@contextmanager
def serve(project: Path) -> Iterator[str]:
    """Serve the live pages of a project from a thread, and return their address."""
    port = free_port()
    app = make_app(make_dashboard(find_project(project), host="127.0.0.1", port=port))
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
