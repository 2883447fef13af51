"""The errors that a user can mend: what is wrong (the message) and what to do about it (the hint).

The command line prints both and exits with 2. Anything else that is raised is a fault of ours and keeps its traceback.
"""

SENTENCE_LENGTH = 2_000


class KappaflowError(Exception):
    """Root of the project's own errors: `str(error)` is one sentence of what is wrong, `hint` one of what to do.

    >>> error = KappaflowError("The scale 'cardinal' is unknown.", "Use nominal, ordinal, interval or ratio.")
    >>> print(error, error.hint, sep="\\n")
    The scale 'cardinal' is unknown.
    Use nominal, ordinal, interval or ratio.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class InputError(KappaflowError):
    """An option, an argument or a combination of them that cannot be."""


class SettingsError(KappaflowError):
    """A wrong key or value in kappaflow.toml, or a folder that is no project."""


class ReadError(KappaflowError):
    """A file that cannot be read as a whole. Single bad rows are never errors: they become rejects.

    `file` is the path as given, `row` counts as a spreadsheet shows it (the header is row 1), `column` is the
    header; each is None where it does not apply.
    """

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        file: str | None = None,
        row: int | None = None,
        column: str | None = None,
    ) -> None:
        super().__init__(printable(message), printable(hint))
        self.file = file
        self.row = row
        self.column = column


class UnknownFormatError(ReadError):
    """A file whose content is none of the formats, or fits one only by guessing."""


class SourceError(KappaflowError):
    """A live source that could not be polled. What it sent before stays as it is, and the next poll goes on there."""


def printable(text: str) -> str:
    """What a file holds may stand in a sentence, but neither steer a terminal nor fill the screen.

    >>> printable("by 'a\\x1b[31m\\n'")
    "by 'a\\\\x1b[31m\\\\n'"
    """
    if len(text) > SENTENCE_LENGTH:
        text = text[:SENTENCE_LENGTH] + " ..."
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
