"""Errors that a user can fix: what is wrong (the message) and what to do about it (the hint).

The command line prints both and exits with code 2. Any other exception is a bug in kappaflow and keeps its traceback.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

SENTENCE_LENGTH = 2_000


class ColumnsHint:
    """A hint that maps columns: sentences, and mappings of a role to a column among them.

    Commands on files take a mapping as an option, and a source of a project takes it as a key.

    >>> hint = ColumnsHint("Map the label: ", {"label": "my answer"}, ".")
    >>> print(hint, hint.for_settings(), sep="\\n")
    Map the label: --columns 'label=my answer'.
    Map the label: columns = { label = "my answer" } in this [[source]].
    """

    def __init__(self, *phrases: str | Mapping[str, str]) -> None:
        self.phrases = phrases

    def __add__(self, text: str) -> "ColumnsHint":
        return ColumnsHint(*self.phrases, text)

    def __str__(self) -> str:
        """Return the hint with the option --columns."""
        return "".join(phrase if isinstance(phrase, str) else _for_shell(phrase) for phrase in self.phrases)

    def for_settings(self) -> str:
        """Return the hint with the key of a source."""
        return "".join(phrase if isinstance(phrase, str) else _for_toml(phrase) for phrase in self.phrases)


def quoted(mapping: str) -> str:
    """Return a mapping as a shell takes it.

    >>> print(quoted("item=id"), quoted("label=tone|style"), quoted("label=doesn't fit"))
    item=id 'label=tone|style' 'label=doesn'"'"'t fit'
    """
    return mapping if all(c.isalnum() or c in "=,_-." for c in mapping) else shlex.quote(mapping)


def _for_shell(columns: Mapping[str, str]) -> str:
    return "--columns " + quoted(",".join(f"{role}={name}" for role, name in columns.items()))


def _for_toml(columns: Mapping[str, str]) -> str:
    pairs = (f"{role} = {json.dumps(name, ensure_ascii=False)}" for role, name in columns.items())
    return "columns = { " + ", ".join(pairs) + " } in this [[source]]"


class KappaflowError(Exception):
    """Base class of kappaflow's errors.

    `str(error)` is a sentence that says what is wrong. `hint` is a sentence that says what to do; `setting_hint` says
    the same to somebody who writes settings and gives no options.

    >>> error = KappaflowError("The scale 'cardinal' is unknown.", "Use nominal, ordinal, interval or ratio.")
    >>> print(error, error.hint, sep="\\n")
    The scale 'cardinal' is unknown.
    Use nominal, ordinal, interval or ratio.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.setting_hint = hint


class InputError(KappaflowError):
    """An invalid option or argument, or an invalid combination of them."""


class SettingsError(KappaflowError):
    """A wrong key or value in kappaflow.toml, or a folder that is not a project."""


class ReadError(KappaflowError):
    """A file that cannot be read at all. A single bad row never raises an error: it becomes a reject.

    `file` is the path as the caller passed it. `row` is the row number that a spreadsheet shows (the header is row 1).
    `column` is the header of the column. Each of the three is None where it does not apply.
    `lines` are printed below the message and the hint; they show what the file contains.
    """

    def __init__(
        self,
        message: str,
        hint: str | ColumnsHint = "",
        *,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
        lines: Sequence[str] = (),
    ) -> None:
        super().__init__(printable(message), printable(str(hint)))
        self.setting_hint = printable(hint.for_settings() if isinstance(hint, ColumnsHint) else hint)
        self.lines = tuple(printable(line) for line in lines)
        self.file = file
        self.row = row
        self.column = column

    @classmethod
    def of(
        cls,
        path: Path,
        what: str,
        hint: str | ColumnsHint,
        *,
        row: int | None = None,
        column: str | None = None,
        lines: Sequence[str] = (),
    ) -> Self:
        """Return the error of a file. Its message is the name of the file and `what` is wrong with it."""
        return cls(f"{path.name} {what}", hint, file=str(path), row=row, column=column, lines=lines)


class RepeatedItemError(ReadError):
    """A table most of whose rows are by the same rater on the same item as others, and no column fits the item better.

    `item` is the header of the item column.
    """

    def __init__(
        self,
        message: str,
        hint: str | ColumnsHint = "",
        *,
        item: str = "",
        file: str | None = None,
        column: str | None = None,
        lines: Sequence[str] = (),
    ) -> None:
        super().__init__(message, hint, file=file, column=column, lines=lines)
        self.item = item


class UnknownFormatError(ReadError):
    """A file whose content matches no format, or matches one only by guessing."""


class UnavailableError(ReadError):
    """A file that could not be read for a reason outside its content: no disk space, no permission, no file.

    A later attempt may succeed, so the file is not recorded as rejected.
    """


class SourceError(KappaflowError):
    """A source that could not be polled. What it sent before is kept, and the next poll continues from there."""


def printable(text: str) -> str:
    """Make text from a file safe to print in a message.

    Control characters are escaped, so that they cannot act on the terminal. Text longer than SENTENCE_LENGTH characters
    is cut.

    >>> printable("by 'a\\x1b[31m\\n'")
    "by 'a\\\\x1b[31m\\\\n'"
    """
    if len(text) > SENTENCE_LENGTH:
        text = text[:SENTENCE_LENGTH] + " ..."
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def some(names: list[str]) -> str:
    """Join the first ten names for a message. Characters that a terminal would act upon are written out."""
    shown = ", ".join(name if name.isprintable() else repr(name) for name in names[:10])
    return shown + (f" and {len(names) - 10} more" if len(names) > 10 else "")
