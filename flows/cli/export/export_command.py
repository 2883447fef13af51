"""The command that writes a table or view of the snapshot to a file: export."""

from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.published_project import published
from flows.project_folder import Project
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def export(
    view: Annotated[
        str | None, typer.Argument(metavar="[VIEW]", help="A table or view. Default: list their names.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="csv, parquet, xlsx, md, json or jsonl. Default: the ending of FILE, else csv.",
        ),
    ] = None,
    out: opt.OutFile = None,
    dbt_sources: Annotated[
        Path | None,
        typer.Option(
            "--dbt-sources", metavar="FILE", help="Describe all tables and views in this file, as sources for dbt."
        ),
    ] = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Write a table or view of the published snapshot to a file. No text in it runs as a formula in a spreadsheet.

    [bold]Examples[/bold]

    \b
      kappaflow export
      kappaflow export latest_agreement --out agreement.xlsx
      kappaflow export disagreement_queue --format md
      kappaflow export --dbt-sources models/kappaflow.yml
    """
    from flows.cli.export.table_output import chosen_format, print_or_write
    from warehouse.errors import WarehouseError
    from warehouse.publication.snapshot import read_table, table_names

    if dbt_sources is not None:
        if view is not None or format is not None or out is not None or json:
            raise InputError("--dbt-sources writes its own file.", "Leave out VIEW, --format, --out and --json.")
        _write_dbt_sources(published(project), dbt_sources)
        return
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


def _write_dbt_sources(project: Project, path: Path) -> None:
    """Write the sources of dbt. Their schema is that of the first Postgres target, if the settings have one."""
    from tasks.atomic_files import write_atomically
    from tasks.export import dbt_sources as sources

    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(
            f"{path} cannot be written: " + ("it is a folder." if path.is_dir() else "there is no such folder."),
            "Name a file in your dbt project, such as models/kappaflow.yml.",
        )
    schemas = [target.schema_ for target in project.settings.publish.target if target.type == "postgres"]
    write_atomically(path, sources.dbt_sources(project.snapshot, schema=schemas[0] if schemas else sources.SCHEMA))
    terminal.line(f"wrote {path}")
