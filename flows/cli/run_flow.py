"""Run one flow from the command line, with a spinner while Prefect starts, and progress lines instead of its log."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from rich.console import Console

from flows.cli.terminal import clean
from flows.project_folder import Project
from flows.service.environment import enter, quiet_end
from flows.service.prefect_start import check_folder, load_prefect, prefect_errors
from flows.service.temporary_server import start_temporary_server

if TYPE_CHECKING:
    from flows.run_result import RunResult


def run_flow(kind: str, project: Project, *, quiet: bool, **parameters: object) -> tuple["RunResult", bool]:
    """Run a flow on the project. Return its results, and whether it failed.

    Raises the errors of the flow, such as InputError.
    """
    # The console shows the progress lines. Prefect's log lines go to its server, and errors are raised here anyway.
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    quiet_end()
    check_folder(project)
    enter(project)
    with prefect_errors(project.folder), _progress(quiet):
        wait_for_server = start_temporary_server()
        load_prefect()
        flow = _flow(kind)
        from flows.run_result import RunFailedError
        from flows.service.stale_runs import close_stale_runs

        wait_for_server()
        close_stale_runs(project.folder)
        try:
            return flow(folder=str(project.folder), **parameters), False
        except RunFailedError as failure:
            return failure.result, True


def _flow(kind: str) -> Callable[..., "RunResult"]:
    from flows.pipeline import evaluate, ingest, monitor, pipeline

    flows: dict[str, Callable[..., RunResult]] = {
        "ingest": ingest,
        "evaluate": evaluate,
        "monitor": monitor,
        "pipeline": pipeline,
    }
    return flows[kind]


@contextmanager
def _progress(quiet: bool) -> Iterator[None]:
    """Show the project's log lines on stderr, with a spinner while Prefect starts. Show nothing if quiet."""
    console = Console(stderr=True, highlight=False, quiet=quiet)
    handler = _Lines(console)
    log = logging.getLogger("kappaflow")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        # The usual spinner needs characters that not every terminal has.
        spinner = "dots" if console.encoding.startswith("utf") else "line"
        with console.status("Starting Prefect ...", spinner=spinner) as status:
            handler.status = status.update
            yield
    finally:
        log.removeHandler(handler)


class _Lines(logging.Handler):
    """Print each line of the log above the spinner."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self.console = console
        self.status: Callable[[str], None] = lambda text: None

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError):  # the disk of a log file may be full; the run goes on
            self.status("Working ...")
            self.console.print(
                clean(record.getMessage()),
                markup=False,
                style="red" if record.levelno >= logging.WARNING else "dim",
                soft_wrap=not self.console.is_terminal,  # in a log file a message is one line
            )
