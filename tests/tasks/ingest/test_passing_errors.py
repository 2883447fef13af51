"""What the system does not let us read just now is no fault of the file: it is tried again, and the others go on."""

import errno
import gzip
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import tasks.sources.folder
from tasks.errors import ReadError, UnavailableError
from tasks.formats.parsing.system_errors import system_error
from tasks.ingest import ingest_files
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest, unread_files
from tasks.ingest.read_export import read_export
from tasks.sources.folder import FolderSource, find_files
from tests.tasks.workbook import workbook
from warehouse.connect import connect

ROOT = Path(__file__).parents[3]
TABLE = "item,rater,label\n1,ann,x\n2,ann,y\n"
OTHER = "item,rater,label\n1,bob,x\n2,bob,y\n3,bob,y\n"
PASSING = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EMFILE)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "inbox").mkdir()
    return tmp_path / "inbox"


def take(db: Path, inbox: Path, *, retry: bool = False) -> list[FileResult]:
    return list(ingest(db, find_files([FolderSource("inbox", inbox)]).readable, retry_rejects=retry))


def batches(db: Path) -> list[tuple[object, ...]]:
    with connect(db) as con:
        return con.execute("select file_name, status, attempt from batches order by file_name").fetchall()


def packed(inbox: Path, kind: str) -> Path:
    path = inbox / f"tone.{kind}"
    if kind == "csv.gz":
        path.write_bytes(gzip.compress(TABLE.encode()))
    elif kind == "csv.zst":
        with pyarrow.CompressedOutputStream(str(path), "zstd") as file:
            file.write(TABLE.encode())
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("tone.csv", TABLE)
    return path


@pytest.mark.field_trial(21)
@pytest.mark.parametrize("kind", ["csv.gz", "csv.zst", "zip"])
@pytest.mark.parametrize("number", PASSING)
def test_no_room_to_unpack_is_no_refusal(
    db: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch, kind: str, number: int
) -> None:
    packed(inbox, kind)
    (inbox / "zeal.csv").write_text(OTHER)

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as full:
        full.setattr("tasks.formats.parsing.decompress._copy", fail)
        failed, other = take(db, inbox)
    assert (failed.status, failed.reason, failed.counts.n_ratings) == ("failed", "unavailable", 0)
    assert failed.detail is not None
    assert failed.detail.startswith(f"tone.{kind} could not be read: {os.strerror(number)}. ")
    assert failed.detail.endswith(" The next run tries it again.")
    assert (other.file_name, other.status) == ("zeal.csv", "stored")
    assert batches(db) == [("zeal.csv", "stored", 1)]
    assert [(result.status, result.counts.n_ratings) for result in take(db, inbox)] == [("stored", 2)]
    assert take(db, inbox) == []


@pytest.mark.field_trial(21)
def test_a_temporary_folder_without_room(
    db: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For real, where a file system may be mounted."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=False, capture_output=True
    ).returncode:
        pytest.skip("no file system can be mounted here")
    rows = "".join(f"{n},ann,x{n % 3}\n" for n in range(20_000))
    (inbox / "tone.csv.gz").write_bytes(gzip.compress(f"item,rater,label\n{rows}".encode()))
    try:
        with monkeypatch.context() as small:
            small.setattr(tempfile, "tempdir", str(disk))
            assert [(result.status, result.reason) for result in take(db, inbox)] == [("failed", "unavailable")]
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)
    assert [result.counts.n_ratings for result in take(db, inbox)] == [20_000]


@pytest.mark.field_trial(21)
@pytest.mark.parametrize("name", ["tone.csv", "tone.csv.gz", "tone.zip", "tone.parquet", "tone.xlsx", "tone.json"])
def test_a_file_that_vanishes_and_comes_back(db: Path, inbox: Path, name: str) -> None:
    path = inbox / name
    content = {
        "csv": TABLE.encode(),
        "json": b'[{"item": 1, "rater": "a", "label": "x"}, {"item": 2, "rater": "a", "label": "y"}]',
    }
    path.write_bytes(content.get(path.suffix[1:], TABLE.encode()))
    if name == "tone.parquet":
        import polars as pl

        pl.read_csv(TABLE.encode()).write_parquet(path)
    elif name == "tone.xlsx":
        path.write_bytes(workbook({"s": [line.split(",") for line in TABLE.splitlines()]}))
    elif name != "tone.csv" and name != "tone.json":
        packed(inbox, name.removeprefix("tone."))
    result = find_files([FolderSource("inbox", inbox)]).readable
    path.rename(inbox.parent / name)
    (failed,) = ingest(db, result)
    assert (failed.status, failed.reason) == ("failed", "unavailable")
    assert batches(db) == []
    (inbox.parent / name).rename(path)
    assert [(result.status, result.counts.n_ratings) for result in take(db, inbox)] == [("stored", 2)]


@pytest.mark.field_trial(21)
def test_a_refused_file_is_always_tried_by_retry_rejects(
    db: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an earlier version left it: refused under its hash, though nothing is wrong with the file."""
    packed(inbox, "csv.gz")
    with monkeypatch.context() as broken:
        broken.setattr("tasks.formats.parsing.decompress._copy", _raise(ValueError("as if the bytes were damaged")))
        assert [result.status for result in take(db, inbox)] == ["rejected"]
        assert [result.status for result in take(db, inbox, retry=True)] == ["rejected"]
    assert batches(db) == [("tone.csv.gz", "rejected", 1)]
    assert take(db, inbox) == []
    assert [(result.status, result.counts.n_ratings) for result in take(db, inbox, retry=True)] == [("stored", 2)]
    assert batches(db) == [("tone.csv.gz", "stored", 2)]
    assert take(db, inbox, retry=True) == []


def _raise(error: Exception) -> Callable[..., int]:
    def fail(*_: object) -> int:
        raise error

    return fail


@pytest.mark.field_trial(21)
@pytest.mark.parametrize("name", ["bad.csv.gz", "bad.csv.zst", "bad.zip", "bad.xlsx", "bad.parquet"])
def test_damaged_bytes_are_the_fault_of_the_file(inbox: Path, name: str) -> None:
    magic = {"bad.csv.gz": b"\x1f\x8b", "bad.csv.zst": b"\x28\xb5\x2f\xfd", "bad.parquet": b"PAR1"}
    path = inbox / name
    path.write_bytes(magic.get(name, b"PK\x03\x04") + b"(os error 28)" * 9 + b"PAR1" * (name == "bad.parquet"))
    with pytest.raises(ReadError) as caught:
        read_export(path)
    assert not isinstance(caught.value, UnavailableError)


@pytest.mark.field_trial(21)
def test_what_libraries_say_of_the_system() -> None:
    import fastexcel
    import polars as pl

    for read in (pl.read_csv, pl.read_parquet, lambda name: pyarrow.CompressedInputStream(name, "zstd")):
        with pytest.raises(OSError, match=r"os error 2|errno 2") as caught:
            read("/no/such.file")
        assert system_error(caught.value) == errno.ENOENT
    with pytest.raises(fastexcel.FastExcelError) as told:
        fastexcel.read_excel("/no/such.xlsx")
    assert system_error(told.value) == errno.ENOENT
    assert system_error(pl.exceptions.ComputeError("could not parse '(os error 28)'")) is None
    assert system_error(OSError(errno.EINVAL, "negative place in an archive")) is None


@pytest.mark.field_trial(22)
def test_one_unreadable_file_does_not_stop_the_others(db: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.csv", "b.csv", "c.csv"):
        (inbox / name).write_text(TABLE.replace("ann", name))
    real = tasks.sources.folder.sha256

    def locked(path: Path) -> str:
        if path.name == "b.csv":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(tasks.sources.folder, "sha256", locked)
    swept = find_files([FolderSource("inbox", inbox)])
    (failed,) = unread_files(swept.unreadable)
    assert (failed.file_name, failed.status) == ("b.csv", "failed")
    assert failed.detail == (
        "b.csv could not be read: Permission denied. Give the user who runs kappaflow the right to read it. The next "
        "run tries it again."
    )
    assert [result.file_name for result in ingest(db, swept.readable)] == ["a.csv", "c.csv"]
    assert batches(db) == [("a.csv", "stored", 1), ("c.csv", "stored", 1)]


AS_A_USER = """
import os, sys
from pathlib import Path
from flows.settings.model import load_settings
from tasks.formats.parsing.file_look import check_file
from tasks.errors import SettingsError
from tasks.sources.folder import FolderSource, find_files, single_file
# as in Python 3.14, which says false where older ones raise PermissionError
Path.exists, Path.is_file, Path.is_dir = (
    lambda self: os.path.exists(self), lambda self: os.path.isfile(self), lambda self: os.path.isdir(self)
)
os.setuid(65534)
inbox = Path(sys.argv[1])
swept = find_files([FolderSource("inbox", inbox)])
print([file.file_name for file in swept.readable], [(one.file_name, one.error.errno) for one in swept.unreadable])
swept = find_files([FolderSource("inbox", inbox / "closed" / "folder")])
print(len(swept.readable), [(one.file_name, one.error.errno) for one in swept.unreadable])
hidden = inbox / "closed" / "c.csv"
source = FolderSource("inbox", inbox)
for look in (check_file, lambda path: single_file(path, source), lambda path: load_settings(path.parent)):
    try:
        print(look(hidden))
    except (PermissionError, SettingsError) as error:
        print(type(error).__name__)
"""


@pytest.mark.field_trial(22)
@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can become another user")
def test_a_file_and_a_folder_that_another_user_may_not_read(inbox: Path) -> None:
    for name in ("a.csv", "locked.csv", "closed/c.csv", "listed/d.csv", "open/e.csv"):
        (inbox / name).parent.mkdir(exist_ok=True)
        (inbox / name).write_text(TABLE)
    for folder in (inbox, *inbox.parents):
        if folder.stat().st_uid == os.getuid() and len(folder.parts) > 2:
            folder.chmod(0o755)
    (inbox / "locked.csv").chmod(0)
    (inbox / "closed").chmod(0)
    (inbox / "listed").chmod(0o744)  # its names may be read, what they stand for not
    result = subprocess.run(
        [sys.executable, "-c", AS_A_USER, inbox], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.stdout.splitlines() == [
        "['a.csv', 'open/e.csv'] [('closed', 13), ('listed/d.csv', 13), ('locked.csv', 13)]",
        "0 [('folder', 13)]",
        "PermissionError",
        "PermissionError",
        "SettingsError",
    ], result.stderr


@pytest.mark.field_trial(23)
@pytest.mark.parametrize("change", ["longer", "same size and time", "same size at once"])
def test_a_file_that_changes_between_hash_and_read_is_left(
    db: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, change: str
) -> None:
    path = inbox / "tone.csv"
    path.write_text(TABLE)
    if change != "same size at once":
        os.utime(path, (1e9, 1e9))
    results = find_files([FolderSource("inbox", inbox)]).readable
    path.write_text(OTHER if change == "longer" else TABLE.replace("x", "z"))
    if change == "same size and time":
        os.utime(path, (1e9, 1e9))
    with caplog.at_level("WARNING", "kappaflow"):
        assert list(ingest(db, results)) == []
    assert "tone.csv was changed while it was read: left for the next time" in caplog.text
    assert batches(db) == []
    monkeypatch.setattr(tasks.sources.folder.time, "sleep", lambda _: None)
    (result,) = take(db, inbox)
    with connect(db) as con:
        ((sha256,),) = con.execute("select sha256 from batches").fetchall()
    assert sha256 == tasks.sources.folder.sha256(path)
    assert result.counts.n_ratings == (3 if change == "longer" else 2)


@pytest.mark.field_trial(23)
def test_a_file_that_is_broken_while_it_changes_is_not_refused(db: Path, inbox: Path) -> None:
    path = inbox / "tone.csv"
    path.write_text(TABLE)
    result = find_files([FolderSource("inbox", inbox)]).readable
    path.write_text("half\n")
    assert list(ingest(db, result)) == []
    path.write_text(TABLE)
    assert [result.status for result in take(db, inbox)] == ["stored"]


def test_a_file_that_another_run_stores_meanwhile_counts_once(
    db: Path, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other run begins and ends between the reading of this one and its transaction."""
    (inbox / "tone.csv").write_text(TABLE)
    read_file, others = ingest_files.read_file, []

    def read_while_another_run_stores(*arguments: Any) -> Any:
        content = read_file(*arguments)
        monkeypatch.setattr(ingest_files, "read_file", read_file)
        others.extend(take(db, inbox))
        return content

    monkeypatch.setattr(ingest_files, "read_file", read_while_another_run_stores)
    assert take(db, inbox) == []
    assert [(result.status, result.counts.n_ratings) for result in others] == [("stored", 2)]
    assert batches(db) == [("tone.csv", "stored", 1)]
