"""A real browser shows the live pages without a complaint, hostile names included; nor has axe-core any."""

import importlib.util
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import uvicorn

from docs.browser import MISSING, BrowserPage, Picture, find_browser, open_page
from flows.dashboard.app import make_app
from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tasks.report.write_report import write_report
from tests.conftest import free_port
from tests.flows.dashboard.conftest import HOSTILE

CHROMIUM = find_browser()
AXE = importlib.util.find_spec("axe_core_python")
DESKTOP, DARK, PHONE = Picture(1200, 800), Picture(1200, 800, dark=True), Picture(390, 800, phone=True)
PRINT = Picture(718, 1047, media="print")
PAGES = (
    "/", "/question?question=tone", f"/question?question={quote(HOSTILE)}", "/raters?question=tone",
    "/raters?question=tone&rater=ann&other=ben", f"/raters?question={quote(HOSTILE)}", "/systems?question=tone",
    "/items?question=tone", "/alerts", "/alert?alert_id=c0ffee00", "/batches", "/runs", "/?question=none",
)  # fmt: skip
VIOLATIONS = """
axe.run(document, {resultTypes: ["violations"]}).then(
  (found) => found.violations.map((rule) => [rule.id, ...rule.nodes.map((node) => node.html.slice(0, 150))]))
"""
BELOW_TITLES = """
[...document.querySelectorAll(".body h3")].filter((title) => title.offsetHeight).map((title) => [title.innerText,
  Math.max(0, ...[...title.parentElement.children].filter((part) => part !== title).map((part) => part.clientHeight))])
"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)


@pytest.fixture(scope="module")
def server(published_project: Path) -> Iterator[str]:
    """The address of a dashboard that a thread serves."""
    port = free_port()
    app = make_app(make_dashboard(find_project(published_project), host="127.0.0.1", port=port))
    running = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error"))
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserPage]:
    with open_page(str(CHROMIUM)) as page:
        page.watch()
        yield page


@pytest.fixture(scope="module")
def addresses(server: str, published_project: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The addresses of the live pages, and of the report of the same project."""
    snapshot = published_project / "published" / "snapshot.duckdb"
    report = write_report(snapshot, tmp_path_factory.mktemp("r") / "report.html", title=HOSTILE, code_version="1")
    return [*(server + path for path in PAGES), report.as_uri()]


def test_a_browser_shows_the_pages_without_complaint(browser: BrowserPage, addresses: list[str]) -> None:
    for url in addresses:
        browser.load(url, DESKTOP)
        assert browser.evaluate("document.querySelectorAll('footer').length") == 1, url
        assert browser.evaluate("document.querySelectorAll('img').length") == 0, url
        own = url if url.startswith("file:") else url[: url.index("/", len("http://"))]
        assert browser.complaints(own) == [], url


def test_a_request_elsewhere_and_an_error_are_complaints(browser: BrowserPage, server: str, tmp_path: Path) -> None:
    """So that no complaint above means that there is none."""
    (tmp_path / "page.html").write_text("<img src='http://127.0.0.1:9/x.png'><script>console.log('word')</script>")
    browser.load((tmp_path / "page.html").as_uri(), DESKTOP)
    text = " ".join(browser.complaints("file:"))
    assert "word" in text
    assert "http://127.0.0.1:9/x.png" in text


@pytest.mark.parametrize("picture", [DESKTOP, PHONE, PRINT], ids=["desktop", "phone", "print"])
def test_no_page_is_wider_than_the_window_or_the_sheet(
    browser: BrowserPage, addresses: list[str], picture: Picture
) -> None:
    wide = {}
    for url in addresses:
        browser.load(url, picture)
        wide[url] = browser.evaluate(TOO_WIDE)
    assert {url: pixels for url, pixels in wide.items() if pixels} == {}


def test_a_printed_title_has_something_below_it(browser: BrowserPage, addresses: list[str]) -> None:
    browser.load(addresses[-1], PRINT)
    shown = browser.evaluate(BELOW_TITLES)
    assert len(shown) >= 5
    assert [title for title, height in shown if height == 0] == []


@pytest.mark.skipif(AXE is None, reason="axe-core-python is not installed: what axe-core finds in Chromium")
@pytest.mark.parametrize("picture", [DESKTOP, DARK, PHONE], ids=["desktop", "dark", "phone"])
def test_axe_finds_nothing(browser: BrowserPage, addresses: list[str], picture: Picture) -> None:
    """On all pages on a desk, and on some elsewhere: axe-core takes a second a page."""
    assert AXE is not None
    assert AXE.origin is not None
    axe = Path(AXE.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    results = {}
    for url in addresses if picture is DESKTOP else [*addresses[::4], addresses[-1]]:
        browser.load(url, picture)
        browser.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true })")
        browser.evaluate(f"{axe}; 0")
        results[url] = browser.evaluate(VIOLATIONS)
    assert {url: broken for url, broken in results.items() if broken} == {}
    browser.evaluate("document.querySelector('footer').innerHTML = '<a href=/></a>'")
    assert [rule[0] for rule in browser.evaluate(VIOLATIONS)] == ["link-name"]


def test_the_keyboard_leads_from_an_alert_to_its_items(browser: BrowserPage, server: str) -> None:
    browser.load(f"{server}/", DESKTOP)
    words = []
    while (not words or words[-1] != "Disputed items") and len(words) < 100:
        browser.press("Tab", 9)
        words.append(browser.evaluate("document.activeElement.innerText"))
    assert words[0] == "Skip to the content"
    assert words[-1] == "Disputed items"
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    browser.press("Enter", 13, "\r")
    browser.wait_for_load()
    assert browser.evaluate("location.pathname") == "/items"
    assert browser.evaluate("document.querySelectorAll('tbody tr').length") > 0
