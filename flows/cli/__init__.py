"""The command line: `kappaflow --help`. Commands import what they need when they run, so that a bare-file command
never waits for Prefect."""

import os
import sys

import typer
from rich.console import Console
from typer.exceptions import TyperException

from flows.cli import care, design, experiments, files, history, project, rejects
from stats.errors import StatsError
from tasks.errors import KappaflowError, printable
from warehouse.errors import WarehouseError

app = typer.Typer(
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    help="How good are your annotators and your AI systems, when nobody has the right answers?",
    epilog="Start with [bold]kappaflow agree FILE[/bold] on an export you have, or [bold]kappaflow init[/bold].",
)
for part in (project.app, files.app, design.app, experiments.app, history.app, rejects.app, care.app):
    app.add_typer(part)


def main() -> None:
    """Run the command line; 0 done, 1 a run that failed, 2 bad input (one line of what is wrong, one of what to do)."""
    try:
        sys.exit(app(standalone_mode=False))
    except TyperException as error:
        # Without arguments Typer has printed the help already and has nothing to say.
        if said := error.format_message():
            command = " ".join(["kappaflow", *sys.argv[1:2]])
            _complain(f"{said.removesuffix('.')}.", f"See `{command} --help`.")
        sys.exit(error.exit_code)
    except (KappaflowError, WarehouseError) as error:
        _complain(str(error), error.hint)
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
        if error.filename is None:
            raise
        _complain(f"{error.filename}: {error.strerror}.", "Check its permissions and the space left.")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _complain(message: str, hint: str) -> None:
    """Two lines, whatever the names in them hold: they may come from a file, or from the command line."""
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(printable(message), style="bold red", markup=False)
    if hint:
        console.print(printable(hint), markup=False)
