"""The command that withdraws files."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import with_warehouse
from tasks.errors import InputError

if TYPE_CHECKING:
    from flows.project_folder import Project
    from tasks.sources.withdraw_file import FileName, Withdrawal

app = typer.Typer()


@app.command()
def withdraw(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="Names of files, or the beginnings of their batch_id."),
    ],
    because: Annotated[
        str | None, typer.Option("--because", metavar="TEXT", help="Why. It is stored in batches.detail.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", metavar="NAME", help="Who does it. Default: login name.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Have withdrawn files taken in again by the next run.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also if other files repeat rows of the file, which are lost with it.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would no longer count.")] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Withdraw files that were taken in by mistake: none of their ratings counts any more.

    The ratings stay in the table ratings, with deleted_at. Ratings that they had replaced count again. Runs do not take
    the files in again, also if they stay in the inbox. The next run evaluates the questions and publishes.

    [bold]Examples[/bold]

    \b
      kappaflow withdraw test.csv --dry-run
      kappaflow withdraw test.csv --because "a test export"
      kappaflow withdraw test.csv --undo
    """
    from flows.settings.task_inputs import ingest_rules
    from tasks.monitor.act_on_alerts import login_name
    from tasks.sources.withdraw_file import plan_withdrawal, undo_withdrawal, withdraw_files

    if undo and (dry_run or force or because or by):
        raise InputError("--undo goes with no other option.", "Leave the others out.")
    loaded_project = with_warehouse(project)
    warehouse, names = loaded_project.warehouse, [_file_name(loaded_project, file) for file in files]
    if undo:
        withdrawals = undo_withdrawal(warehouse, names)
    elif dry_run:
        withdrawals = plan_withdrawal(warehouse, names, force=force)
    else:
        rules = ingest_rules(loaded_project).duplicates
        by = by or login_name()
        withdrawals = withdraw_files(warehouse, names, by=by, because=because, rules=rules, force=force)
    if json:
        terminal.print_json({"files": [asdict(each) for each in withdrawals], "dry_run": dry_run, "undone": undo})
    elif undo:
        for withdrawal in withdrawals:
            terminal.line(f"{withdrawal.file_name} is no longer withdrawn.")
        terminal.note("The next `kappaflow run` takes in what is in its source.")
        for path in _missing_files(loaded_project, withdrawals):
            terminal.note(f"{path} does not exist. Put the file there again, or nothing of it will count.")
    else:
        _print(withdrawals, dry_run=dry_run)


def _file_name(project: "Project", file: str) -> "FileName":
    """Return the name that a file has in its source, if it is a path into one. Else it is that name, or a batch_id."""
    from flows.settings.task_inputs import folder_sources
    from tasks.sources.withdraw_file import FileName

    path = Path(file).resolve()
    is_path = "/" in file or path.exists()  # else a batch_id would be read as a path if the current folder is a source
    for source in folder_sources(project) if is_path else []:
        folder = source.path.resolve()
        if path.is_relative_to(folder):
            return FileName(file if path == folder else path.relative_to(folder).as_posix(), source.name)
    return FileName(file)


def _missing_files(project: "Project", withdrawals: "list[Withdrawal]") -> list[Path]:
    """Return the places in folders of the project where files would be if they were still in their source."""
    from flows.settings.task_inputs import folder_sources

    folders = {source.name: source.path for source in folder_sources(project)}
    paths = [folders[each.source] / each.file_name for each in withdrawals if each.source in folders]
    return [path for path in paths if not path.exists() and not any(parent.is_file() for parent in path.parents)]


def _print(withdrawals: "list[Withdrawal]", *, dry_run: bool) -> None:
    rows = [
        {"file": withdrawal.file_name, "source": withdrawal.source, "question": question, "ratings": n_ratings}
        for withdrawal in withdrawals
        for question, n_ratings in (withdrawal.questions or {"": 0}).items()
    ]
    terminal.heading(f"Ratings of these files {'would no longer count' if dry_run else 'no longer count'}")
    terminal.print_table(rows)
    if any(withdrawal.has_metadata for withdrawal in withdrawals):
        terminal.note("Metadata of items, such as slices, stays as these files set it, until another file sets it.")
    if dry_run:
        return
    terminal.note("The next `kappaflow run` evaluates the questions and publishes. Until then, pages show them.")
    if any(withdrawal.is_answers for withdrawal in withdrawals):
        terminal.note("If you want the answers back, give the file to the same command as before.")
    if not all(withdrawal.is_answers for withdrawal in withdrawals):
        terminal.note("Runs do not take the files in again. If you want them back, give the same names with --undo.")
