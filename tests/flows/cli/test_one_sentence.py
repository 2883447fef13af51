"""What goes wrong around the program is one sentence of what, one of what to do, and the right exit code."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import duckdb
import pytest

from tasks.runs.run_records import close_run, open_run
from tests.conftest import until
from warehouse.publication.snapshot import publish

Kappaflow = Callable[..., "subprocess.CompletedProcess[str]"]
C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
TABLE = "item,rater,label\n" + "".join(
    f"{item},{rater},{'café' if item % 3 else 'tea'}\n" for item in range(9) for rater in "ab"
)
pytestmark = pytest.mark.field_trial(30)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "inbox").mkdir(parents=True)
    (folder / "inbox" / "drink.csv").write_text(TABLE, encoding="utf-8")
    return folder


@pytest.fixture
def published(project: Path) -> Path:
    """The project with a warehouse that holds nothing but a run."""
    db, now = project / "warehouse.duckdb", datetime.now(UTC)
    close_run(db, open_run(db, "test", "1", now=now), "succeeded", None, now=now)
    publish(db, project / "published")
    return project


def lines(result: "subprocess.CompletedProcess[str]") -> list[str]:
    """The two lines on stderr."""
    assert "Traceback" not in result.stderr
    text = result.stderr.strip().splitlines()
    assert len(text) == 2, result.stderr
    return text


@pytest.mark.parametrize("command", ["run", "serve"])
def test_nobody_answers_at_prefects_address(kappaflow: Kappaflow, project: Path, port: int, command: str) -> None:
    url = f"http://127.0.0.1:{port}/api"
    what, hint = lines(kappaflow(command, "--project", project, code=2, PREFECT_API_URL=url))
    assert what.startswith(f"Prefect's server at {url} does not answer: ")
    assert "PREFECT_API_URL" in hint


@pytest.mark.parametrize(
    ("command", "name", "value"),
    [
        ("run", "PREFECT_LOGGING_LEVEL", "bogus"),
        ("run", "PREFECT_API_REQUEST_TIMEOUT", "soon"),
        ("serve", "PREFECT_LOGGING_LEVEL", "bogus"),
    ],
)
def test_a_setting_that_prefect_refuses(
    kappaflow: Kappaflow, project: Path, command: str, name: str, value: str
) -> None:
    what, hint = lines(kappaflow(command, "--project", project, code=2, **{name: value}))
    assert what.startswith(f"Prefect does not take the value of {name}: Input should be ")
    assert hint == "Correct this environment variable, or remove it."


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        (folder / "inbox").mkdir()
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_disk_that_is_full_from_the_start(kappaflow: Kappaflow, full_disk: Path, command: str) -> None:
    what, _ = lines(kappaflow(command, "--project", full_disk, code=1))
    assert what == f"The disk is full: {full_disk} has 0 MiB left, and a run needs 16."
    (full_disk / "fill").write_bytes(b"x" * (shutil.disk_usage(full_disk).free & ~4095))
    assert "The disk is full" in lines(kappaflow(command, "--project", full_disk, code=1))[0]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [["agree", "drink.csv"], ["agree", "drink.csv", "--json"], ["formats"], ["formats", "--json"], ["--help"]],
)
def test_output_to_a_full_device(command: Path, project: Path, arguments: list[str]) -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run([command, *arguments], stdout=full, stderr=subprocess.PIPE, text=True,
                                cwd=project / "inbox")  # fmt: skip
    assert result.returncode == 1
    assert lines(result)[0] == "The output could not be written: No space left on device."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_messages_to_a_full_device(command: Path, tmp_path: Path, unbuffered: str) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with open("/dev/full", "w") as full:
        result = subprocess.run([command, "agree", "none.csv"], stderr=full, cwd=tmp_path, env=environment)
    assert result.returncode == 2


def _hear_ctrl_c() -> None:
    """A process in the background ignores SIGINT unless it is told otherwise."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _wait_until_it_computes(pid: int, path: Path) -> None:
    """Wait until the process has the file open and has then used two seconds of processor time."""
    if not Path("/proc").exists():
        time.sleep(20)  # on a slow machine too
        return
    files, stat = Path(f"/proc/{pid}/fd"), Path(f"/proc/{pid}/stat")

    def seconds() -> float:
        return sum(map(int, stat.read_text().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def is_open(file: Path) -> bool:
        with suppress(FileNotFoundError):  # it was closed since the folder was listed
            return str(file.readlink()) == str(path)
        return False

    until(lambda: any(is_open(file) for file in files.iterdir()), 120, "sql")
    opened = seconds()
    until(lambda: seconds() > opened + 2, 120, "the query")


def test_ctrl_c_in_a_long_query(command: Path, published: Path) -> None:
    query = "select count(*) from range(100000000000) as a(x), range(1000) as b(y) where x * y % 7 = 3"
    with subprocess.Popen([command, "sql", query, "--project", published], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          preexec_fn=_hear_ctrl_c) as running:  # fmt: skip
        try:
            _wait_until_it_computes(running.pid, published / "published" / "snapshot.duckdb")
            assert running.poll() is None
            running.send_signal(signal.SIGINT)
            stdout, stderr = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, stdout, stderr) == (130, "", "")


def test_ctrl_c_while_the_program_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.__main__ import main

    class Interrupted(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "flows.cli", Interrupted("flows.cli"))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


@pytest.mark.parametrize("command", ["status", "report", "rejects"])
def test_a_snapshot_of_an_earlier_version(kappaflow: Kappaflow, published: Path, command: str) -> None:
    with duckdb.connect(str(published / "published" / "snapshot.duckdb")) as con:
        con.execute("delete from internal.ledger where version = (select max(version) from internal.ledger)")
    what, hint = lines(kappaflow(command, "--project", published, code=2))
    assert what.endswith("was published by an earlier version of kappaflow.")
    assert hint.startswith("Run `kappaflow run --project project` once")
    assert "test" in kappaflow("sql", "select kind from runs", "--project", published).stdout


def test_a_link_that_leads_to_itself(kappaflow: Kappaflow, project: Path) -> None:
    loop = project / "loop"
    loop.symlink_to("loop")
    what, _ = lines(kappaflow("ingest", loop, "--project", project, code=2))
    assert what == f"{loop} is a symbolic link that leads back to itself."
    assert lines(kappaflow("agree", loop, code=2))[0] == what
    (project / "kappaflow.toml").symlink_to("kappaflow.toml")
    assert "cannot be read: Too many levels" in lines(kappaflow("run", "--project", project, code=2))[0]


@pytest.mark.parametrize("environment", [C_LOCALE, {"PYTHONIOENCODING": "ascii"}], ids=["locale", "encoding"])
def test_output_in_ascii(kappaflow: Kappaflow, project: Path, environment: dict[str, str]) -> None:
    file = project / "inbox" / "drink.csv"
    shown = kappaflow("inspect", file, **environment).stdout
    assert shown.isascii()
    assert r"caf\xe9" in shown
    assert kappaflow("agree", file, **environment).stdout.isascii()
    output = kappaflow("agree", file, "--json", **environment).stdout
    assert output.isascii()
    assert json.loads(output)["labels"] == ["café", "tea"]


def test_a_run_and_queries_in_a_c_locale(kappaflow: Kappaflow, project: Path, prefect_server: str) -> None:
    os.rename(project / "inbox" / "drink.csv", project / "inbox" / "thé.csv")
    environment = {"PREFECT_API_URL": prefect_server, **C_LOCALE}
    result = kappaflow("run", "--project", project, **environment)
    assert (result.stdout + result.stderr).isascii()
    assert r"th\xe9.csv: 18 new ratings" in result.stderr
    query = "select distinct label from current_ratings where question = 'thé' order by label"
    assert json.loads(kappaflow("sql", query, "--json", "--project", project, **C_LOCALE).stdout) == [
        {"label": "café"}, {"label": "tea"}]  # fmt: skip
    assert kappaflow("sql", query, "--csv", "--project", project, **C_LOCALE).stdout == "label\ncafé\ntea\n"


def as_somebody_else(command: Path, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Root may write everywhere; without these capabilities it is held to the permissions as others are."""
    capabilities = "-dac_override,-dac_read_search,-fowner"
    without = ["setpriv", "--bounding-set", capabilities, "--inh-caps", capabilities] if os.geteuid() == 0 else []
    if without and not shutil.which("setpriv"):
        pytest.skip("root, and no setpriv")
    return subprocess.run([*without, command, *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("work", ["run", "serve"])
def test_a_folder_that_cannot_be_written(command: Path, project: Path, work: str) -> None:
    if work == "run":  # an earlier run has left its own folder
        (project / ".kappaflow").mkdir(mode=0o777)
        (project / ".kappaflow").chmod(0o777)
    project.chmod(0o555)
    result = as_somebody_else(command, work, "--project", project)
    assert result.returncode == 1
    what, hint = lines(result)
    assert what == f"The project folder {project} cannot be written: Permission denied."
    assert "permission" in hint


@pytest.mark.parametrize("work", ["run", "compact"])
def test_a_warehouse_that_cannot_be_written(command: Path, published: Path, work: str) -> None:
    (published / "warehouse.duckdb").chmod(0o444)
    result = as_somebody_else(command, work, "--project", published)
    assert result.returncode == 1
    what, hint = lines(result)
    assert what.startswith(f"The warehouse {published / 'warehouse.duckdb'} cannot be written: ")
    assert "permission" in hint
    assert "backup" not in hint
