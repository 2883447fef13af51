"""`kappaflow init`: the files of a new project folder."""

from importlib.resources import files
from pathlib import Path

from flows.settings.model import FILE_NAME
from tasks.errors import InputError


def create_project(folder: Path) -> list[Path]:
    """Make the folder, a commented kappaflow.toml and inbox/; gives what was written.

    Raises InputError where a kappaflow.toml is already: nothing of a user's is overwritten.
    """
    settings = folder / FILE_NAME
    if settings.exists():
        raise InputError(f"{settings} is there already.", "Name another folder, or remove that file first.")
    try:
        inbox = folder / "inbox"
        inbox.mkdir(parents=True, exist_ok=True)
        settings.write_text(
            files("flows.settings").joinpath("kappaflow.template.toml").read_text(encoding="utf-8"), encoding="utf-8"
        )
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}.", "Name another folder.") from None
    return [settings, inbox]
