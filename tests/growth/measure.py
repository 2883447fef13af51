"""Run the pipeline many times against the server of a served project, and look at the files."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from tests.kept_warehouses import kept_between_calls

WEEK = 7 * 24 * 4  # runs, at every quarter of an hour
LIMIT = 50_000_000  # bytes
NEW_FILE_EVERY = 4  # runs


def measure(project: Path, port: int, runs: int) -> tuple[int, int]:
    """The size before and after so many runs.

    They are made in one process, one after the other, since the start of a process takes longer than a run; what the
    server is told of a run is the same.
    """
    environment = {
        **os.environ,
        "PREFECT_API_URL": f"http://127.0.0.1:{port}/api",
        "PREFECT_API_AUTH_STRING": (project / ".kappaflow" / f"prefect-password-{port}").read_text().strip(),
        "PREFECT_HOME": str(project / ".kappaflow" / "prefect"),
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
        "PREFECT_LOGGING_EXTRA_LOGGERS": "kappaflow",
    }
    before = size(project)
    subprocess.run([sys.executable, "-m", "tests.growth.measure", str(project), str(runs)], check=True, env=environment,
                   cwd=Path(__file__).parents[2], stdin=subprocess.DEVNULL)  # fmt: skip
    return before, size(project)


def size(project: Path) -> int:
    """The pages of the database, some of which are still in its write-ahead log, and the log files."""
    home = project / ".kappaflow" / "prefect"
    with closing(sqlite3.connect(home / "prefect.db")) as con:
        (pages,), (page_size,) = con.execute("pragma page_count").fetchone(), con.execute("pragma page_size").fetchone()
    return int(pages * page_size) + sum(path.stat().st_size for path in home.rglob("*.log*"))


def write_ahead_log(project: Path) -> int:
    """It is used again from its beginning, and does not grow with the runs."""
    return (project / ".kappaflow" / "prefect" / "prefect.db-wal").stat().st_size


def extrapolated(sizes: tuple[int, int], runs: int) -> float:
    """What a week would come to."""
    before, after = sizes
    return before + (after - before) / runs * WEEK


def run(project: Path, runs: int) -> None:
    """Make the runs. The warehouse stays open during each, which nobody tells the server."""
    from flows.pipeline import pipeline

    for number in range(runs):
        if number % NEW_FILE_EVERY == 0:
            write_file(project, number)
        with kept_between_calls():
            pipeline(folder=str(project))


def write_file(project: Path, number: int) -> None:
    """Put a file of 24 ratings into the inbox."""
    items = {f"{number}-{item}": "yes" if item % 3 else "no" for item in range(12)}
    rows = [f"tone,{item},{rater},{label}" for item, label in items.items() for rater in "ab"]
    (project / "inbox" / f"new_{number}.csv").write_text("\n".join(["question,item,rater,label", *rows]))


if __name__ == "__main__":
    run(Path(sys.argv[1]), int(sys.argv[2]))
