"""Which of the files that were found are to be read: those that the warehouse does not know, and those to try again."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from tasks.fingerprint import fingerprint
from tasks.formats import FORMATS
from tasks.formats.unpack import stem
from tasks.full_exports import counts_again
from tasks.read import rater_in_name
from tasks.rules import Rules
from tasks.sweep import Found
from warehouse.connect import connect
from warehouse.reads import known_files


@dataclass(frozen=True)
class Due:
    """A file to be read, and the batch that it will be; with `retry` a further attempt at a stored one."""

    file: Found
    batch_id: str
    retry: bool


@dataclass(frozen=True)
class Known:
    """What the warehouse has of a batch."""

    status: str
    settings_hash: str | None
    n_rejected: int
    file_name: str
    source: str
    is_file: bool  # else a live source, which is asked again


def due_files(db: Path, found: Sequence[Found], rules: Rules, retry_rejects: bool) -> list[Due]:
    """What is to be read, each batch once: of equal files the first."""
    known = known_batches(db)
    due: dict[str, Due] = {}
    for file in found:
        one = _unknown(file, rules, known) or (_rejects(file, rules, known) if retry_rejects else None)
        if one is None and file.full_export:
            one = _again(db, file, known)
        if one is not None:
            due.setdefault(one.batch_id, one)
    return list(due.values())


def known_batches(db: Path) -> dict[str, Known]:
    """The batches of the warehouse, by batch_id."""
    columns = ("status", "settings_hash", "n_rejected", "file_name", "source")
    with connect(db) as con:
        rows = known_files(con)
    return {
        row["batch_id"]: Known(**{name: row[name] for name in columns}, is_file=row["sha256"] is not None)
        for row in rows.to_dicts()
    }


def identities(file: Found) -> tuple[str, str]:
    """The two that a file may have: without and with its name."""
    return _identity(file, False), _identity(file, True)


def settings_of(file: Found, rules: Rules) -> str:
    """A hash of what a file is read with."""
    # The fallback question is the file's place, not a setting: moving a file does not make it another.
    # The names of the readers and the version: a new one may read what was refused. A full export that is too old may
    # be written anew.
    options = replace(file.options, fallback_question=None)
    written = file.modified_at.isoformat() if file.full_export else None
    return fingerprint(options, rules.labels, rules.duplicates, sorted(FORMATS), version("kappaflow"), written)


def _unknown(file: Found, rules: Rules, known: Mapping[str, Known]) -> Due | None:
    """The file, unless it is settled under either identity: which one it has shows only when it is opened."""
    settings = settings_of(file, rules)
    for batch_id in identities(file):
        one = known.get(batch_id)
        if one is not None and (one.status == "stored" or one.settings_hash == settings):
            return None
    return Due(file, _identity(file, rater_in_name(file.path, file.options)), False)


def _rejects(file: Found, rules: Rules, known: Mapping[str, Known]) -> Due | None:
    """The file, if rows of it were rejected under other settings than today's."""
    for batch_id in (*identities(file), *(_later(file, batch_id) for batch_id in identities(file))):
        one = known.get(batch_id)
        if one is not None and one.n_rejected and one.settings_hash != settings_of(file, rules):
            return Due(file, batch_id, True)
    return None


def _again(db: Path, file: Found, known: Mapping[str, Known]) -> Due | None:
    """A full export with known bytes, if it is a new state of its questions."""
    bytes_of = [batch_id for batch_id in identities(file) if batch_id in known]
    later = [_later(file, batch_id) for batch_id in bytes_of]
    if not later or later[0] in known:
        return None
    with connect(db) as con:
        return Due(file, later[0], False) if counts_again(con, file, bytes_of) else None


def _later(file: Found, batch_id: str) -> str:
    """The identity of a full export that has been there before: its time tells it from the first."""
    return hashlib.sha256(f"{batch_id}\n{file.modified_at.isoformat()}".encode()).hexdigest()


def _identity(file: Found, by_name: bool) -> str:
    """The batch_id: the bytes, and what of the file's place says which question they answer, so that a renamed file is
    the same and equal bytes for two questions are not. `by_name` adds the file's name, where that is the rater: two
    people who answered alike have equal bytes."""
    folder = file.file_name.split("/")[0] if "/" in file.file_name else ""
    place = "" if file.options.question else folder
    parts = [file.sha256, file.options.prefix or "", place]
    if by_name:
        parts.append(stem(Path(file.file_name)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
