"""Say that files which differ by a number only, as weekly exports do, are questions of their own."""

import re
from collections.abc import Collection, Iterable
from pathlib import PurePath

from tasks.formats.parsing.cells import nfc


def numbered_questions(file_name: str, questions: Collection[str], stored: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence where the file's name is its question, and differs from a stored one in its numbers only.

    >>> numbered_questions("w2.csv", ["w2"], ["w1", "w"])
    ("'w2' becomes a separate question beside 'w1', because the files name none. If they are exports of one question, \
put them into one subfolder of the inbox, which names it, or set `question` in kappaflow.toml.",)
    >>> numbered_questions("tone/w2.csv", ["tone"], ["w1"]), numbered_questions("w2.csv", ["w2"], ["w2", "v1"])
    ((), ())
    """
    own = nfc(PurePath(file_name).name.split(".")[0])
    alike = sorted(name for name in set(stored) if name != own and _without_numbers(name) == _without_numbers(own))
    if {*questions} != {own} or not alike:
        return ()
    return (
        f"{own!r} becomes a separate question beside {alike[0]!r}, because the files name none. If they are exports of "
        "one question, put them into one subfolder of the inbox, which names it, or set `question` in kappaflow.toml.",
    )


def _without_numbers(name: str) -> str:
    return re.sub(r"\d+", "0", name)
