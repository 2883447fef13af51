"""Read JSON record by record: an array, or the list under `tasks` of an answer of Label Studio's API.

Python's parser takes one record after the other from a buffer. It is faster than a parser of events. It stops at a
depth of some hundred levels, where a parser of events takes memory with the square of the depth.
"""

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from tasks.formats.parsing.limits import RECORD_CELLS, LimitExceededError, excess, is_large, limits

CHUNK = 1 << 20
SPACE = re.compile(r"[ \t\n\r]*")
LIST_KEY = "tasks"
MARGIN = 32  # an error so close to the end of the buffer may only mean that the rest is not there yet

_decode = json.JSONDecoder().raw_decode


class JsonRecords:
    """The records of a JSON file, as an iterator. After it is used up, or broke off:

    `at` says where they were ('item' in a list, 'tasks.item' in the list under `tasks`, '' where the file is one
    object), `n_mended` how many held half characters, which became U+FFFD. Iterating raises ValueError where the
    file is not JSON or breaks off, LimitExceededError or RecursionError where a record exceeds a limit.
    """

    def __init__(self, file: BinaryIO) -> None:
        self.at = ""
        self.n_mended = 0
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._has_halves = False
        self._position = 0
        self._dropped = 0
        self._n_bytes = 0
        self._ended = False

    def __iter__(self) -> Iterator[object]:
        start = self._next_mark()
        if start == "[":
            self.at = "item"
            yield from self._elements()
        elif start == "{":
            yield from self._members()
        else:
            raise ValueError(f"it begins with {start!r}")
        if self._peek_mark():
            raise ValueError("something follows after its end")

    def _elements(self) -> Iterator[object]:
        """Iterate over the elements of an array whose bracket has been read."""
        if self._peek_mark() == "]":
            self._position += 1
            return
        while True:
            yield self._value()
            if self._next_mark(",]") == "]":
                return

    def _members(self) -> Iterator[object]:
        """Iterate over an object whose brace has been read: the elements of its list of tasks, else the object."""
        whole: dict[str, object] = {}
        if self._peek_mark() == "}":
            self._position += 1
        else:
            while True:
                key = str(self._value())
                self._next_mark(":")
                if key == LIST_KEY and self._peek_mark() == "[":
                    self.at = f"{LIST_KEY}.item"
                    self._position += 1
                    yield from self._elements()
                else:
                    whole[key] = self._value()
                if self._next_mark(",}") == "}":
                    break
        if not self.at:
            yield whole

    def _value(self) -> object:
        self._peek_mark()
        wanted = CHUNK
        while True:
            try:
                value, end = _decode(self._text, self._position)
            except json.JSONDecodeError as e:
                self._check_length()
                near_end = e.pos >= len(self._text) - MARGIN or e.msg.startswith("Unterminated")
                place = self._dropped + e.pos + 1  # before more is read, which drops what is done with
                if not near_end or not self._read(wanted):
                    raise ValueError(f"{e.msg.removesuffix(' at')} at character {place:,}") from e
            else:
                # a number at the end of the buffer may go on
                if end < len(self._text) or not self._read(wanted):
                    break
            wanted *= 2
        start, self._position = self._position, end
        if is_large(self._text, start, end) and (over := excess(value, self._text[start:end])):
            raise LimitExceededError(over[1])
        if not self._has_halves:
            return value
        whole = mend(value) if has_half_escapes(self._text[start:end]) else value
        self.n_mended += whole != value
        return whole

    def _check_length(self) -> None:
        most = RECORD_CELLS * limits().max_cell_length
        if len(self._text) - self._position > most:
            raise LimitExceededError(
                f"A record is longer than {most:,} characters, {RECORD_CELLS} times max_cell_length."
            )

    def _next_mark(self, allowed: str = "") -> str:
        mark = self._peek_mark()
        if not mark or (allowed and mark not in allowed):
            raise ValueError(f"it breaks off or has {mark!r} where one of {allowed!r} should stand")
        self._position += 1
        return mark

    def _peek_mark(self) -> str:
        """Return the next character that is not white space, '' at the end."""
        while True:
            if space := SPACE.match(self._text, self._position):
                self._position = space.end()
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._read(CHUNK):
                return ""

    def _read(self, size: int) -> bool:
        """Add to the buffer, dropping what is done with; False at the end of the file."""
        if self._ended:
            return False
        data = self._file.read(size)
        self._ended = not data
        text = self._decode(data)
        self._dropped += self._position
        self._text, self._position = self._text[self._position :] + text, 0
        self._has_halves = has_half_escapes(self._text)
        return bool(data)

    def _decode(self, data: bytes) -> str:
        pending = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as e:
            raise ValueError(f"byte {self._n_bytes - pending + e.start + 1:,} is not UTF-8") from e
        self._n_bytes += len(data)
        return text


def has_half_escapes(raw: str) -> bool:
    """Check whether JSON may hold an escaped half of a character (a lone surrogate), as cut texts often do."""
    return "\\ud" in raw or "\\uD" in raw


def mend(value: object) -> object:
    """Replace each half of a character by U+FFFD, because no file or table can hold one."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [mend(element) for element in value]
    if isinstance(value, dict):
        return {str(mend(key)): mend(element) for key, element in value.items()}
    return value
