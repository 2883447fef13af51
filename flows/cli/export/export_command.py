"""The command that writes a table or view of the snapshot to a file: export."""

from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import published
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def export(
    view: Annotated[
        str | None, typer.Argument(metavar="[VIEW]", help="A table or view. Without it: the names of all.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, parquet, xlsx, md, json or jsonl. Default: the ending of FILE, else csv.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write to this file, and replace it if it exists. Default: stdout."),
    ] = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Write a table or view of the published snapshot to a file. A spreadsheet runs nothing in it.

    [bold]Examples[/bold]

    \b
      kappaflow export
      kappaflow export latest_agreement --out agreement.xlsx
      kappaflow export disagreement_queue --format md
    """
    from flows.cli.export.table_output import chosen_format, print_or_write
    from warehouse.errors import WarehouseError
    from warehouse.publish import read_table, table_names

    snapshot = published(project).snapshot
    if view is None:
        names = table_names(snapshot)
        terminal.print_json(names) if json else terminal.print_table([{"table or view": name} for name in names])
        return
    if json and format not in (None, "json"):
        raise InputError("--json and --format exclude each other.", "Give only one.")
    file_format = chosen_format("json" if json else format, out) or "csv"
    try:
        rows = read_table(snapshot, view)
    except WarehouseError as error:
        raise InputError(str(error), error.hint) from None
    print_or_write(rows, file_format, out)
