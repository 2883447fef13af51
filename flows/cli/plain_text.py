"""Output where not every character can be printed: a C locale, an old terminal, PYTHONIOENCODING=ascii."""

import codecs
import io
import os
import sys

ALIKE = {"·": "-", "—": "-", "–": "-", "−": "-", "…": "...", "‹": "<", "›": ">", "×": "x", "±": "+/-", "�": "?"}


def prepare() -> None:
    """Let stdout and stderr print what they can, and write out the rest: é of a label as \\xe9, a dash as -."""
    _read_arguments_as_utf8()
    codecs.register_error("kappaflow", _written_out)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="kappaflow")


def _written_out(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(ALIKE.get(char) or char.encode("ascii", "backslashreplace").decode() for char in text), error.end


def _read_arguments_as_utf8() -> None:
    """Begin again in Python's UTF-8 mode where the locale knows ASCII only, but an argument is more than that: it would
    match no label, and no query takes it."""
    try:
        "".join(sys.argv).encode()
    except UnicodeEncodeError:
        if sys.getfilesystemencoding() != "utf-8":
            encoding = {} if "PYTHONIOENCODING" in os.environ else {"PYTHONIOENCODING": sys.stdout.encoding}
            os.execve(sys.executable, sys.orig_argv, {**os.environ, **encoding, "PYTHONUTF8": "1"})
