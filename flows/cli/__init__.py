"""The command line: `kappaflow --help`.

Commands import what they need when they run, so that a command on a single file never waits for Prefect.
"""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from typer.exceptions import TyperException

from flows.cli import (
    audit_command,
    dashboard_command,
    history_commands,
    judges_command,
    maintenance_commands,
    plain_text,
    plan_command,
    project_commands,
    rejects_command,
    simulate_command,
    single_file_commands,
)
from flows.cli.alerts import alerts_command
from flows.cli.export import export_command
from flows.cli.gate import check_command
from flows.cli.help import help_command, usage_errors
from flows.cli.preferences import prefer_command
from flows.cli.raters import forget_command, scorecard_command
from stats.errors import StatsError
from tasks.errors import KappaflowError, printable
from warehouse.errors import WarehouseError

FAILED_WRITES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # errors of a write to stdout
app = typer.Typer(
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    help="How good are your annotators and your AI systems, when nobody has the right answers?",
    epilog="Start with [bold]kappaflow agree FILE[/bold] on an export you have, or [bold]kappaflow init[/bold].",
)
for group in (
    project_commands.app,
    single_file_commands.app,
    check_command.app,
    audit_command.app,
    dashboard_command.app,
    judges_command.app,
    prefer_command.app,
    plan_command.app,
    simulate_command.app,
    history_commands.app,
    rejects_command.app,
    maintenance_commands.app,
    scorecard_command.app,
    forget_command.app,
    export_command.app,
    help_command.app,
):
    app.add_typer(group)
app.add_typer(alerts_command.app, name="alerts")


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
    except TyperException as error:
        # Without arguments Typer has printed the help already, and its message is empty.
        if error.format_message():
            _print_error(*usage_errors.explain(error))
        sys.exit(error.exit_code)
    except SystemExit as ended:
        # Typer and rich end a program whose reader has ended with code 1.
        if isinstance(ended.__context__, BrokenPipeError):
            _end_quietly()
        raise
    except (KappaflowError, WarehouseError) as error:
        _print_error(str(error), error.hint, getattr(error, "lines", ()))
        sys.exit(1 if isinstance(error, WarehouseError) else 2)
    except StatsError as error:
        # The last sentence of the message says what to do.
        message, _, hint = str(error).rpartition(". ")
        _print_error(f"{message}." if message else hint, hint if message else "")
        sys.exit(2)
    except BrokenPipeError:
        _end_quietly()
    except OSError as error:
        if error.errno == errno.ELOOP:
            _print_loop_error(error.filename)
            sys.exit(2)
        if error.filename is None and error.errno not in FAILED_WRITES:
            raise
        if error.filename is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            _print_error(
                f"The output could not be written: {error.strerror}.", "Make room, or send the output elsewhere."
            )
        else:
            _print_error(f"{error.filename}: {error.strerror}.", "Check its permissions and the space left.")
        sys.exit(1)
    except RuntimeError as error:  # before Python 3.13 pathlib raises it for a loop of links
        if not isinstance(error.__cause__ or error.__context__, OSError) or "Symlink loop" not in str(error):
            raise
        _print_loop_error(getattr(error.__cause__ or error.__context__, "filename", None))
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _end_quietly() -> NoReturn:
    """End with code 0: `kappaflow sql ... | head` has a reader that has ended, which is not an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os._exit(0)  # an end by Python would write what is left to the closed pipe


def _print_loop_error(path: object) -> None:
    _print_error(f"{path} is a symbolic link that leads back to itself.", "Point it to a file or a folder.")


def _print_error(message: str, hint: str, lines: Sequence[str] = ()) -> None:
    """Print what is wrong, what to do, and `lines`, each on one line of stderr.

    Names in them come from files and from the command line, so control characters are replaced.
    """
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    with suppress(OSError):  # if stderr fails too, the exit code is still right
        console.print(printable(message), style="bold red", markup=False)
        for line in (hint, *lines) if hint else lines:
            console.print(printable(line), markup=False)
