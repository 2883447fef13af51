"""Move files whose batch is stored to done/, for sources with `done = "move"`."""

import logging
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from tasks.ingest.batch_identity import Readings
from tasks.ingest.ingest_files import stored_files
from tasks.sources.folder import ExportFile, has_changed

log = logging.getLogger("kappaflow")


def archive_stored_files(db: Path, files: Sequence[ExportFile], readings: Readings | None = None) -> list[Path]:
    """Move the files whose batch is stored to `done/` in their source, with their subfolders. Return the new paths.

    No file is overwritten: if a name is taken, a number is added. A file stays where it is if it could not be read, if
    it changed since it was read, or if another source still has to read it. A file that cannot be moved stays too, and
    a warning is logged. This does no harm, because the next run recognizes the file by its bytes.
    """
    moved = []
    stored = stored_files(db, files, readings) if any(file.archive_path for file in files) else []
    stored_ids = {id(file) for file in stored}
    waiting = {file.path for file in files if id(file) not in stored_ids}
    for file in stored:
        if file.archive_path is not None and file.path not in waiting and _is_unchanged(file):
            try:
                moved.append(_move(file.path, file.archive_path))
                log.info("%s: moved to %s", file.file_name, moved[-1].parent)
            except OSError as error:
                log.warning("%s cannot be moved to %s: %s", file.file_name, file.archive_path.parent, error.strerror)
    return moved


def _is_unchanged(file: ExportFile) -> bool:
    try:
        return not has_changed(file)
    except OSError:
        return False


def _move(path: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    names = chain([target], (target.with_name(f"{path.stem}-{n}{path.suffix}") for n in count(2)))
    return path.rename(next(name for name in names if not name.exists()))
