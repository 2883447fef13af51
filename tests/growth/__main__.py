"""`python -m tests.growth --runs N`: how much Prefect's part of a project grows by N runs of `kappaflow serve`.

It counts all of .kappaflow/prefect: the database, its write-ahead log, log files. Nothing is deleted on the way, since
all runs are younger than what is kept.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.conftest import COMMAND, free_port
from tests.growth.measure import LIMIT, WEEK, extrapolated, measure, write_ahead_log


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=WEEK)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        (project / "inbox").mkdir(parents=True)
        port, log = free_port(), Path(folder) / "serve.log"
        with log.open("wb") as out:
            serve = subprocess.Popen([COMMAND, "serve", "--project", project, "--every", "1h", "--port", str(port)],
                                     stdin=subprocess.DEVNULL, stdout=out, stderr=out)  # fmt: skip
            try:
                while "A run starts now" not in log.read_text():
                    if serve.poll() is not None:
                        sys.exit(log.read_text())
                    time.sleep(1)
                started = time.monotonic()
                sizes = measure(project, port, runs)
                ahead = write_ahead_log(project)
            finally:
                serve.terminate()
                serve.wait(60)
        print(f"{runs} runs in {time.monotonic() - started:.0f} s")
        print(f"before {sizes[0] / 1e6:.2f} MB, after {sizes[1] / 1e6:.2f} MB; write-ahead log {ahead / 1e6:.2f} MB")
        week = extrapolated(sizes, runs) + ahead
        print(f"a run: {(sizes[1] - sizes[0]) / runs / 1e3:.1f} kB; a week of {WEEK}: {week / 1e6:.1f} MB")
        print(f"'database is locked' in the logs: {locked(project, log)}")
    return week > LIMIT


def locked(project: Path, log: Path) -> int:
    texts = [log, *(project / ".kappaflow" / "prefect").glob("*.log*")]
    return sum(text.read_text().count("database is locked") for text in texts)


if __name__ == "__main__":
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    sys.exit(main())
