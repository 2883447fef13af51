"""Find names of forgotten raters that an older warehouse brings back.

The warehouse has the hashes of the forgotten names, so a backup from before does not have all of them. They are also
kept in a file beside the key, one on each line, which is not replaced when a backup is restored.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors, first_line
from warehouse.file.flush import sync_folder
from warehouse.raters.forgotten_names import hash_of, key_path
from warehouse.raters.rater_aliases import person_and_reading

HASHES_FILE = "forgotten-raters.hashes"


def hashes_path(db_path: str | os.PathLike[str]) -> Path:
    """Return the file with the hashes."""
    return Path(db_path).resolve().with_name(HASHES_FILE)


def keep_hashes(con: duckdb.DuckDBPyConnection, db_path: str | os.PathLike[str]) -> None:
    """Add the hashes of the warehouse to the file. Only its owner may read it.

    Raises WarehouseError if it cannot be read or written.
    """
    path, kept = hashes_path(db_path), _hashes_in_file(db_path)
    hashes = kept | _hashes_in_warehouse(con)
    if hashes == kept:
        return
    try:
        _write(path, hashes)
    except OSError as error:
        raise WarehouseError(
            f"{path} could not be written: {first_line(error)}", "Check the permissions and the space left."
        ) from error


def returned_names(con: duckdb.DuckDBPyConnection, db_path: str | os.PathLike[str]) -> list[str]:
    """List the names in the warehouse that were forgotten here. Without the key none is recognized.

    Raises WarehouseError if the key or the file cannot be read.
    """
    key_file = key_path(db_path)
    if not key_file.is_file():
        return []
    with _readable(key_file):
        key = key_file.read_bytes()
    hashes = _hashes_in_file(db_path) | _hashes_in_warehouse(con)
    with duckdb_errors("look for forgotten raters"):
        stored = [str(name) for (name,) in sql.rows(con, "raters/forget/all_names")]
    names = {*stored, *(person_and_reading(name)[0] for name in stored)}
    return sorted(name for name in names if hash_of(key, name) in hashes)


def lacks_all_hashes(con: duckdb.DuckDBPyConnection, db_path: str | os.PathLike[str]) -> bool:
    """Return whether raters were forgotten beside this warehouse, and neither it nor the file says whom: an older
    kappaflow forgot them, and the warehouse is new, or an older backup."""
    return key_path(db_path).is_file() and not _hashes_in_file(db_path) and not _hashes_in_warehouse(con)


def _hashes_in_warehouse(con: duckdb.DuckDBPyConnection) -> set[str]:
    with duckdb_errors("read the forgotten raters"):
        return {str(name_hash) for name_hash, *_ in sql.rows(con, "raters/forget/known")}


def _hashes_in_file(db_path: str | os.PathLike[str]) -> set[str]:
    path = hashes_path(db_path)
    with _readable(path), suppress(FileNotFoundError):
        return set(path.read_text(encoding="ascii", errors="replace").split())
    return set()


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise WarehouseError(
            f"{path} could not be read: {first_line(error)}",
            "Let the user who runs kappaflow read it: without it, names of forgotten raters may be back unnoticed.",
        ) from error


def _write(path: Path, hashes: set[str]) -> None:
    """Replace the file in one step."""
    draft = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.writelines(f"{each}\n" for each in sorted(hashes))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    if os.name == "posix":
        sync_folder(path.parent)
