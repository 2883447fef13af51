"""Run one flow from the command line: Prefect's start covered by a spinner, progress lines instead of its log."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from flows.environment import enter, quiet_end
from flows.project import Project
from flows.render.output import clean

if TYPE_CHECKING:
    from flows.work import Done


def run_flow(kind: str, project: Project, *, quiet: bool, **parameters: object) -> tuple["Done", bool]:
    """What the flow did, and whether a question failed. Raises what the flow raises, e.g. InputError."""
    # The console has the progress lines; Prefect's own go to its server, and a traceback is raised here anyway.
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    quiet_end()
    enter(project)
    with _progress(quiet):
        from flows.left_open import close_left_open
        from flows.port import claim_port
        from flows.work import RunFailedError

        claim_port()
        close_left_open(project.folder)
        try:
            return _flow(kind)(folder=str(project.folder), **parameters), False
        except RunFailedError as failure:
            return failure.done, True


def _flow(kind: str) -> Callable[..., "Done"]:
    from flows.evaluate import evaluate
    from flows.ingest import ingest
    from flows.monitor import monitor
    from flows.pipeline import pipeline

    flows: dict[str, Callable[..., Done]] = {
        "ingest": ingest,
        "evaluate": evaluate,
        "monitor": monitor,
        "pipeline": pipeline,
    }
    return flows[kind]


@contextmanager
def _progress(quiet: bool) -> Iterator[None]:
    """Lines of the project's log on stderr, under a spinner while Prefect starts; nothing when quiet."""
    console = Console(stderr=True, highlight=False, quiet=quiet)
    handler = _Lines(console)
    log = logging.getLogger("kappaflow")
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with console.status("Starting Prefect ...") as status:
            handler.status = status.update
            yield
    finally:
        log.removeHandler(handler)


class _Lines(logging.Handler):
    """Each line of the log above the spinner."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.INFO)
        self.console = console
        self.status: Callable[[str], None] = lambda text: None

    def emit(self, record: logging.LogRecord) -> None:
        self.status("Working ...")
        self.console.print(
            clean(record.getMessage()),
            markup=False,
            style="red" if record.levelno >= logging.WARNING else "dim",
            soft_wrap=not self.console.is_terminal,  # in a log file a message is one line
        )
