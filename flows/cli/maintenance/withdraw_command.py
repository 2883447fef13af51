"""The command that withdraws a file."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import with_warehouse
from tasks.errors import InputError

if TYPE_CHECKING:
    from tasks.sources.withdraw_file import Withdrawal

app = typer.Typer()


@app.command()
def withdraw(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The name of the file, or the beginning of its batch_id.")
    ],
    because: Annotated[
        str | None, typer.Option("--because", metavar="TEXT", help="Why. It is stored in batches.detail.")
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="NAME", help="Who does it. Default: the login name.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Have a withdrawn file taken in again by the next run.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would no longer count.")] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Withdraw a file that was taken in by mistake: none of its rows counts any more.

    The rows stay in the table ratings, with deleted_at. Ratings that they had replaced count again. Runs do not take
    the file in again, also if it stays in the inbox. The next run evaluates the questions.

    [bold]Examples[/bold]

    \b
      kappaflow withdraw test.csv --dry-run
      kappaflow withdraw test.csv --because "a test export"
      kappaflow withdraw test.csv --undo
    """
    from flows.settings.task_inputs import ingest_rules
    from tasks.monitor.act_on_alerts import login_name
    from tasks.sources.withdraw_file import plan_withdrawal, undo_withdrawal, withdraw_file

    if undo and dry_run:
        raise InputError("--undo and --dry-run do not go together.", "Leave one of them out.")
    loaded_project = with_warehouse(project)
    warehouse = loaded_project.warehouse
    if undo:
        result = undo_withdrawal(warehouse, file)
    elif dry_run:
        result = plan_withdrawal(warehouse, file)
    else:
        rules = ingest_rules(loaded_project).duplicates
        result = withdraw_file(warehouse, file, by=by or login_name(), because=because, rules=rules)
    if json:
        terminal.print_json({**asdict(result), "dry_run": dry_run, "undone": undo})
    elif undo:
        terminal.line(f"{result.file_name} is no longer withdrawn.")
        terminal.note("The next `kappaflow run` takes it in, if it is in its source.")
    else:
        _print(result, dry_run=dry_run)


def _print(withdrawal: "Withdrawal", *, dry_run: bool) -> None:
    rows = [{"question": name, "rows": n_rows} for name, n_rows in withdrawal.questions.items()]
    state = "would no longer count" if dry_run else "no longer count"
    terminal.heading(f"Rows of {withdrawal.file_name} that {state}")
    terminal.print_table(rows)
    if not dry_run:
        terminal.note("The next `kappaflow run` evaluates the questions.")
        if withdrawal.is_answers:
            terminal.note("If you want the answers back, give the file to the same command as before.")
        else:
            terminal.note("The file is not taken in again. If you want it back, give the same command with --undo.")
