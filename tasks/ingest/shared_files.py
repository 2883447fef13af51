"""Refuse files that two sources of a project read alike, but with other settings."""

import os
from collections.abc import Sequence

from tasks.errors import InputError
from tasks.ingest.batch_identity import reading_of
from tasks.sources.folder import ExportFile


def refuse_shared_files(files: Sequence[ExportFile]) -> None:
    """Raise InputError if two sources take the same from a file (`reading_of`) with other settings.

    The second one would find nothing new, and the first alone decide who is a system.
    """
    first_of: dict[tuple[str, str], ExportFile] = {}
    for file in files:
        first = first_of.setdefault((os.path.realpath(file.path), reading_of(file.options)), file)
        if _settings(first) != _settings(file):
            raise InputError(
                f"{file.path} is read by two [[source]] of kappaflow.toml, and in different ways.",
                "Take the file out of one of them with another `path` or `pattern`, or give one of them a `prefix`.",
            )


def _settings(file: ExportFile) -> tuple[object, ...]:
    return file.options.systems, file.options.gold, dict(file.options.columns), file.full_export
