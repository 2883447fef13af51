"""Find a Chromium and take pictures of pages with it, over its DevTools protocol."""

import base64
import itertools
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

ROOT = Path(__file__).parents[1]
INSTALLED = ROOT / ".browser" / "chromium"  # where `make browser` puts one
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome-headless-shell")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
# From the start of the navigation to the second frame after a drawing has a place in the window: by then it is painted.
_FIRST_CHART = """
globalThis.firstChart = new Promise((done) => {
  const isInSight = (drawing) => {
    const box = drawing.getBoundingClientRect();
    return box.width && box.height && box.top < innerHeight;
  };
  const look = () => {
    if (![...document.querySelectorAll("svg")].some(isInSight)) return requestAnimationFrame(look);
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
  };
  requestAnimationFrame(look);
});
"""
_MESSAGES = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
_REQUEST = "Network.requestWillBeSent"
MISSING = "no Chromium on PATH and none of `make browser`"


def find_browser() -> str | None:
    """Return the Chromium on PATH, else that of `make browser`, else None."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    return path or (str(INSTALLED) if INSTALLED.is_file() else None)


@dataclass(frozen=True)
class Picture:
    """A picture of a page: sizes in CSS pixels, `media` is screen or print."""

    width: int
    height: int
    dark: bool = False
    media: str = "screen"
    phone: bool = False


class BrowserPage:
    """A page of a running browser."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)
        self._events: list[dict[str, Any]] = []

    def watch(self) -> None:
        """Keep what pages complain of and what they request, for `complaints`."""
        for domain in ("Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def complaints(self, own: str) -> list[str]:
        """Return the messages on the console and the requests that do not begin with `own`, since the last load."""
        shown = [json.dumps(event["params"]) for event in self._events if event["method"] in _MESSAGES]
        requested = [event["params"]["request"]["url"] for event in self._events if event["method"] == _REQUEST]
        return [*shown, *(url for url in requested if not url.startswith((own, "data:")))]

    def take(self, url: str, picture: Picture) -> bytes:
        """Load a page and return a picture of its beginning, as PNG."""
        self.load(url, picture)
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript on the page."""
        reply = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
                           allowUnsafeEvalBlockedByCSP=True)  # fmt: skip
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """Press a key: its name and its number, such as Tab and 9, and what it types."""
        for kind in ("keyDown", "keyUp"):
            typed = {"text": text} if text and kind == "keyDown" else {}
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **typed)

    def wait_for_load(self) -> None:
        """Wait until a page that was asked for is there."""
        self._wait_for("Page.loadEventFired")

    def load(self, url: str, picture: Picture) -> None:
        """Load a page as a picture of it is taken."""
        self._events.clear()
        self._call("Emulation.setDeviceMetricsOverride", width=picture.width, height=picture.height,
                   deviceScaleFactor=1, mobile=picture.phone)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if picture.dark else "light"}
        self._call("Emulation.setEmulatedMedia", media=picture.media, features=[scheme])
        self._call("Page.enable")
        self._call("Page.navigate", url=url)
        self.wait_for_load()

    def time_first_chart(self, url: str, width: int, height: int) -> tuple[float, float]:
        """Load a page, and return the seconds until a chart in sight is painted, and until the page is complete."""
        self._call("Page.enable")
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        number = self._call("Page.addScriptToEvaluateOnNewDocument", source=_FIRST_CHART)["identifier"]
        self._call("Page.navigate", url=url)
        self._wait_for("Page.loadEventFired")
        milliseconds = self._call("Runtime.evaluate", expression="firstChart", awaitPromise=True)["result"]["value"]
        loaded = "performance.getEntriesByType('navigation')[0].loadEventStart"
        complete = self._call("Runtime.evaluate", expression=loaded)["result"]["value"]
        self._call("Page.removeScriptToEvaluateOnNewDocument", identifier=number)
        return milliseconds / 1000, complete / 1000

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._connection.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := self._next()).get("id") != number:
            pass
        assert "error" not in answer, answer
        return dict(answer["result"])

    def _wait_for(self, event: str) -> None:
        while self._next().get("method") != event:
            pass

    def _next(self) -> dict[str, Any]:
        message = dict(json.loads(self._connection.recv(timeout=60)))
        if message.get("method") in (*_MESSAGES, _REQUEST):
            self._events.append(message)
        return message


@contextmanager
def open_page(browser: str) -> Iterator[BrowserPage]:
    """Start a browser with an empty profile and end it afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [browser, *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as running:
            try:
                yield from _first_page(running)
            finally:
                running.terminate()


def _first_page(running: subprocess.Popen[str]) -> Iterator[BrowserPage]:
    assert running.stderr is not None
    address = next(line.split()[-1] for line in running.stderr if line.startswith("DevTools listening on "))
    with connect(address, max_size=None) as whole:
        target = BrowserPage(whole)._call("Target.createTarget", url="about:blank")["targetId"]
        page = f"{address.split('/devtools/')[0]}/devtools/page/{target}"
        with connect(page, max_size=None) as connection:
            yield BrowserPage(connection)
