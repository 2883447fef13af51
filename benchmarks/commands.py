"""What a whole command costs beside the least that it could cost. `make bench` runs it and prints a table.

`kappaflow run` on the bundled example beside an empty Prefect flow in the same environment, and `kappaflow agree` on a
file of 1,000 rows beside an interpreter that imports polars.
"""

import random
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Timed, in_turn, ratio

EXAMPLES = Path(__file__).parent.parent / "examples"
COMMAND = str(Path(sys.executable).with_name("kappaflow"))
EMPTY_FLOW = """
from prefect import flow
@flow
def empty():
    pass
empty()
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {
            "PREFECT_HOME": str(folder / "prefect"),
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
            "PYTHONDONTWRITEBYTECODE": "",  # an installed program has compiled modules
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
        }
        _print(
            "kappaflow run (demo)",
            in_turn(
                {
                    "kappaflow run, everything new": _run_on_a_fresh_copy(folder),
                    "empty Prefect flow": [sys.executable, "-c", EMPTY_FLOW],
                },
                runs=3,
                env=env,
            ),
        )
        _print(
            "kappaflow agree (1,000 rows)",
            in_turn(
                {
                    "kappaflow agree": [COMMAND, "agree", str(_thousand_rows(folder)), "--json"],
                    "import polars": [sys.executable, "-c", "import polars"],
                },
                runs=7,
                env=env,
            ),
        )


def _run_on_a_fresh_copy(folder: Path) -> list[str]:
    """A command that lays the example anew and runs it, so that no run finds the work done."""
    script = folder / "fresh.sh"
    script.write_text(f'set -e\nrm -rf "$1"\ncp -r "{EXAMPLES / "demo"}" "$1"\nexec "{COMMAND}" run --project "$1"\n')
    return [shutil.which("sh") or "/bin/sh", str(script), str(folder / "demo")]


def _thousand_rows(folder: Path) -> Path:
    rng, path = random.Random(1), folder / "labels.csv"
    rows = [
        f"item-{item},rater-{rater},{rng.choice(['yes', 'no', 'unclear'])}" for item in range(250) for rater in range(4)
    ]
    path.write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    return path


def _print(title: str, timed: list[Timed]) -> None:
    print(f"\n{title}")
    for command in timed:
        least, most = min(command.seconds), max(command.seconds)
        print(
            f"  {command.name:32} median {command.median:7.2f} s   min {least:7.2f}   max {most:7.2f}"
            f"   peak {command.peak_mb:6.0f} MB"
        )
    print(f"  ratio {ratio(timed[0], timed[1]):.2f} (median of {len(timed[0].seconds)} pairs)")


if __name__ == "__main__":
    main()
