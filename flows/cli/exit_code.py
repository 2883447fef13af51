"""End a command with a code that is known before its output is printed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def exit_code(code: int) -> Iterator[None]:
    """Let the block print, then end the command with this code.

    The code holds also if the reader of the output ends early: `kappaflow check | head` must not hide a finding.
    """
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the rest of the output goes nowhere
    if code:
        raise typer.Exit(code)
