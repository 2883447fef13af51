"""What is checked before the first run of a project, which takes long to start and makes a warehouse."""

from collections.abc import Sequence
from contextlib import suppress
from os.path import lexists

from flows.cli.published_project import require_warehouse
from flows.project_folder import Project
from tasks.errors import InputError


def check_first_run(project: Project, kind: str, paths: Sequence[str]) -> None:
    """Raise InputError if there is no warehouse yet and the run would find nothing to read.

    So nothing is written into a folder that was meant for something else.
    """
    if kind == "evaluate":
        require_warehouse(project)
    if project.warehouse.exists() or paths:
        return
    from flows.settings.task_inputs import folder_sources
    from tasks.sources.folder import check_folder

    folders = folder_sources(project)
    if not project.settings_file.is_file() and not any(lexists(folder.path) for folder in folders):
        raise InputError(
            f"{project.folder} is not a project: it has neither kappaflow.toml nor a folder inbox.",
            "Make a project with `kappaflow init`, or name one with --project DIR.",
        )
    for folder in folders:
        with suppress(OSError):  # a folder that may not be read is a result of the run
            check_folder(folder)
