"""The project that a command reads: with published results, or with a warehouse."""

from pathlib import Path
from typing import TYPE_CHECKING

from tasks.errors import InputError

if TYPE_CHECKING:
    from flows.project_folder import Project


def published(folder: Path | None, *, any_version: bool = False) -> "Project":
    """Return the project. Raises InputError if it has not been run yet.

    Unless any_version is true, raises it also if the project has not been run since kappaflow was updated.
    """
    from flows.project_folder import find_project
    from warehouse.connect import connect
    from warehouse.errors import UnreadableWarehouseError, WarehouseError
    from warehouse.migrate import pending

    loaded_project = find_project(folder)
    if not loaded_project.snapshot.exists():
        if loaded_project.warehouse.exists():
            raise InputError(
                f"Nothing is published in {loaded_project.folder}, although it has a warehouse.",
                "Run `kappaflow run`: it does what is left to do, and publishes the warehouse.",
            )
        from flows.settings.task_inputs import folder_sources  # loads all that evaluates: most of a second

        folders = folder_sources(loaded_project)
        raise InputError(
            f"Nothing is published in {loaded_project.folder} yet.",
            f"Put exports into {folders[0].path} and run `kappaflow run`." if folders else "Run `kappaflow run`.",
        )
    try:
        with connect(loaded_project.snapshot, read_only=True) as con:
            is_older = not any_version and bool(pending(con))
    except UnreadableWarehouseError as error:
        raise WarehouseError(
            f"The snapshot {loaded_project.snapshot} is not a DuckDB file, or is damaged.",
            "Run `kappaflow run`: it publishes the warehouse again, which is another file.",
        ) from error
    if is_older:
        raise InputError(
            f"The snapshot {loaded_project.snapshot} was published by an earlier version of kappaflow.",
            "Run `kappaflow run` once: it brings the warehouse up to date, with all its ratings, and publishes it.",
        )
    return loaded_project


def with_warehouse(folder: Path | None) -> "Project":
    """Return the project. Raises InputError if it has no warehouse, before anything is written."""
    from flows.project_folder import find_project

    project = find_project(folder)
    require_warehouse(project)
    return project


def require_warehouse(project: "Project") -> None:
    """Raise InputError if the project has no warehouse."""
    if not project.warehouse.exists():
        raise InputError(
            f"There is no warehouse in {project.folder}.",
            "Name the project folder with --project DIR, or make a warehouse with `kappaflow run`.",
        )
