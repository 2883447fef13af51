"""Recognize the names of forgotten raters without storing them.

The warehouse has a keyed hash of each name. The key is in a file beside it, so that nobody can try names on a copy of
the warehouse or on the published snapshot.
"""

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import duckdb

from warehouse import sql
from warehouse.errors import WarehouseError, duckdb_errors
from warehouse.raters.rater_aliases import person_and_reading

KEY_FILE = "forgotten-raters.key"
_CELLS = re.compile(r"""[,;\t|"'{}\[\]:\r\n]+""")


@dataclass(frozen=True)
class ForgottenNames:
    """The pseudonym of each forgotten name, by the hash of the name. `n_words`: lengths of the names in words."""

    key: bytes = field(default=b"", repr=False)
    pseudonyms: Mapping[str, str] = field(default_factory=dict)
    n_words: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.pseudonyms)

    def pseudonym(self, name: str) -> str | None:
        """Return the pseudonym of a name, or of the person of a repeated reading ('ann #2'); None if not forgotten."""
        if not self.pseudonyms:
            return None
        person, _ = person_and_reading(name)
        for longest in dict.fromkeys((name, person)):
            if pseudonym := self.pseudonyms.get(hash_of(self.key, longest)):
                return pseudonym + name.removeprefix(longest)
        return None

    def without_names(self, text: str) -> str:
        """Replace forgotten names in a text: as a whole, as a cell of a row, or as words."""
        if not self.pseudonyms:
            return text
        cells = [cell.strip() for cell in _CELLS.split(text)]
        words = [part.split() for part in (text, *cells)]
        runs = {" ".join(part[i : i + n]) for part in words for n in self.n_words for i in range(len(part))}
        candidates = {text, *cells, *runs, *(run.strip(".,;:!?()'\"") for run in runs)}
        for name in sorted(candidates - {""}, key=len, reverse=True):
            if pseudonym := self.pseudonym(name):
                text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", pseudonym, text)
        return text

    def file_name(self, name: str) -> str:
        """Replace a forgotten name that a part of a path is, without its suffixes."""
        return "/".join(self._part(part) for part in name.split("/")) if self.pseudonyms else name

    def _part(self, part: str) -> str:
        for prefix in (part, *(part[: match.start()] for match in re.finditer(r"\.", part))):
            if pseudonym := self.pseudonym(prefix):
                return pseudonym + part.removeprefix(prefix)
        return part


def hash_of(key: bytes, name: str) -> str:
    """Hash a name with the key.

    >>> hash_of(b"k", "ann") == hash_of(b"k", "ann") != hash_of(b"k", "bob")
    True
    """
    return hmac.new(key, name.encode(), hashlib.sha256).hexdigest()


def forgotten_names(con: duckdb.DuckDBPyConnection, db_path: str | os.PathLike[str]) -> ForgottenNames:
    """Read the forgotten names. Raises WarehouseError if there are some, and their key is missing."""
    with duckdb_errors("read the forgotten raters"):
        rows = sql.rows(con, "raters/forget/known")
    if not rows:
        return ForgottenNames()
    path = key_path(db_path)
    if not path.is_file():
        raise WarehouseError(
            f"Raters of this warehouse were forgotten, but {path.name}, which recognizes their names, is missing.",
            f"Put it back to {path}. Without it, a file that is read would bring their names back.",
        )
    return ForgottenNames(
        path.read_bytes(), {str(key): str(name) for key, name, _ in rows}, frozenset(int(str(n)) for *_, n in rows)
    )


def key_path(db_path: str | os.PathLike[str]) -> Path:
    """Return the file with the key."""
    return Path(db_path).resolve().with_name(KEY_FILE)


def make_key(db_path: str | os.PathLike[str]) -> bytes:
    """Read the key, or make it if there is none. Only its owner may read the file."""
    path = key_path(db_path)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_bytes(32))
        file.flush()
        os.fsync(file.fileno())
    return path.read_bytes()


def remember(con: duckdb.DuckDBPyConnection, key: bytes, names: list[str], pseudonym: str, now: datetime) -> None:
    """Add the hashes of names, within the current transaction. A name that is known already keeps its row."""
    for name in names:
        sql.run(
            con, "raters/forget/remember", name_hash=hash_of(key, name), pseudonym=pseudonym,
            n_words=len(name.split()), now=now,
        )  # fmt: skip
