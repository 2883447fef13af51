"""Output on terminals that cannot print every character: a C locale, an old terminal, PYTHONIOENCODING=ascii."""

import codecs
import io
import os
import sys

ASCII_FOR = {"·": "-", "—": "-", "–": "-", "−": "-", "…": "...", "‹": "<", "›": ">", "×": "x", "±": "+/-", "�": "?"}


def prepare() -> None:
    """Make stdout and stderr replace characters that they cannot print: é by \\xe9, a dash by -."""
    _read_arguments_as_utf8()
    codecs.register_error("kappaflow", _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="kappaflow")


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(ASCII_FOR.get(char) or char.encode("ascii", "backslashreplace").decode() for char in text), error.end


def _read_arguments_as_utf8() -> None:
    """Restart in Python's UTF-8 mode if the locale is ASCII and an argument is not.

    Without it the argument would match no label, and DuckDB would refuse it in a query.
    """
    try:
        "".join(sys.argv).encode()
    except UnicodeEncodeError:
        if sys.getfilesystemencoding() != "utf-8":
            encoding = {} if "PYTHONIOENCODING" in os.environ else {"PYTHONIOENCODING": sys.stdout.encoding}
            os.execve(sys.executable, sys.orig_argv, {**os.environ, **encoding, "PYTHONUTF8": "1"})
