"""The command line: `kappaflow --help`.

The module of a command is imported when the command is called (flows.cli.help.lazy_group). Commands import what they
need when they run, so that a command on a single file never waits for Prefect.
"""

import errno
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Annotated, NoReturn

import typer
from typer.exceptions import TyperException

from flows.cli import plain_text
from flows.cli.command_hints import with_project
from flows.cli.help.lazy_group import LazyGroup

FAILED_WRITES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # errors of a write to stdout
app = typer.Typer(
    cls=LazyGroup,
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    help="How good are your annotators and your AI systems, when nobody has the right answers?",
    epilog="Start with [bold]kappaflow agree FILE[/bold] on an export you have, or [bold]kappaflow init[/bold].",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"kappaflow {version('kappaflow')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """How good are your annotators and your AI systems, when nobody has the right answers?"""


def main() -> None:
    """Run the command line and exit: 0 done, 1 a failed run or a finding, 2 bad input, 3 unjudged (`check`).

    Bad input gets one line on what is wrong and one line on what to do.
    """
    plain_text.prepare()
    try:
        code = app(prog_name="kappaflow", standalone_mode=False)
        sys.stdout.flush()  # a full disk shows here, and not when Python ends
        sys.exit(code)
    except SystemExit as ended:
        # Typer and rich end a program whose reader has ended with code 1.
        if isinstance(ended.__context__, BrokenPipeError):
            _end_quietly()
        raise
    except BrokenPipeError:
        _end_quietly()
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        code = _explain(error)
        if code is None:
            raise
        sys.exit(code)


def _explain(error: Exception) -> int | None:
    """Print what is wrong and what to do, and return the exit code. Return None for an error of kappaflow itself."""
    from stats.errors import StatsError
    from tasks.errors import KappaflowError
    from warehouse.errors import WarehouseError

    if isinstance(error, TyperException):
        from flows.cli.help import usage_errors

        # Without arguments Typer has printed the help already, and its message is empty.
        if error.format_message():
            _print_error(*usage_errors.explain(error))
        return error.exit_code
    if isinstance(error, KappaflowError | WarehouseError):
        _print_error(str(error), error.hint, getattr(error, "lines", ()))
        return 1 if isinstance(error, WarehouseError) else 2
    if isinstance(error, StatsError):
        # The last sentence of the message says what to do.
        message, _, hint = str(error).rpartition(". ")
        _print_error(f"{message}." if message else hint, hint if message else "")
        return 2
    if isinstance(error, OSError):
        return _explain_system_error(error)
    if isinstance(error, ModuleNotFoundError):
        return _explain_missing_package(error)
    if isinstance(error, RuntimeError):  # before Python 3.13 pathlib raises it for a loop of links
        cause = error.__cause__ or error.__context__
        if isinstance(cause, OSError) and "Symlink loop" in str(error):
            _print_loop_error(cause.filename)
            return 2
    return None


def _explain_missing_package(error: ModuleNotFoundError) -> int | None:
    if find_spec("prefect") is not None:  # all is installed: the mistake is ours
        return None
    _print_error(
        f"This needs the Python package {error.name!r}, which is not among those of the small installation.",
        "Install the rest: pip install 'kappaflow[pipeline]'.",
    )
    return 2


def _explain_system_error(error: OSError) -> int | None:
    if error.errno == errno.ELOOP:
        _print_loop_error(error.filename)
        return 2
    if error.filename is not None:
        _print_error(f"{error.filename}: {error.strerror}.", "Check its permissions and the space left.")
        return 1
    if error.errno in FAILED_WRITES:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        _print_error(f"The output could not be written: {error.strerror}.", "Make room, or send the output elsewhere.")
        return 1
    return None


def _end_quietly() -> NoReturn:
    """End with code 0: `kappaflow sql ... | head` has a reader that has ended, which is not an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os._exit(0)  # a normal end of Python would write the rest to the closed pipe


def _print_loop_error(path: object) -> None:
    _print_error(f"{path} is a symbolic link that leads back to itself.", "Point it to a file or a folder.")


def _print_error(message: str, hint: str, lines: Sequence[str] = ()) -> None:
    """Print what is wrong, what to do, and `lines`, each on one line of stderr.

    Names in them come from files and from the command line, so control characters are replaced.
    """
    from rich.console import Console

    from tasks.errors import printable

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        console.print(printable(message), style="bold red", markup=False)
        for line in (hint, *lines) if hint else lines:
            console.print(printable(with_project(line)), markup=False)
    except OSError:  # what Python would write to stderr at the end would fail again, and change the exit code
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
