"""The command line: `kappaflow --help`. Commands import what they need when they run, so that a bare-file command
never waits for Prefect."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import typer
from rich.console import Console
from typer.exceptions import TyperException

from flows.cli import (
    history_commands,
    maintenance_commands,
    plain_text,
    plan_command,
    project_commands,
    rejects_command,
    simulate_command,
    single_file_commands,
)
from stats.errors import StatsError
from tasks.errors import KappaflowError, printable
from warehouse.errors import WarehouseError

OUTPUT_LOST = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # of a write to stdout
app = typer.Typer(
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="How good are your annotators and your AI systems, when nobody has the right answers?",
    epilog="Start with [bold]kappaflow agree FILE[/bold] on an export you have, or [bold]kappaflow init[/bold].",
)
for part in (
    project_commands.app,
    single_file_commands.app,
    plan_command.app,
    simulate_command.app,
    history_commands.app,
    rejects_command.app,
    maintenance_commands.app,
):
    app.add_typer(part)


def main() -> None:
    """Run the command line; 0 done, 1 a run that failed, 2 bad input (one line of what is wrong, one of what to do)."""
    plain_text.prepare()
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()  # what does not fit is seen here, not when Python ends
        sys.exit(code)
    except TyperException as error:
        # Without arguments Typer has printed the help already and has nothing to say.
        if said := error.format_message():
            command = " ".join(["kappaflow", *sys.argv[1:2]])
            _complain(f"{said.removesuffix('.')}.", f"See `{command} --help`.")
        sys.exit(error.exit_code)
    except (KappaflowError, WarehouseError) as error:
        _complain(str(error), error.hint, getattr(error, "lines", ()))
        sys.exit(1 if isinstance(error, WarehouseError) else 2)
    except StatsError as error:
        # Its last sentence says what to do.
        message, _, hint = str(error).rpartition(". ")
        _complain(f"{message}." if message else hint, hint if message else "")
        sys.exit(2)
    except BrokenPipeError:
        # `kappaflow sql ... | head`: the reader has gone; nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if error.errno == errno.ELOOP:
            _complain_of_loop(error.filename)
            sys.exit(2)
        if error.filename is None and error.errno not in OUTPUT_LOST:
            raise
        if error.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            _complain(f"The output could not be written: {error.strerror}.", "Make room, or send it elsewhere.")
        else:
            _complain(f"{error.filename}: {error.strerror}.", "Check its permissions and the space left.")
        sys.exit(1)
    except RuntimeError as error:  # pathlib's for a loop, before Python 3.13
        if not isinstance(error.__cause__ or error.__context__, OSError) or "Symlink loop" not in str(error):
            raise
        _complain_of_loop(getattr(error.__cause__ or error.__context__, "filename", None))
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _complain_of_loop(path: object) -> None:
    _complain(f"{path} is a symbolic link that leads back to itself.", "Let it point to a file or a folder.")


def _complain(message: str, hint: str, lines: Sequence[str] = ()) -> None:
    """Two lines, whatever the names in them hold: they may come from a file, or from the command line; and below them
    what the file holds, where that is the question."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with suppress(OSError):  # where nothing can be said, the exit code still tells
        console.print(printable(message), style="bold red", markup=False)
        for line in (hint, *lines) if hint else lines:
            console.print(printable(line), markup=False)
