"""python -m tests.preloaded.server SOCKET WAREHOUSE: run commands in copies of this process until stdin ends.

A warehouse that a command makes is a copy of the migrated one without data that is named. A command waits for the
second look at a new file as briefly as the tests do, and DuckDB has one thread, as there.
"""

import array
import gc
import importlib
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from flows.__main__ import end_process
from tasks.sources import folder
from warehouse import connect as opening

# Not the command line: the consoles of rich read the width when they are made, at import.
OWN = ("schemas", "stats", "tasks", "warehouse", "flows.settings", "flows.project_folder")
# What Prefect imports. fastapi and sqlalchemy are for servers, which are processes of their own.
OF_PREFECT = (
    "amplitude", "anyio.from_thread", "asgi_lifespan", "cachetools", "cloudpickle", "coolname", "cronsim",
    "dateutil.parser", "dateutil.rrule", "exceptiongroup", "fsspec", "griffe", "h2.connection", "httpx", "humanize",
    "jinja2", "jsonschema", "opentelemetry.propagate", "orjson", "pendulum", "prometheus_client",
    "pydantic_extra_types",
    "pydantic_settings", "rich.progress", "rich.table", "rich.tree", "slugify", "toml", "typer",
    "websockets.asyncio.client",
    "yaml",
)  # fmt: skip


def main() -> None:
    """Serve. A copy of the process leaves `_next_command` and becomes the program."""
    for name in (*OF_PREFECT, *own_modules()):
        with suppress(ModuleNotFoundError):  # a package that is not installed, or that another release imports
            importlib.import_module(name)
    if "prefect" in sys.modules:
        sys.exit("Prefect was imported before the command has set its environment.")
    with suppress(ModuleNotFoundError):
        sys.meta_path.insert(0, PreloadedPrefect(Path(sys.argv[1]).with_name("prefect")))
    template = Path(sys.argv[2])
    opening._write_empty_file = lambda path: shutil.copyfile(template, path)  # type: ignore[assignment,return-value]
    opening.CONFIG["threads"] = 1
    folder.PAUSE = 0.01
    gc.collect()
    gc.freeze()  # a collection in a copy would copy all memory, too
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(sys.argv[1])
        listener.listen()
        if not _next_command(listener):
            end_process(0)
    from flows.__main__ import main as kappaflow

    try:
        kappaflow()
    except SystemExit:  # with a text
        end_process(1)
    except BaseException:
        traceback.print_exc()
        end_process(1)


class PreloadedPrefect(MetaPathFinder, Loader):
    """Prefect, imported beforehand and out of sight until a command imports it.

    What Prefect does with the environment when it is imported is done then: it reads its settings and sets up its log.
    """

    def __init__(self, home: Path) -> None:
        """Import Prefect with nothing of the environment but a home of its own."""
        settings = {name for name in os.environ if name.startswith("PREFECT_")}
        with _environment(PREFECT_HOME=str(home), DO_NOT_TRACK="1", **dict.fromkeys(settings - {"PREFECT_HOME"})):
            configuration = importlib.import_module("prefect.logging.configuration")
            self._set_up_logging = configuration.setup_logging
            configuration.setup_logging = dict  # type: ignore[attr-defined]
            for name in ("prefect.main", "prefect.artifacts", "prefect.flow_engine", "prefect.task_engine"):
                importlib.import_module(name)
            configuration.setup_logging = self._set_up_logging  # type: ignore[attr-defined]
        if threading.active_count() > 1:
            sys.exit("Prefect has started threads, which a copy of the process would not have.")
        names = [name for name in sys.modules if name.partition(".")[0] == "prefect"]
        self._modules = {name: sys.modules.pop(name) for name in names}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == "prefect" else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        self._spec = self._modules["prefect"].__spec__
        return self._modules["prefect"]

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec
        sys.meta_path.remove(self)
        sys.modules.update(self._modules)
        context = self._modules["prefect.context"]
        del context.GLOBAL_SETTINGS_CONTEXT  # as before its first import
        context.refresh_global_settings_context()
        self._set_up_logging()
        profile = context.get_settings_context().profile.name
        self._modules["prefect.logging"].get_logger("profiles").debug(f"Using profile {profile!r}")


@contextmanager
def _environment(**variables: str | None) -> Iterator[None]:
    """Set variables of the environment, or remove those that are None, within the block."""
    before = dict(os.environ)
    for name, value in variables.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def own_modules() -> list[str]:
    """List the modules of this project that import neither Prefect nor the command line."""
    return [module for package in OWN for module in _modules(package)]


def _modules(package: str) -> list[str]:
    """List a package's modules, but for those of flows that import Prefect."""
    result = importlib.import_module(package)
    return [package, *(each.name for each in pkgutil.walk_packages(getattr(result, "__path__", ()), f"{package}."))]


def _next_command(listener: socket.socket) -> bool:
    """Answer requests. Returns True in a copy of the process that shall run a command, False when stdin has ended."""
    while True:
        with suppress(ChildProcessError):  # copies that have ended
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        ready, _, _ = select.select([listener, 0], [], [])
        if 0 in ready and not os.read(0, 1):
            return False
        if listener not in ready:
            continue
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return _supervised(connection)
        connection.close()


def _supervised(connection: socket.socket) -> bool:
    """Fork once more: the second copy runs the command, the first tells the caller its exit code. If the caller ends
    before that, the command is killed, as by subprocess.run after its timeout."""
    request, files = _received(connection)
    command = os.fork()
    if command == 0:
        connection.close()
        _become(request, files)
        return True
    for file in files:
        os.close(file)
    process = os.pidfd_open(command)
    ready, _, _ = select.select([process, connection], [], [])
    if process not in ready:
        os.kill(command, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    connection.sendall(str(code).encode())
    os._exit(0)


def _received(connection: socket.socket) -> tuple[dict[str, Any], list[int]]:
    """Read a request: a line of JSON, with the files that shall be stdin, stdout and stderr."""
    files = array.array("i")
    text, ancillary, _, _ = connection.recvmsg(1 << 16, socket.CMSG_SPACE(3 * files.itemsize))
    for _level, _kind, data in ancillary:
        files.frombytes(data)
    while not text.endswith(b"\n"):
        text += connection.recv(1 << 16)
    return json.loads(text), list(files)


def _become(request: dict[str, Any], files: list[int]) -> None:
    """Take over arguments, environment, folder and files, as a new process would have them."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    sys.path[:] = [each for each in sys.path if each not in ("", str(Path.cwd()))]
    sys.argv = ["kappaflow", *request["arguments"]]
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="strict", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    main()
