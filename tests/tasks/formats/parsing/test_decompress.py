"""Compressed files: what is in them counts, and nothing that they say of themselves is believed."""

import gzip
import io
import stat
import zipfile
from pathlib import Path

import pyarrow
import pytest

import tasks.formats.parsing.decompress as unpack
from tasks.errors import ReadError
from tasks.formats import FORMATS, ReadOptions
from tasks.formats.parsing.limits import Limits
from tasks.ingest.read_export import detect, read_export
from tasks.single_file.gold_file import read_gold
from tasks.single_file.inspect_file import inspect_file

EXPORTS = Path(__file__).parents[3] / "data" / "exports"
SMALL = ReadOptions(limits=Limits(max_unpacked_size=3 << 20))
CROWD = (EXPORTS / "long" / "crowd.csv").read_bytes()


def zipped(*members: tuple[str, bytes], mode: int = 0) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def write(tmp_path: Path, data: bytes, name: str) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


PACKED = {
    "crowd.csv.gz": gzip.compress(CROWD),
    "crowd.csv.zst": pyarrow.compress(CROWD, codec="zstd", asbytes=True),
    "crowd.zip": zipped(("export/table.csv", CROWD), ("__MACOSX/._table.csv", b"x"), ("export/.DS_Store", b"x")),
    "crowd.csv": gzip.compress(CROWD[:20]) + gzip.compress(CROWD[20:]),
}


@pytest.mark.parametrize("name", PACKED)
def test_what_is_packed_is_read_as_if_it_were_not(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, PACKED[name], name)
    assert detect(path) == "long"
    assert read_export(path).rows.equals(read_export(EXPORTS / "long" / "crowd.csv").rows)
    assert FORMATS["long"].read(path).rows.height == 6
    assert inspect_file(path)["n_ratings"] == 6


def test_correct_answers_may_be_packed(tmp_path: Path) -> None:
    assert read_gold(write(tmp_path, gzip.compress(b"item,label\n1,a\n"), "gold.csv.gz")).rows() == [("1", "a")]
    with pytest.raises(ReadError, match="holds 2 files"):
        read_gold(write(tmp_path, zipped(("a.csv", b"item,label\n1,a\n"), ("b.csv", b"item,label\n")), "gold.zip"))


def test_nothing_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    read_export(write(tmp_path, PACKED["crowd.zip"], "crowd.zip"))
    with pytest.raises(ReadError):
        read_export(write(tmp_path, zipped(("a.csv", b"one line")), "bad.zip"))
    assert not list((tmp_path / "temporary").iterdir())


def test_several_files_are_read_as_one_and_rejects_name_theirs(tmp_path: Path) -> None:
    path = write(tmp_path, zipped(("a.csv", CROWD), ("sub/b.csv", b"item,rater,label\n9,w\n8,w,dog\n")), "tone.zip")
    export = read_export(path)
    assert export.rows.height == 7
    assert set(export.rows["question"]) == {"tone"}
    assert export.rejects.select("row_number", "reason", "detail").rows() == [
        (2, "ragged_row", "b.csv: The row has 2 cells, the header has 3.")
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped(("../../out.csv", CROWD)), "leads out of the archive"),
        (zipped(("/etc/out.csv", CROWD)), "leads out of the archive"),
        (zipped(("..\\out.csv", CROWD)), "leads out of the archive"),
        (zipped(("C:out.csv", CROWD)), "leads out of the archive"),
        (zipped(("link.csv", b"/etc/passwd"), mode=stat.S_IFLNK | 0o777), "holds a link"),
        (zipped(("inner.zip", zipped(("a.csv", CROWD)))), "inner.zip is a zip archive"),
        (zipped(("inner.csv.gz", gzip.compress(CROWD))), "is a gzip file"),
        (zipped(("[Content_Types].xml", b"<x/>"), ("xl/workbook.xml", b"<x/>")), "as an Excel workbook"),
        (zipped(("[Content_Types].xml", b"<x/>"), ("word/document.xml", b"<x/>")), "an Office document"),
        (zipped(), "no file in it"),
        (zipped(("folder/", b"")), "no file in it"),
        (zipped(("a.csv", CROWD))[:-30], "zip archive that cannot be unpacked"),
        (gzip.compress(CROWD, mtime=0)[:-9], "gzip file that cannot be unpacked"),
        (gzip.compress(b"", mtime=0), "with nothing in it"),
        (PACKED["crowd.csv.zst"][:-5], "zstd file that cannot be unpacked"),
        (b"PK\x03\x04....", "zip archive that cannot be unpacked"),
        (b"\x28\xb5\x2f\xfd....", "zstd file that cannot be unpacked"),
    ],
)
def test_what_is_damaged_or_hostile_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = write(tmp_path, data, "packed.bin")
    with pytest.raises(ReadError, match=message) as caught:
        read_export(path)
    assert caught.value.hint
    assert caught.value.file == str(path)
    assert sorted(tmp_path.iterdir()) == [path]


def test_encrypted_files_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(("a.csv", CROWD)))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    with pytest.raises(ReadError, match="is encrypted"):
        read_export(write(tmp_path, bytes(data), "locked.zip"))


@pytest.mark.parametrize("name", ["bomb.gz", "bomb.zst", "bomb.zip", "two.zip"])
def test_the_limit_counts_what_comes_out(tmp_path: Path, name: str) -> None:
    big = CROWD + b"\n" * (4 << 20)
    data = {
        "bomb.gz": gzip.compress(big),
        "bomb.zst": pyarrow.compress(big, codec="zstd", asbytes=True),
        "bomb.zip": zipped(("a.csv", big)),
        "two.zip": zipped(("a.csv", big[: 2 << 20]), ("b.csv", big[: 2 << 20])),
    }[name]
    with pytest.raises(ReadError, match="unpacks to more than 3 MiB") as caught:
        read_export(write(tmp_path, data, name), SMALL)
    assert "max_unpacked_size" in caught.value.hint


@pytest.mark.parametrize("name", ["bomb.gz", "bomb.zip"])
def test_what_grows_far_too_much_is_refused_early(tmp_path: Path, name: str) -> None:
    big = CROWD + b"x" * (80 << 20)
    data = gzip.compress(big) if name == "bomb.gz" else zipped(("a.csv", big))
    with pytest.raises(ReadError, match=r"unpacks to more than 64 MiB, 200 times its size\."):
        read_export(write(tmp_path, data, name))


def test_a_member_without_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="leads out of the archive"):
        read_export(write(tmp_path, zipped(("\0", CROWD)), "blank.zip"))


def test_a_size_that_an_archive_makes_up_is_not_believed(tmp_path: Path) -> None:
    data = bytearray(zipped(("a.csv", CROWD + b"\n" * (4 << 20))))
    place = data.index(b"PK\x01\x02") + 24
    data[place : place + 4] = (100).to_bytes(4, "little")
    with pytest.raises(ReadError):
        read_export(write(tmp_path, bytes(data), "liar.zip"), SMALL)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpack, "MAX_MEMBERS", 2)
    members = [(f"{n}.csv", CROWD) for n in range(3)]
    with pytest.raises(ReadError, match="holds 3 files; 2 is the limit"):
        read_export(write(tmp_path, zipped(*members), "many.zip"))


def test_the_question_of_a_packed_file_is_its_own_name(tmp_path: Path) -> None:
    assert set(read_export(write(tmp_path, PACKED["crowd.csv.gz"], "tone.csv.gz")).rows["question"]) == {"tone"}
    named = read_export(tmp_path / "tone.csv.gz", ReadOptions(question="mood"))
    assert set(named.rows["question"]) == {"mood"}
