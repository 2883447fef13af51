"""Find the files that arguments mean: paths, patterns such as 'exports/*.csv', and - for stdin."""

import glob
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import InputError

STDIN = "-"
WILDCARDS = frozenset("*?[")


@contextmanager
def input_files(arguments: Sequence[str]) -> Iterator[dict[str, Path]]:
    """Return the files by name, each once, as long as the context lasts. What comes from stdin is a file `stdin`.

    A shell expands patterns itself; a quoted one is expanded here. Raises InputError for a pattern without files, and
    for stdin if nothing comes from it.
    """
    with tempfile.TemporaryDirectory(prefix="kappaflow-") as folder:
        files: dict[str, Path] = {}
        for argument in arguments:
            paths = [_stdin(Path(folder))] if argument == STDIN else _matches(argument)
            files |= {"stdin" if argument == STDIN else str(path): path for path in paths}
        yield files


def _matches(argument: str) -> list[Path]:
    path = Path(argument)
    if path.exists() or not WILDCARDS & set(argument):
        return [path]
    matches = sorted(Path(match) for match in glob.glob(argument, recursive=True))
    files = [match for match in matches if match.is_file()]
    if not files:
        raise InputError(f"No file matches {argument!r}.", "Correct the pattern, or name the files.")
    return files


def _stdin(folder: Path) -> Path:
    path = folder / "stdin"
    if not path.exists():
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        if not path.stat().st_size:
            raise InputError("Nothing came from stdin.", "Pipe an export into the command, or name a file.")
    return path
