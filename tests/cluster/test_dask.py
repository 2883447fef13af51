"""Questions spread over two worker processes of a Dask cluster come out as they do in one process."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import free_port

pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask itself
QUERY = "select * exclude (run_id) from agreement order by all"


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory, prefect_server: str) -> Iterator[str]:
    """A scheduler with two workers, each a process of its own."""
    address, folder = f"tcp://127.0.0.1:{free_port()}", tmp_path_factory.mktemp("dask")
    dask = Path(sys.executable).with_name("dask")
    host, port = address.removeprefix("tcp://").split(":")
    commands = [["scheduler", "--host", host, "--port", port, "--no-dashboard"]]
    commands += [["worker", address, "--nthreads", "1", "--no-dashboard"]] * 2
    with (folder / "log").open("wb") as log:
        started = [
            subprocess.Popen([dask, *command], cwd=folder, stdout=log, stderr=log,
                             env={**os.environ, "PREFECT_API_URL": prefect_server})
            for command in commands
        ]  # fmt: skip
        try:
            yield address
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(30)


def test_the_results_are_the_same(tmp_path: Path, scheduler: str, prefect_server: str) -> None:
    table = "question,item,rater,label,time\n" + "".join(
        f"q{q},{i},{r},{'no' if (i * place + q) % 3 == 0 else 'yes'},2026-01-0{1 + i}\n"
        for q in range(6) for i in range(8) for place, r in enumerate("abc", 1)
    )  # fmt: skip
    figures = {}
    for name, settings in (("here", ""), ("dask", f'[workers]\nrunner = "dask"\naddress = "{scheduler}"\n')):
        project = tmp_path / name
        (project / "inbox").mkdir(parents=True)
        (project / "inbox" / "all.csv").write_text(table)
        (project / "kappaflow.toml").write_text(settings)
        _kappaflow("run", "--project", str(project), PREFECT_API_URL=prefect_server)
        figures[name] = _kappaflow("sql", QUERY, "--json", "--project", str(project))
    assert figures["dask"] == figures["here"]
    assert "krippendorff_alpha" in figures["here"]


def _kappaflow(*arguments: str, **environment: str) -> str:
    """The command in this environment, which has Dask."""
    code = "from flows.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code, *arguments], env={**os.environ, **environment}, timeout=300,
                            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout
