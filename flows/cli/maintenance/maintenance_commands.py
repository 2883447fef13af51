"""Commands for the maintenance of the warehouse: doctor, backup, compact."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import options as opt
from flows.cli import terminal
from flows.cli.exit_code import exit_code
from flows.cli.published_project import with_warehouse
from tasks.errors import InputError

app = typer.Typer()


@app.command()
def doctor(
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Remove incomplete files of killed processes. Rebuild wrong views, macros and rating patterns.",
        ),
    ] = False,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Check the warehouse, the snapshot and the names in kappaflow.toml, and say what to do. Exit 1 if something is
    wrong.

    [bold]Examples[/bold]

    \b
      kappaflow doctor
      kappaflow doctor --fix
    """
    from flows.cli.maintenance import maintenance_output
    from flows.project_folder import find_project
    from flows.settings.task_inputs import monitoring_configs, setting_names
    from tasks.monitor.chart_check import charts_finding
    from tasks.raters.returned_raters import returned_finding
    from tasks.setting_names import names_finding
    from warehouse.maintenance.doctor import examine

    loaded_project = find_project(project)
    folders = [loaded_project.warehouse.parent, loaded_project.published, loaded_project.backups]
    findings = examine(loaded_project.warehouse, loaded_project.snapshot, folders, fix=fix)
    findings += charts_finding(loaded_project.warehouse, monitoring_configs(loaded_project), fix=fix)
    findings += returned_finding(loaded_project.warehouse)
    findings += names_finding(loaded_project.warehouse, setting_names(loaded_project))
    with exit_code(0 if all(finding.ok for finding in findings) else 1):
        if json:
            terminal.print_json(maintenance_output.findings_as_json(findings, loaded_project.warehouse))
        else:
            maintenance_output.print_findings(findings)


@app.command()
def backup(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PATH]", help="A file that ends in .duckdb, or a folder. Default: backups/ of the project."
        ),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option("--keep", metavar="N", min=1, help="Remove all but the newest N backups of the folder."),
    ] = None,
    project: opt.Folder = None,
    json: opt.Json = False,
) -> None:
    """Copy the warehouse to a new file, open the copy and check it. Exit 1 if a check fails.

    [bold]Examples[/bold]

    \b
      kappaflow backup --keep 7
      kappaflow backup before-the-update.duckdb
    """
    from flows.cli.maintenance import maintenance_output
    from warehouse.maintenance.backup import backup as write_backup

    loaded_project = with_warehouse(project)
    target = loaded_project.backups if path is None else path
    if path is not None and path.resolve() == loaded_project.warehouse.resolve():
        raise InputError(f"{path} is the warehouse itself.", "Choose another file, or a folder.")
    if path is not None and path.resolve() == loaded_project.snapshot.resolve():
        raise InputError(f"{path} is the published snapshot.", "Choose another file, or a folder.")
    if keep is not None and path is not None and path.suffix == ".duckdb" and not path.is_dir():
        raise InputError(
            "--keep counts the backups of a folder, but PATH is a file.", "Give a folder, or leave PATH out."
        )
    result = write_backup(loaded_project.warehouse, target, now=datetime.now(UTC), keep=keep)
    with exit_code(1 if result.broken else 0):
        if json:
            terminal.print_json(maintenance_output.backup_as_json(result))
        else:
            maintenance_output.print_backup(result)


@app.command()
def compact(project: opt.Folder = None, json: opt.Json = False) -> None:
    """Rewrite the warehouse without the space of deleted rows, and publish it.

    [bold]Example[/bold]

    \b
      kappaflow compact
    """
    from flows.cli.maintenance import maintenance_output
    from warehouse.maintenance.compact import compact as rewrite
    from warehouse.publication.snapshot import publish

    loaded_project = with_warehouse(project)
    result = rewrite(loaded_project.warehouse)
    if loaded_project.snapshot.exists():
        publish(loaded_project.warehouse, loaded_project.published, **loaded_project.publishing)
    if json:
        terminal.print_json(maintenance_output.compacted_as_json(result))
    else:
        maintenance_output.print_compacted(result)
