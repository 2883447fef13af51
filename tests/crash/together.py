"""Many processes at once on one project: all end well, and the project is as after one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.crash.compare import Verdict, compare, picture
from tests.crash.scenarios import first_files
from tests.crash.whole import start, wait


def together(number: int, scratch: Path, arguments: Sequence[str] = ("run", "--json"), **environment: str) -> Verdict:
    """Start the command so many times at once, let one `kappaflow run` follow, and compare with a single run."""
    single, crowd = scratch / "single", scratch / "crowd"
    for folder in (single, crowd):
        first_files(folder)
    code, text = wait(start(single, **environment))
    if code:
        raise RuntimeError(f"exit {code}\n{text}")
    processes = [start(crowd, *arguments, **environment) for _ in range(number)]
    ended = [wait(process) for process in processes]
    failed = tuple(f"exit {code}: {output[-600:]}" for code, output in ended if code)
    code, text = wait(start(crowd, **environment))
    if code:
        return Verdict(inconsistent=(*failed, f"the run after them: exit {code}: {text[-600:]}"))
    # Two at the same time may both evaluate a question.
    result = compare(picture(single / "warehouse.duckdb"), crowd, repeated=True)
    return replace(result, inconsistent=(*failed, *result.inconsistent))
