"""How soon a browser shows the first chart of a large project: `python -m benchmarks.pages.first_chart`.

A project of QUESTIONS questions and 200 annotators is made and run once in FOLDER (ten minutes for 100 questions).
Then a headless Chromium opens the report and live pages, each in a window of 1200 x 800, and tells when the first chart
in sight was painted.
"""

import argparse
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from urllib.parse import quote

from benchmarks.bench import ROOT
from benchmarks.machine import machine
from benchmarks.page import Table, as_text, page
from benchmarks.pages.large_project import TOPICS, make_project
from docs.browser import MISSING, BrowserPage, find_browser, open_page
from docs.screenshots import serve

WINDOW = 1200, 800
N_AGAIN = 5
HEADER = ("page", "first, s", "again, s", "complete, s", "MB")
QUESTION = quote(f"{TOPICS[0]}_01")
LIVE = {"overview": "/", "agreement of a question": f"/question?question={QUESTION}"}
STARTED = 10  # seconds that a dashboard has been running


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the project if it is not there, open its pages, print the times."""
    chosen = _options().parse_args(arguments)
    browser = find_browser()
    if browser is None:
        sys.exit(f"There is {MISSING}.")
    folder = chosen.folder / f"questions-{chosen.questions}"
    if not (folder / "report.html").exists():
        _run_project(folder, chosen.questions)
    table = Table(
        f"First chart with {chosen.questions} questions",
        f"First: when nobody has opened the page before; the dashboard was started {STARTED} seconds earlier. Again:"
        f" the median of {N_AGAIN} further times. Complete: the median until the whole page is there. MB: its HTML.",
        HEADER,
        _rows(folder, browser),
    )
    print(as_text(table))
    if chosen.out:
        chosen.out.write_text(_page(table), encoding="utf-8")


def _run_project(folder: Path, n_questions: int) -> None:
    make_project(folder, n_questions)
    command = [sys.executable, "-m", "flows", "run", "-q", "--project", str(folder.resolve())]
    subprocess.run(command, check=True, cwd=ROOT)


def _rows(folder: Path, browser: str) -> list[list[str]]:
    report = (folder / "report.html").resolve()
    with open_page(browser) as window, serve(folder) as address:
        time.sleep(STARTED)
        times_of = {"report": _times(window, report.as_uri())}
        times_of |= {f"dashboard: {name}": _times(window, address + path) for name, path in LIVE.items()}
        sizes = [report.stat().st_size, *(_size(address + path) for path in LIVE.values())]
    return [
        [name, *(f"{seconds:.2f}" for seconds in times), f"{size / 1e6:.2f}"]
        for (name, times), size in zip(times_of.items(), sizes, strict=True)
    ]


def _times(window: BrowserPage, url: str) -> tuple[float, float, float]:
    """Return the seconds until the first chart, when first opened and again, and until the page is complete."""
    first, _ = window.time_first_chart(url, *WINDOW)
    charts, complete = zip(*(window.time_first_chart(url, *WINDOW) for _ in range(N_AGAIN)), strict=True)
    return first, statistics.median(charts), statistics.median(complete)


def _size(url: str) -> int:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return len(answer.read())


def _page(table: Table) -> str:
    about = (
        "Made by `make bench-first-chart`. The project is simulated: 200 annotators, of whom four rate each of 400"
        " items a question, two systems, twelve weeks. A headless Chromium with a window of 1200 x 800 opens the report"
        " from the disk, and the live pages from a dashboard on the same machine. The time runs from the opening of the"
        " address to the second frame in which a chart is in sight.",
        "How long the dashboard takes to answer at 4 million ratings: `make bench-dashboard` prints it for each page"
        " and filter.",
    )
    written = "Written by `python -m benchmarks.pages.first_chart`; do not edit."
    facts = {"date": date.today().isoformat(), **machine(("kappaflow", "duckdb", "polars"))}
    return page("Speed of the pages", written, about, facts, [table])


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--folder", type=Path, default=Path("bench-data"), help="where the project is made and kept")
    parser.add_argument("--out", type=Path, help="write the table to this file as Markdown, too")
    return parser


if __name__ == "__main__":
    main()
