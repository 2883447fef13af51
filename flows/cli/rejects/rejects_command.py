"""The command that lists rejected rows."""

from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.command_hints import project_option
from flows.cli.published_project import published
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def rejects(
    file: Annotated[str | None, typer.Option("--file", metavar="NAME", help="Only rows of this file.")] = None,
    question: Annotated[str | None, opt.question_option("Only of this question.")] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="CODE", help="Only for this reason; see `kappaflow help formats`.")
    ] = None,
    all_attempts: Annotated[
        bool, typer.Option("--all-attempts", help="Also rows that earlier attempts to read a file rejected.")
    ] = False,
    project: opt.Folder = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV, safe to open in a spreadsheet.")] = False,
    json: opt.Json = False,
) -> None:
    """List the rejected rows: how many for each reason, and each row with its place, its value and what is wrong.

    [bold]Examples[/bold]

    \b
      kappaflow rejects
      kappaflow rejects --file crowd.csv --reason unknown_label
      kappaflow rejects --csv > rejects.csv
    """
    from flows.cli.rejects import rejects_output as show
    from tasks.ingest.rejected_rows import read_rejects

    if csv and json:
        raise InputError("--csv and --json exclude each other.", "Give only one.")
    loaded_project = published(project)
    rejected_rows = read_rejects(
        loaded_project.snapshot, file=file, question=question, reason=reason, all_attempts=all_attempts
    )
    if json:
        terminal.print_json(show.as_json(rejected_rows))
    elif csv:
        terminal.print_csv(rejected_rows.rows)
    else:
        show.print_rejects(rejected_rows, project_option(loaded_project.folder))
