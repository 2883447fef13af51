"""Name files by their time, so that they sort by it, and keep the newest of them."""

import re
from datetime import UTC, datetime
from pathlib import Path


def stamped(folder: Path, stem: str, moment: datetime) -> Path:
    """Return the path folder/stem-YYYYMMDD-HHMMSS.duckdb, in UTC.

    >>> print(stamped(Path("backups"), "warehouse", datetime(2026, 11, 2, 9, 30, tzinfo=UTC)))
    backups/warehouse-20261102-093000.duckdb
    """
    return folder / f"{stem}-{moment.astimezone(UTC):%Y%m%d-%H%M%S}.duckdb"


def stamped_files(folder: Path, stem: str) -> list[Path]:
    """List the files of the folder with such a name, the oldest first."""
    name = re.compile(rf"{re.escape(stem)}-\d{{8}}-\d{{6}}\.duckdb")
    return sorted(path for path in folder.iterdir() if name.fullmatch(path.name))


def keep_newest(folder: Path, stem: str, keep: int, *, just_written: Path | None = None) -> list[Path]:
    """Remove all such files but the newest `keep` (1 or more). Returns the removed ones. Keeps files of other names.

    `just_written` counts as the newest whatever its name: if the clock was ahead, older files have later names.
    """
    files = [path for path in stamped_files(folder, stem) if path != just_written]
    removed = files[: max(len(files) - (keep if just_written is None else keep - 1), 0)]
    for path in removed:
        path.unlink(missing_ok=True)
    return removed
