"""Errors before a flow begins, each as a sentence: Prefect's settings, its server, the disk."""

import errno
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from pathlib import Path

from pydantic import ValidationError

from flows.project_folder import Project
from flows.service.environment import prefect_environment
from tasks.errors import SettingsError, printable
from warehouse.errors import WarehouseError

MIN_FREE_BYTES = 4 << 20  # for a new warehouse, its copy and the report, before the first rating
MIN_FREE_BYTES_FOR_SERVER = 12 << 20  # on top, for the database of a temporary Prefect server
WRONG_SETTING = 3  # the exit code of `_try_settings`


def check_folder(project: Project) -> None:
    """Check that a run can write into the project folder. Raises WarehouseError if it cannot.

    Without this check Prefect would wait two minutes for a server that cannot start.
    """
    folder = project.folder / ".kappaflow"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f".draft.{os.getpid()}"
        try:
            draft.write_bytes(b"\0")
        finally:
            with suppress(OSError):
                draft.unlink()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(project.folder) from None
        raise _not_writable("project folder", project.folder, error.strerror or "") from None
    for where in (project.folder, project.warehouse.parent):  # DuckDB writes a log beside the warehouse
        if where.is_dir() and not os.access(where, os.W_OK):
            raise _not_writable("project folder" if where == project.folder else "folder", where, "Permission denied")
    if project.warehouse.exists() and not os.access(project.warehouse, os.W_OK):
        raise _not_writable("warehouse", project.warehouse, "Permission denied")
    if shutil.disk_usage(project.folder).free < _min_free_bytes():
        raise _disk_full(project.folder)


@contextmanager
def prefect_errors(folder: Path) -> Iterator[None]:
    """Turn the errors of Prefect for wrong settings, or a server that does not answer, into SettingsError."""
    from httpx import HTTPStatusError, TransportError

    url = os.environ.get("PREFECT_API_URL", "")
    try:
        yield
    except ValidationError as error:
        if not error.title.endswith("Settings"):
            raise
        raise _wrong_setting(error) from None
    except TransportError as error:
        if not url:
            raise
        reason = printable(str(error)).rstrip(".") or type(error).__name__
        raise SettingsError(
            f"Prefect's server at {printable(url)} does not answer: {reason}.",
            "Start it, or correct PREFECT_API_URL. Without that variable a run starts its own server.",
        ) from None
    except HTTPStatusError as error:
        if not url:
            raise
        raise SettingsError(
            f"{printable(url)} answers with HTTP {error.response.status_code}. That is not Prefect's server.",
            "Set PREFECT_API_URL to the address of its API, such as http://127.0.0.1:4200/api.",
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(folder) from None
        raise


def check_prefect(project: Project) -> None:
    """Check Prefect's settings, and that the server in PREFECT_API_URL answers. Raises SettingsError if not.

    The settings are read in another process, so that this one does not hold all of Prefect.
    """
    import httpx

    with prefect_errors(project.folder):
        if os.environ.get("PREFECT_API_URL"):
            httpx.get(os.environ["PREFECT_API_URL"].rstrip("/") + "/health", timeout=10)
    # Those of the project: without them Prefect makes an empty folder ~/.prefect.
    variables = {**os.environ, **prefect_environment(project)}
    command = [sys.executable, "-P", "-m", "flows.service.prefect_start"]
    tried = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if tried.returncode == WRONG_SETTING:
        message, hint = tried.stdout.strip().splitlines()[-2:]
        raise SettingsError(message, hint)


def _try_settings() -> None:
    """Print what is wrong with Prefect's settings in two lines, and exit with WRONG_SETTING."""
    try:
        with prefect_errors(Path()):
            load_prefect()
    except SettingsError as error:
        print(error, error.hint, sep="\n")
        sys.exit(WRONG_SETTING)


def load_prefect() -> None:
    """Import Prefect, which reads its settings from the environment.

    Raises ValidationError for a wrong setting, without the text that Prefect prints for it.
    """
    output = io.StringIO()
    with redirect_stderr(output):
        from prefect.settings import get_current_settings

        get_current_settings()
    sys.stderr.write(output.getvalue())


def _wrong_setting(error: ValidationError) -> SettingsError:
    first = error.errors()[0]
    place = "_".join(str(step) for step in first["loc"]).upper()
    wrong = str(first["input"]).lower()
    candidates = [name for name, value in os.environ.items() if name.startswith("PREFECT_") and value.lower() == wrong]
    name = next((name for name in candidates if name.endswith(place)), place)
    return SettingsError(
        f"Prefect does not take the value of {name}: {first['msg'].removesuffix('.')}.",
        "Correct this environment variable, or remove it.",
    )


def _not_writable(what: str, path: Path, reason: str) -> WarehouseError:
    return WarehouseError(
        f"The {what} {path} cannot be written: {reason}.",
        "Get permission to write there, or copy the project folder to a place where you may write.",
    )


def _min_free_bytes() -> int:
    return MIN_FREE_BYTES + (0 if os.environ.get("PREFECT_API_URL") else MIN_FREE_BYTES_FOR_SERVER)


def _disk_full(folder: Path) -> WarehouseError:
    free = shutil.disk_usage(folder).free
    return WarehouseError(
        f"The disk is full: {folder} has {free / 2**20:.0f} MiB left, and a run needs {_min_free_bytes() >> 20}.",
        "Make room and run again. The warehouse is not damaged.",
    )


if __name__ == "__main__":
    _try_settings()
