"""The project folder: where it is, and the paths in it."""

import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flows.settings.model import FILE_NAME, Settings, load_settings
from tasks.errors import SettingsError
from warehouse.memory_limit import limit_memory

CODE_VERSION = version("kappaflow")
SERVED = "KAPPAFLOW_SERVED"  # set in the processes of `kappaflow serve`, whose runs may use no other folder


@dataclass(frozen=True)
class Project:
    """One project folder and its settings."""

    folder: Path
    settings: Settings

    @property
    def settings_file(self) -> Path:
        """The settings. A project need not have any."""
        return self.folder / FILE_NAME

    @property
    def warehouse(self) -> Path:
        """The warehouse."""
        return self.folder / self.settings.warehouse.path

    @property
    def published(self) -> Path:
        """The folder that readers use."""
        return self.folder / "published"

    @property
    def snapshot(self) -> Path:
        """The copy of the warehouse that readers query."""
        return self.published / "snapshot.duckdb"

    @property
    def publishing(self) -> dict[str, Any]:
        """Return the options of `warehouse.publication.snapshot.publish`."""
        return self.settings.publish.model_dump(include={"parquet", "keep"})

    @property
    def backups(self) -> Path:
        """The folder of the backups."""
        return self.folder / "backups"

    @property
    def report(self) -> Path:
        """The report."""
        return self.folder / "report.html"

    @property
    def objects(self) -> Path:
        """Return the folder for object stores: copies while they are read, and the list of known objects."""
        return self.folder / ".kappaflow" / "objects"

    @property
    def publications(self) -> Path:
        """Return the file that says what became of each `[[publish.target]]`."""
        return self.folder / ".kappaflow" / "publications.json"

    @property
    def prefect_home(self) -> Path:
        """Return the folder of Prefect's own database and logs."""
        return self.folder / ".kappaflow" / "prefect"

    def password_file(self, port: int) -> Path:
        """Return the file with the password of Prefect's server on this port, while `kappaflow serve` runs."""
        return self.folder / ".kappaflow" / f"prefect-password-{port}"


def find_project(folder: Path | str | None = None) -> Project:
    """Return the project in `folder` (--project DIR), else in KAPPAFLOW_HOME.

    Without both, return the project of the current folder or of its nearest parent with a kappaflow.toml, else the
    current folder. From then on this process keeps to the `[limits] memory` of the project. Raises SettingsError if
    `folder` or KAPPAFLOW_HOME does not exist or has a question mark in its path, if kappaflow.toml is wrong, or if
    `kappaflow serve` serves another project.
    """
    name = folder or os.environ.get("KAPPAFLOW_HOME")
    path = Path(name) if name else None
    if path is not None and path.exists() and not path.is_dir():
        raise SettingsError(f"{path} is a file, not the folder of a project.", "Name the folder with kappaflow.toml.")
    if path is not None and not path.is_dir():
        raise SettingsError(f"There is no folder {path}.", f"Make it with `kappaflow init {path}`.")
    project_folder = (path or nearest_project(Path.cwd())).resolve()
    require_usable_path(project_folder)
    served = os.environ.get(SERVED)
    if served and project_folder != Path(served):
        raise SettingsError(
            f"This process serves the project in {served}, not {project_folder}.",
            "Start another `kappaflow serve` for it.",
        )
    project = Project(project_folder, load_settings(project_folder))
    limit_memory(project.settings.limits.memory)
    return project


def require_usable_path(folder: Path) -> None:
    """Raise SettingsError if there is a question mark in the path: DuckDB and SQLite end a path there."""
    if "?" in str(folder):
        raise SettingsError(
            f"A project cannot be at {folder}: its databases do not allow a question mark in their path.",
            "Rename the folder.",
        )


def nearest_project(start: Path) -> Path:
    """Return the folder `start` or its nearest parent with a kappaflow.toml, else `start`."""
    return next((folder for folder in (start, *start.parents) if (folder / FILE_NAME).is_file()), start)
