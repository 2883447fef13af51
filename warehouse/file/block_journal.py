"""Keep what a checkpoint writes over, so that a checkpoint that was cut short can be undone.

DuckDB 2.0.0 writes a checkpoint to free blocks, and then a header that names them. But blocks that hold its own lists
("metadata blocks") and are partly free are written over in place. If the process is killed in the middle of such a
write, the old header names a block whose checksum is wrong, and the file does not open any more. So these blocks are
kept in a file beside the warehouse until the checkpoint has ended. If they are still there when the warehouse is opened
next, and the header is the old one, they are put back. The log then has all that the checkpoint would have written.
"""

import hashlib
import os
import stat
import struct
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import BinaryIO

import duckdb

from warehouse.file.flush import sync_folder

_HEADERS = 3 * 4096  # bytes: that of the file, and two of the database, which DuckDB writes in turn
_PIECES = 64  # in a metadata block, after its checksum
_CHECKSUM = 8  # bytes
_ENTRY = struct.Struct("<QQQ")  # the place of the block in the file, its size, a bit for each free piece
_METADATA_BLOCKS = """
    select
        block_id,
        free_list,
        (select block_size from pragma_database_size() where database_name = current_database()) as block_size
    from pragma_metadata_info()
    where free_blocks > 0
    order by block_id
"""
_handles: defaultdict[Path, list[BinaryIO]] = defaultdict(list)


@contextmanager
def kept_blocks(con: duckdb.DuckDBPyConnection, path: Path) -> Iterator[None]:
    """Keep what a checkpoint within the `with` block writes over in the warehouse. `con` is open for writing; call
    `close_handles` when it is closed.

    Nothing is kept if the log is empty, as there is no checkpoint then, or if there is no room for the journal.
    """
    journal = None
    if _has_log(path):
        with suppress(OSError, duckdb.Error):
            journal = _write_journal(con, path)
    yield
    if journal and not _has_log(path):  # Otherwise the checkpoint failed, perhaps in the middle.
        journal.unlink(missing_ok=True)


def close_handles(path: Path) -> None:
    """Close the handles of `kept_blocks`. Not before DuckDB has closed the file: closing any handle of a file releases
    all locks of this process on it."""
    for handle in _handles.pop(path, ()):
        handle.close()


def put_back_blocks(path: Path) -> None:
    """Undo a checkpoint of the warehouse that was cut short. Call it while this process does not have the file open.

    Does nothing if another process has the file open, or if this user may not write it.
    """
    if not _journals(path):
        return
    with suppress(OSError), path.open("r+b") as file:
        if not _lock(file):
            return
        for journal in reversed(_journals(path)):  # as each is to undo what came after it
            with suppress(OSError, ValueError, struct.error):  # one that cannot be read or was not written here
                _put_back(file, journal)
                journal.unlink()


def left_journal(path: Path) -> Path | None:
    """Return a journal of the warehouse that this user may not put back: to write the file, or to read the journal, is
    not allowed."""
    for journal in _journals(path):
        if not (os.access(path, os.W_OK) and os.access(journal, os.R_OK)):
            return journal
    return None


def _write_journal(con: duckdb.DuckDBPyConnection, path: Path) -> Path:
    handle = path.open("rb", buffering=0)
    _handles[path].append(handle)
    content = [_read(handle, 0, _HEADERS)]
    with con.cursor() as cursor:
        blocks = cursor.execute(_METADATA_BLOCKS).fetchall()
    for block_id, free_pieces, size in blocks:
        place = _HEADERS + block_id * size
        block = _read(handle, place, size)
        if len(block) == size:  # A new block is not in the file yet.
            content += [_ENTRY.pack(place, size, sum(1 << piece for piece in free_pieces)), block]
    journal = path.with_name(f"{_prefix(path)}{os.getpid()}-{time.monotonic_ns()}")
    try:
        _write(journal, path.stat(), content)
    except OSError:
        journal.unlink(missing_ok=True)
        raise
    return journal


def _write(journal: Path, warehouse: os.stat_result, content: Sequence[bytes]) -> None:
    """Write the content after its checksum, so that a journal that is not whole is not used. Whoever may not read the
    warehouse may not read the journal, and whoever may write the warehouse can put it back."""
    handle = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(handle, "wb") as file:
        _permit(handle, warehouse)
        file.writelines([hashlib.sha256(b"".join(content)).digest(), *content])
        file.flush()
        os.fsync(file.fileno())
    with suppress(OSError):  # Windows cannot flush a folder.
        sync_folder(journal.parent)


def _permit(handle: int, warehouse: os.stat_result) -> None:
    """Give the journal the owner, the group and the mode of the warehouse, as far as this user may."""
    if sys.platform == "win32":
        return
    mode = warehouse.st_mode & 0o777
    with suppress(OSError):
        os.fchown(handle, -1, warehouse.st_gid)
    if os.fstat(handle).st_gid != warehouse.st_gid:
        mode &= ~0o070
    with suppress(OSError):  # only the administrator may
        os.fchown(handle, warehouse.st_uid, -1)
    with suppress(OSError):
        os.fchmod(handle, mode)


def _put_back(file: BinaryIO, journal: Path) -> None:
    """Write the blocks of the journal into the file, if the file is as it was but for them."""
    headers = _read(file, 0, _HEADERS)
    with journal.open("rb") as kept:
        checksum = kept.read(hashlib.sha256().digest_size)
        if kept.read(_HEADERS) != headers or _size(kept) > 2 * _size(file):
            return  # The checkpoint ended, or this is no journal: it has no block twice.
        content = headers + kept.read()
    if hashlib.sha256(content).digest() != checksum:
        return  # The journal is not whole.
    blocks = dict(_entries(memoryview(content)))
    if any(_kept_pieces(_read(file, place, len(block)), free) != _kept_pieces(block, free)
           for (place, free), block in blocks.items()):  # fmt: skip
        return  # Another file has taken the place of the warehouse.
    for (place, _), block in blocks.items():
        file.seek(place)
        file.write(block)
    file.flush()
    os.fsync(file.fileno())


def _entries(content: memoryview) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Yield the place of each block, the bits of its free pieces, and its bytes."""
    start = _HEADERS
    while start < len(content):
        place, size, free = _ENTRY.unpack_from(content, start)
        start += _ENTRY.size
        yield (place, free), bytes(content[start : start + size])
        start += size


def _kept_pieces(block: bytes, free: int) -> list[bytes]:
    """Return the pieces that are in use: a checkpoint does not change them."""
    size = (len(block) - _CHECKSUM) // _PIECES & ~7  # DuckDB aligns them to eight bytes
    starts = (_CHECKSUM + piece * size for piece in range(_PIECES) if not free >> piece & 1)
    return [block[start : start + size] for start in starts]


def _read(file: BinaryIO, place: int, size: int) -> bytes:
    file.seek(place)
    return file.read(size)


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _lock(file: BinaryIO) -> bool:
    """Take the lock that DuckDB takes on a file that it writes, until `file` is closed. Return whether it was free."""
    if sys.platform == "win32":
        return True  # There, a file that DuckDB has open cannot be opened for writing.
    import fcntl

    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(f"{path.name}.wal").stat().st_size > 0
    except OSError:  # There is none, or another process has just removed it.
        return False


def _journals(path: Path) -> list[Path]:
    """List the journals, those of a process in the order in which it wrote them. In a folder that others may write
    there can be anything of that name: a pipe would be waited for."""
    named_so = path.parent.glob(f"{escape(_prefix(path))}*")
    return sorted(filter(_is_regular, named_so), key=lambda journal: (len(journal.name), journal.name))


def _is_regular(path: Path) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(path.lstat().st_mode)
    return False


def _prefix(path: Path) -> str:
    return f".{path.name}.blocks-"
