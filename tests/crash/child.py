"""The process that is killed. `python -m tests.crash.child` reads one order per line (JSON), forks, and lets the fork
do the work: what takes long to import is imported once. Answers with one line when a fork begins and one when it ends.

The commands are the real ones, from the command line down, but without Prefect, whose decorators do nothing here (that
saves its ten seconds), and with an empty report (drawing it is most of a run's arithmetic). Whole runs with both are
killed too, by tests.crash.whole.
"""

import importlib
import json
import os
import signal
import sys
import traceback
import types
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import Any

from tests.preloaded.server import own_modules

# What leaves something behind, or after which others may go on: the lines of the modules that call DuckDB (whose calls
# Python does not report), and the calls of the operating system.
DUCKDB = ("warehouse/sql.py", "warehouse/connect.py")
SYSTEM = {"open", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "fsync", "chmod", "write", "fork_exec"}
C_CALLS = {"c_call", "c_return"}
# With these limits a small export of Label Studio is read in parts and kept beside the warehouse, as a large one is.
SMALL_PARTS = (
    ("tasks.formats.label_studio", "MAX_UNPACKED", 20),
    ("tasks.formats.label_studio", "MAX_PART", 50),
    ("tasks.ingest.chunked_read", "MAX_IN_MEMORY", 2),
)

Command = Callable[[Sequence[str], str], int]


def main() -> None:
    _without_prefect()
    _import_all()
    serve(_command, DUCKDB)


def serve(command: Command, files: tuple[str, ...]) -> None:
    """Do each order with the command. The lines of the modules in `files` are steps at which it can be killed."""
    for line in sys.stdin:
        order = json.loads(line)
        process = os.fork()
        if process == 0:
            _work(order, command, files)
        _say({"pid": process})
        _, status = os.waitpid(process, 0)
        _say({"code": os.waitstatus_to_exitcode(status)})


def _say(value: dict[str, int]) -> None:
    print(json.dumps(value), flush=True)


def _without_prefect() -> None:
    """Whatever is imported from Prefect is there, and is nothing; its decorators leave functions as they are."""

    def plain(function: Any = None, **options: Any) -> Any:
        return function if function is not None else plain

    sys.meta_path.insert(0, _Empty())
    prefect = importlib.import_module("prefect")
    prefect.task = prefect.flow = plain  # type: ignore[attr-defined]
    artifacts = importlib.import_module("prefect.artifacts")
    artifacts.create_table_artifact = lambda **options: None  # type: ignore[attr-defined]
    artifacts.create_markdown_artifact = lambda *texts, **options: None  # type: ignore[attr-defined]
    # Nor has it pages on which names, events and progress could be shown.
    display = types.ModuleType("flows.prefect_display")
    display.run_name = display.name_run = display.emit_events = lambda *values: None  # type: ignore[attr-defined]
    sys.modules["flows.prefect_display"] = display
    progress = types.ModuleType("flows.prefect_progress")
    progress.with_progress = lambda results, total, what: results  # type: ignore[attr-defined]
    sys.modules["flows.prefect_progress"] = progress
    # Its own record of runs is looked after by flows.service.stale_runs, which has nothing to do here.
    stale_runs = types.ModuleType("flows.service.stale_runs")
    stale_runs.close_stale_runs = lambda folder: []  # type: ignore[attr-defined]
    stale_runs.mark_run = lambda: None  # type: ignore[attr-defined]
    sys.modules["flows.service.stale_runs"] = stale_runs
    # Nor is its server started.
    temporary_server = types.ModuleType("flows.service.temporary_server")
    temporary_server.start_temporary_server = lambda: lambda: None  # type: ignore[attr-defined]
    sys.modules["flows.service.temporary_server"] = temporary_server


class _Empty(MetaPathFinder, Loader):
    """Packages of the name prefect, with every name that is asked for: an empty generic class."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self, is_package=True) if name.split(".")[0] == "prefect" else None

    def exec_module(self, module: types.ModuleType) -> None:
        def anything(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (), {"__class_getitem__": classmethod(lambda cls, item: cls)})

        module.__getattr__ = anything  # type: ignore[method-assign]


def _import_all() -> None:
    """Import what the commands import, also what they import only when they need it."""
    for name in ("flows.cli", "flows.pipeline", *own_modules()):
        importlib.import_module(name)
    page = importlib.import_module("tasks.report.write_report")
    page.render = lambda data: "<html></html>"  # type: ignore[attr-defined]
    for module, name, value in SMALL_PARTS:
        setattr(importlib.import_module(module), name, value)


def _work(order: dict[str, Any], command: Command, files: tuple[str, ...]) -> None:
    """The fork: it never comes back."""
    os.setsid()
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    code = 0
    counter = _Steps(order.get("kill_at"), files)
    if order["count"]:  # it makes everything several times slower
        sys.settrace(counter.trace)
        sys.setprofile(counter.profile)
    try:
        for arguments in order["work"]:
            code = code or command(arguments, order["folder"])
    except BaseException:
        traceback.print_exc()
        code = 70
    sys.settrace(None)
    sys.setprofile(None)
    if "steps" in order:
        with open(order["steps"], "w") as file:
            json.dump(counter.n, file)
    sys.stdout.flush()
    os._exit(code)


def _command(arguments: Sequence[str], folder: str) -> int:
    from flows.cli import main as command_line

    sys.argv = ["kappaflow", *arguments, "--project", folder, "--json"]
    try:
        command_line()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


class _Steps:
    """Counts the lines and calls that matter, and kills at one of them."""

    def __init__(self, kill_at: int | None, files: tuple[str, ...]) -> None:
        self.n, self.kill_at, self.files = 0, kill_at, files

    def trace(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        """Follow the lines of the modules in `files`."""
        return self._line if frame.f_code.co_filename.endswith(self.files) else None

    def _line(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._step()
        return self._line

    def profile(self, frame: types.FrameType, event: str, called: Any) -> None:
        """Follow the calls in SYSTEM, at their beginning and at their end."""
        # The cheapest question first: it is asked at each call of a run.
        if event in C_CALLS and called.__name__ in SYSTEM and called.__module__ in ("posix", "_posixsubprocess"):
            self._step()

    def _step(self) -> None:
        self.n += 1
        if self.n == self.kill_at:
            os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
