"""Detect files with rankings or texts, and read one or several as one export."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.errors import ReadError
from tasks.formats.answers import argilla_rankings, label_studio_answers
from tasks.formats.answers.answer_export import RANKING, AnswerExport, together
from tasks.formats.parsing.decompress import data_suffix, unpacked
from tasks.formats.parsing.export import ReadOptions, readable
from tasks.formats.parsing.file_look import FileLook, look_at_file
from tasks.formats.parsing.limits import limited

TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls")


@dataclass(frozen=True)
class AnswerFormat:
    """A reader of rankings and texts: how to detect its files."""

    sniff: Callable[[FileLook, ReadOptions], bool]
    reader: Callable[[Path, ReadOptions, Collection[str] | None], AnswerExport]


ANSWER_FORMATS: dict[str, AnswerFormat] = {
    "label_studio": AnswerFormat(label_studio_answers.sniff, label_studio_answers.read),
    "argilla": AnswerFormat(argilla_rankings.sniff, argilla_rankings.read),
}


def read_answers(
    paths: Sequence[Path], options: ReadOptions, rankings: Collection[str] | None = ()
) -> AnswerExport | None:
    """Read the rankings and texts of the files as one, or return None if one of the files holds none.

    `rankings` are the questions that the user calls rankings; None: all that may be. A file need not tell them from
    sets of labels. Raises ReadError for a file that cannot be read.
    """
    exports = _read_each(paths, options, rankings)
    if all(export.rows.is_empty() for export in exports):
        return None
    shown = {name for export in exports for name in export.rows.filter(kind=RANKING)["question"]}
    if rankings is not None and len(exports) > 1 and not shown <= set(rankings):  # what one file shows holds for all
        exports = _read_each(paths, options, shown.union(rankings))
    return together(exports, options)


def _read_each(paths: Sequence[Path], options: ReadOptions, rankings: Collection[str] | None) -> list[AnswerExport]:
    """Read each file. Nothing is returned if one of them is of no format with rankings or texts."""
    if options.columns.keys() - {"item"} or any(_is_table(path) for path in paths):
        return []
    exports = []
    for path in paths:
        with limited(options.limits), unpacked(path) as files:
            for file in files:
                name = answer_format(file, options)
                if name is None:
                    return []
                with readable(name, file):
                    exports.append(ANSWER_FORMATS[name].reader(file, options, rankings))
    return exports


def answer_format(path: Path, options: ReadOptions) -> str | None:
    """Return the format of rankings and texts that a plain file shows, if any."""
    if options.format and options.format not in ANSWER_FORMATS:
        return None
    try:
        seen = look_at_file(path, header=options.header)
    except (ReadError, OSError):
        return None  # the reader of ratings says what is wrong with the file
    return next((name for name, reader in ANSWER_FORMATS.items() if reader.sniff(seen, options)), None)


def _is_table(path: Path) -> bool:
    return path.is_dir() or data_suffix(path) in TABLES
