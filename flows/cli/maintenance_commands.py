"""Commands that look after the warehouse: doctor, backup, compact."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def doctor(
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Remove half-written files of killed processes; make wrong views, macros and rating patterns anew.",
        ),
    ] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Check the warehouse, the snapshot and the names in kappaflow.toml: what is wrong, and what to do; exit 1 where
    something is.

    [bold]Examples[/bold]

    \b
      kappaflow doctor
      kappaflow doctor --fix
    """
    from flows.cli import maintenance_output
    from flows.project_folder import find_project
    from flows.settings.task_inputs import setting_names
    from tasks.setting_names import names_finding
    from warehouse.maintenance.doctor import examine

    here = find_project(project)
    folders = [here.warehouse.parent, here.published, here.backups]
    found = examine(here.warehouse, here.snapshot, folders, fix=fix)
    found += names_finding(here.warehouse, setting_names(here))
    if json:
        terminal.print_json(maintenance_output.findings_as_json(found, here.warehouse))
    else:
        maintenance_output.print_findings(found)
    if not all(finding.ok for finding in found):
        raise typer.Exit(1)


@app.command()
def backup(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PATH]", help="A file that ends in .duckdb, or a folder; else backups/ of the project."
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option("--keep", metavar="N", min=1, help="Remove all but the newest N backups of the folder."),
    ] = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Copy the warehouse as it is now to a file of its own, open the copy and check it; exit 1 where a check fails.

    [bold]Examples[/bold]

    \b
      kappaflow backup --keep 7
      kappaflow backup before-the-update.duckdb
    """
    from flows.cli import maintenance_output
    from flows.project_folder import find_project
    from warehouse.maintenance.backup import backup as copy_out

    here = find_project(project)
    target = here.backups if path is None else path
    if path is not None and path.resolve() == here.snapshot.resolve():
        raise InputError(f"{path} is the published snapshot.", "Name another file, or a folder.")
    if keep is not None and path is not None and path.suffix == ".duckdb" and not path.is_dir():
        raise InputError(
            "--keep counts the backups of a folder, but PATH is a file.", "Name a folder, or leave it out."
        )
    done = copy_out(here.warehouse, target, now=datetime.now(UTC), keep=keep)
    if json:
        terminal.print_json(maintenance_output.backup_as_json(done))
    else:
        maintenance_output.print_backup(done)
    if done.broken:
        raise typer.Exit(1)


@app.command()
def compact(project: opt.Folder = None, json: opt.Json = False) -> None:
    """Write the warehouse anew without the space that deleted rows have left, and publish it.

    [bold]Example[/bold]

    \b
      kappaflow compact
    """
    from flows.cli import maintenance_output
    from flows.project_folder import find_project
    from warehouse.maintenance.compact import compact as write_anew
    from warehouse.publish import publish

    here = find_project(project)
    done = write_anew(here.warehouse)
    if here.snapshot.exists():
        publish(here.warehouse, here.published, **here.publishing)
    if json:
        terminal.print_json(maintenance_output.compacted_as_json(done))
    else:
        maintenance_output.print_compacted(done)
