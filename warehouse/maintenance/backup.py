"""Back up the warehouse: a whole copy, opened and checked before it gets its name."""

import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from warehouse.connect import connect
from warehouse.errors import WarehouseError, first_line
from warehouse.file.flush import sync_folder
from warehouse.maintenance.dated_files import keep_newest, stamped
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import pending
from warehouse.publication.snapshot import copy_warehouse

STEM = "warehouse"


@dataclass(frozen=True)
class Backup:
    """A copy of the warehouse. `broken`: check -> number of rows that break it. `checked` is false if the file's schema
    is older than the checks. `removed`: the older backups that were deleted."""

    path: Path
    size: int
    checked: bool
    broken: dict[str, int] = field(default_factory=dict)
    removed: tuple[Path, ...] = ()


def backup(
    db_path: str | os.PathLike[str], target: str | os.PathLike[str], *, now: datetime, keep: int | None = None
) -> Backup:
    """Copy the warehouse to a file *.duckdb, or into a folder under a name with the time (UTC).

    A missing folder is created. The copy is opened and checked, then gets its name in one step and replaces a file of
    that name. Of a folder's backups the newest `keep` stay, unless a check fails: then the older ones may be needed.
    Raises WarehouseError if there is no warehouse, or the target is not allowed or cannot be written.
    """
    source, target = Path(db_path).resolve(), Path(target).resolve()
    into_folder = target.is_dir() or target.suffix != ".duckdb"
    path = stamped(target, STEM, now) if into_folder else target
    _must_fit(source, path, into_folder, keep)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with connect(source, read_only=True):
            pass  # Raises if something is wrong with the file, before another is created in its place.
        copy_warehouse(source, draft)
        checked, broken = _check(draft)
        draft.replace(path)
        sync_folder(path.parent)
        removed = keep_newest(path.parent, STEM, keep, just_written=path) if keep is not None and not broken else []
        return Backup(path, path.stat().st_size, checked, broken, tuple(removed))
    except OSError as error:
        raise WarehouseError(
            f"The backup {path} could not be written: {first_line(error)}",
            "Check the permissions and the space left, or name another folder.",
        ) from error
    finally:
        if draft.exists():
            draft.unlink()


def _must_fit(source: Path, path: Path, into_folder: bool, keep: int | None) -> None:
    if path == source:
        raise WarehouseError(f"{path} is the warehouse itself.", "Name another file or a folder for the backup.")
    if into_folder and path.parent.is_file():
        raise WarehouseError(
            f"{path.parent} is a file that does not end in .duckdb.", "Name a folder, or a file that ends in .duckdb."
        )
    if keep is not None and not into_folder:
        raise WarehouseError(
            f"--keep deletes old backups in a folder, and {path} is one file.", "Name a folder, or leave --keep out."
        )


def _check(copy: Path) -> tuple[bool, dict[str, int]]:
    with connect(copy, read_only=True) as con:
        if [name for name in pending(con) if name[0].isdigit()]:
            return False, {}
        return True, {name: rows.height for name, rows in run_checks(con).items() if rows.height}
