"""Flush files and folders to the disk."""

import os
from pathlib import Path


def sync_file(path: Path) -> None:
    """Flush a file to the disk. Not for a file that this process has open in DuckDB: that would lose its lock."""
    with path.open("rb+") as handle:
        os.fsync(handle)


def sync_folder(folder: Path) -> None:
    """Flush a folder to the disk, so that a new name in it survives a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
