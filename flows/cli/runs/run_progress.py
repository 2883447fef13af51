"""Show on stderr how far a run is: a line for each finished step, and on a terminal a spinner with the present one."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from enum import Enum
from typing import TYPE_CHECKING

from flows.cli.terminal import one_line

if TYPE_CHECKING:
    from rich.console import Console

STARTING = "Starting Prefect"
SILENCE = 15.0  # seconds without a line, after which a log file says that the run still works


class Detail(Enum):
    """What is printed: each step as it begins, the result of each file and question, or warnings only."""

    STEPS = logging.DEBUG
    RESULTS = logging.INFO
    SPINNER = logging.WARNING


@contextmanager
def run_progress(*, quiet: bool, detail: Detail = Detail.RESULTS, step: str = STARTING) -> Iterator[None]:
    """Show the project's log lines in the block, or nothing if quiet. `step` is what it begins with.

    The log `kappaflow.steps` names the step that begins now. Its lines are printed only with Detail.STEPS.
    """
    # Prefect's log lines go to its server, and errors are raised here anyway.
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    log, step_log = logging.getLogger("kappaflow"), logging.getLogger("kappaflow.steps")
    step_log.propagate = False  # Prefect's server need not store them
    if quiet:
        with _handled(logging.NullHandler(), log, step_log):
            yield
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    lines = _Lines(console, detail, step=step)
    # The usual spinner needs characters that not every terminal has.
    spinner = "dots" if console.encoding.startswith("utf") else "line"
    # In a log file there is no spinner: it would write an empty line, also into a file on a full disk.
    spinning = console.status(f"{escaped(step)} ...", spinner=spinner) if console.is_terminal else nullcontext()
    ended = threading.Event()
    try:
        with _handled(lines, log, step_log), spinning as status:
            if status is not None:
                lines.status = status.update
            threading.Thread(target=lines.tick, args=(ended,), daemon=True).start()
            yield
    finally:
        ended.set()


@contextmanager
def _handled(handler: logging.Handler, log: logging.Logger, step_log: logging.Logger) -> Iterator[None]:
    """Send the lines of both logs to the handler in the block."""
    for each, level in ((log, logging.INFO), (step_log, logging.DEBUG)):
        each.addHandler(handler)
        each.setLevel(level)
    try:
        yield
    finally:
        for each in (log, step_log):
            each.removeHandler(handler)


class _Lines(logging.Handler):
    """Print each line of the log above the spinner. The spinner shows the step at work and its seconds."""

    def __init__(self, console: "Console", detail: Detail = Detail.RESULTS, *, step: str = STARTING) -> None:
        super().__init__(logging.DEBUG)
        self.console = console
        self.detail = detail
        self.status: Callable[[str], None] = lambda text: None
        self.step = step
        self.step_since = self.line_at = time.monotonic()
        self.silence = SILENCE

    def emit(self, record: logging.LogRecord) -> None:
        text = one_line(record.getMessage())
        if record.levelno < logging.INFO:
            self.step, self.step_since = text, time.monotonic()
            self.status(f"{escaped(text)} ...")
        if record.levelno >= self.detail.value:
            self._print(text, "red" if record.levelno >= logging.WARNING else "dim")

    def tick(self, ended: threading.Event) -> None:
        """Show each second how long the step has lasted; in a log file, print it after SILENCE seconds."""
        while not ended.wait(1):
            now = time.monotonic()
            text = f"{self.step} ... {now - self.step_since:.0f} s"
            if self.console.is_terminal:
                self.status(escaped(text))
            elif now - self.line_at >= self.silence:
                self.silence *= 2  # a log file of hours has few such lines
                self._print(text, "dim")

    def _print(self, text: str, style: str) -> None:
        self.line_at = time.monotonic()
        with suppress(OSError):  # the disk of a log file may be full; the run goes on
            soft_wrap = not self.console.is_terminal  # in a log file a message is one line
            self.console.print(text, markup=False, style=style, soft_wrap=soft_wrap)


def escaped(text: str) -> str:
    """Return text that rich prints as it is: the spinner's text is markup."""
    return text.replace("[", "\\[")
