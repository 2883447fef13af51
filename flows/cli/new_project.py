"""`kappaflow init`: the files of a new project folder."""

from pathlib import Path

from flows.project_folder import require_usable_path
from flows.settings.model import FILE_NAME
from flows.settings.sources import SourceSettings
from flows.settings.template import settings_template
from tasks.errors import InputError


def create_project(folder: Path) -> list[Path]:
    """Make the folder, a commented kappaflow.toml and the inbox. Return the two paths.

    Raises InputError where there is a kappaflow.toml already: no file of a user is overwritten.
    """
    require_usable_path(folder.resolve())
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file, and a project is a folder.", "Name a folder, new or old.")
    settings = folder / FILE_NAME
    if settings.exists():
        raise InputError(f"{settings} exists already.", "Choose another folder, or remove that file first.")
    inbox = folder / SourceSettings().path
    if inbox.exists() and not inbox.is_dir():
        raise InputError(
            f"{inbox} is a file, and a project needs a folder there.", "Move it away, or choose another folder."
        )
    try:
        inbox.mkdir(parents=True, exist_ok=True)
        settings.write_text(settings_template(), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}.", "Choose another folder.") from None
    return [settings, inbox]
