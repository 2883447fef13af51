"""The project folder: where it is, and the paths in it."""

import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flows.settings.model import FILE_NAME, Settings, load_settings
from tasks.errors import SettingsError

CODE_VERSION = version("kappaflow")
SERVED = "KAPPAFLOW_SERVED"  # set in the processes of `kappaflow serve`: runs may ask for no other folder


@dataclass(frozen=True)
class Project:
    """One project folder and its settings."""

    folder: Path
    settings: Settings

    @property
    def warehouse(self) -> Path:
        return self.folder / self.settings.warehouse.path

    @property
    def published(self) -> Path:
        return self.folder / "published"

    @property
    def snapshot(self) -> Path:
        return self.published / "snapshot.duckdb"

    @property
    def publishing(self) -> dict[str, Any]:
        """The options of `warehouse.publish.publish`."""
        return self.settings.publish.model_dump()

    @property
    def backups(self) -> Path:
        return self.folder / "backups"

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def objects(self) -> Path:
        """What is kept of object stores: copies while they are read, and what is known of the objects."""
        return self.folder / ".kappaflow" / "objects"

    @property
    def prefect_home(self) -> Path:
        """Prefect's own database and logs, kept with the project."""
        return self.folder / ".kappaflow" / "prefect"

    def password_file(self, port: int) -> Path:
        """The password of Prefect's server on this port, while `kappaflow serve` runs."""
        return self.folder / ".kappaflow" / f"prefect-password-{port}"


def find_project(folder: Path | str | None = None) -> Project:
    """The project of --project DIR, else KAPPAFLOW_HOME, else of the current folder or its nearest parent
    with a kappaflow.toml, else the current folder.

    Raises SettingsError when a folder that was named does not exist, or its kappaflow.toml is wrong, or it is not the
    one that `kappaflow serve` serves.
    """
    name = folder or os.environ.get("KAPPAFLOW_HOME")
    named = Path(name) if name else None
    if named is not None and not named.is_dir():
        raise SettingsError(f"There is no folder {named}.", f"Make it with `kappaflow init {named}`.")
    here = (named or _nearest(Path.cwd())).resolve()
    served = os.environ.get(SERVED)
    if served and here != Path(served):
        raise SettingsError(
            f"This process serves the project in {served}, not {here}.", "Start another `kappaflow serve` for it."
        )
    return Project(here, load_settings(here))


def _nearest(start: Path) -> Path:
    return next((up for up in (start, *start.parents) if (up / FILE_NAME).is_file()), start)
