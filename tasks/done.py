"""Files whose batch is stored are put away, where a source asks for that (`done = "move"`)."""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path

from tasks.ingest import stored
from tasks.sweep import Found

log = logging.getLogger("kappaflow")


def put_away(db: Path, found: Sequence[Found]) -> list[Path]:
    """Move the files whose batch is stored to `done/` of their source, subfolders kept; gives the new places.

    Never overwrites: a name that is taken gets a number. What could not be read, or has changed since it was read,
    stays. A file that cannot be moved stays too, with a warning: it is known by its bytes and does no harm.
    """
    moved = []
    for file in stored(db, [file for file in found if file.done is not None]):
        if file.done is not None and _is_unchanged(file):
            try:
                moved.append(_move(file.path, file.done))
                log.info("%s: moved to %s", file.file_name, moved[-1].parent)
            except OSError as error:
                log.warning("%s cannot be moved to %s: %s", file.file_name, file.done.parent, error.strerror)
    return moved


def _is_unchanged(file: Found) -> bool:
    try:
        return datetime.fromtimestamp(file.path.stat().st_mtime, UTC) == file.modified_at
    except FileNotFoundError:
        return False


def _move(path: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    names = chain([target], (target.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2)))
    return path.rename(next(name for name in names if not name.exists()))
