"""Keep what became of each target in a small file of the project, for `status` and for the next run.

The target itself knows what it has: this file may be lost at any time.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tasks.atomic_files import write_atomically
from tasks.publish.publish_targets import Publication, Target


def read_publications(path: Path) -> dict[str, dict[str, Any]]:
    """Return the last outcome of each target by its name: the keys of Publication.to_json, and `at`, `snapshot`,
    `written_at` (when it was last whole and up to date; null if it never was) and `folder` (the number of the folder
    that last wrote; null if none is known). Empty if the file is missing or damaged.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(row["target"]): row for row in content if isinstance(row, dict) and "target" in row} if isinstance(
        content, list
    ) else {}  # fmt: skip


def write_publications(path: Path, publications: Mapping[str, Publication], snapshot: Path, *, at: str) -> None:
    """Write the last outcome of each target. Targets that are no longer in the settings are left out."""
    former = read_publications(path)
    identity = snapshot_identity(snapshot)
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            **publication.to_json(),
            "at": at,
            "snapshot": identity,
            "written_at": at if publication.is_current else former.get(name, {}).get("written_at"),
            "folder": _last_folder(publication, former.get(name, {}), path),
        }
        for name, publication in publications.items()
    ]
    write_atomically(path, json.dumps(rows, indent=1) + "\n")


def are_current(path: Path, targets: list[Target], snapshot: Path) -> bool:
    """Return whether each target has what this very snapshot has."""
    if not targets:
        return True
    publications, identity = read_publications(path), snapshot_identity(snapshot)
    return all(
        publications.get(target.name, {}).get("status") in ("written", "unchanged")
        and publications[target.name].get("snapshot") == identity
        for target in targets
    )


def is_other_folder(row: Mapping[str, Any] | None, path: Path) -> bool:
    """Return whether this folder is not known to have written to the target: it is a copy, or was moved to another file
    system. `row` is what `read_publications` has of the target, None if nothing. Rows of older versions have no folder.
    """
    own = _folder_number(path)
    return row is None or row.get("folder", own) != own


def has_folder(row: Mapping[str, Any] | None) -> bool:
    """Return whether a folder is known that wrote to the target."""
    return row is not None and row.get("folder") is not None


def _last_folder(publication: Publication, former: Mapping[str, Any], path: Path) -> int | None:
    """Return the number of the folder that last wrote: as long as this one did not, a copy keeps that of the other."""
    own = _folder_number(path)
    return own if publication.status == "written" else former.get("folder", own if former else None)


def _folder_number(path: Path) -> int:
    """Return the inode of the folder. A copy has another one; to move it within a file system does not change it."""
    return os.stat(path.parent).st_ino


def snapshot_identity(snapshot: Path) -> str:
    """Return a text that identifies this snapshot: time, inode and size of the file. Each snapshot is a new file."""
    stat = os.stat(snapshot)
    return f"{stat.st_mtime_ns}-{stat.st_ino}-{stat.st_size}"
