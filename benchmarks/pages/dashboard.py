"""How long the live pages take to answer on a large project: `python -m benchmarks.pages.dashboard`.

A question of SIZE ratings by five people and a system is made, evaluated and published once in FOLDER. Then each page
is asked for with each of its filters. "first" is a request with filters that nobody has used since the snapshot was
published, "again" the same request once more. Processor time is what remains of it on a machine that does nothing else.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

import httpx

from benchmarks.bench import ENVIRONMENT, ROOT
from flows.dashboard.app import make_app, warm_up
from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tasks.dashboard.page_filters import WINDOWS
from warehouse.publication.snapshot import publish

RATERS = [f"rater-{number}" for number in range(1, 6)]
BATCHES = [f"history {number}" for number in range(10)]
BASE = "http://127.0.0.1:8500"


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the project if it is not there, ask for the pages, print the times."""
    chosen = _options().parse_args(arguments)
    folder = chosen.folder / f"dashboard-{chosen.size}"
    if not (folder / "published").exists():
        _make_project(folder, chosen.size)
    times = asyncio.run(_ask(folder, _addresses()))
    for name, pairs in times.items():
        for clock, seconds in zip(("", ", processor time"), zip(*pairs, strict=True), strict=True):
            ordered = sorted(seconds)
            middle, late = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
            print(
                f"{name}{clock}: {len(ordered)} requests at {chosen.size:,} ratings, median {1000 * middle:.0f} ms, "
                f"95 % below {1000 * late:.0f} ms, longest {1000 * ordered[-1]:.0f} ms"
            )


def _make_project(folder: Path, size: int) -> None:
    folder.mkdir(parents=True)
    command = [
        sys.executable,
        "-m",
        "benchmarks.ingest.history",
        "build",
        "system",
        str(size),
        str(folder),
    ]
    process = subprocess.run(command, check=True, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    print(f"made: {json.loads(process.stdout.splitlines()[-1])}", file=sys.stderr)
    (folder / f"system-{size}.duckdb").rename(folder / "warehouse.duckdb")
    publish(folder / "warehouse.duckdb", folder / "published")


def _addresses() -> list[str]:
    """List the pages with each filter."""
    wanted: list[tuple[str, dict[str, str]]] = [("/", {}), ("/", {"question": "q"})]
    wanted += [("/", {"question": "q", "rater": rater}) for rater in RATERS]
    wanted += [("/", {"question": "q", "window": window}) for window in WINDOWS]
    wanted += [("/question", {"question": "q", "window": window}) for window in WINDOWS]
    wanted += [("/raters", {"question": "q", "rater": rater}) for rater in RATERS]
    wanted += [("/raters", {"question": "q", "rater": RATERS[0], "other": other}) for other in RATERS[1:]]
    wanted += [("/systems", {"question": "q"}), ("/systems", {"question": "q", "system": "rater-6"})]
    wanted += [("/items", {"question": "q"}), ("/items", {"question": "q", "since": "2026-04-01"})]
    wanted += [("/items", {"question": "q", "rater": rater}) for rater in RATERS]
    wanted += [("/items", {"question": "q", "batch": batch}) for batch in BATCHES[:3]]
    wanted += [("/batches", {"batch": batch}) for batch in BATCHES]
    wanted += [("/alerts", {"question": "q"}), ("/alerts", {"alert_state": "closed"}), ("/runs", {"question": "q"})]
    return [f"{path}?{urlencode(filters)}" for path, filters in wanted]


async def _ask(folder: Path, addresses: Sequence[str]) -> dict[str, list[tuple[float, float]]]:
    dashboard = make_dashboard(find_project(folder), host="127.0.0.1", port=8500)
    warm_up()
    times: dict[str, list[tuple[float, float]]] = {"first": [], "again": []}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=make_app(dashboard)), base_url=BASE) as client:
        for name, pairs in times.items():
            for address in addresses:
                started, worked = time.perf_counter(), time.process_time()
                answer = await client.get(address)
                pairs.append((time.perf_counter() - started, time.process_time() - worked))
                answer.raise_for_status()
                wall, worked = (1000 * seconds for seconds in pairs[-1])
                size = f"{len(answer.content):7,} bytes"
                print(f"{name} {wall:6.0f} ms, {worked:6.0f} ms of processor time, {size} {address}", file=sys.stderr)
    dashboard.reader.close()
    return times


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4_000_000, help="ratings of the question")
    parser.add_argument("--folder", type=Path, default=Path("bench-data"), help="where the project is made and kept")
    return parser


if __name__ == "__main__":
    main()
