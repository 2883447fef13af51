"""Files that are replaced in one step."""

import errno
from pathlib import Path

import pytest

from tasks.atomic_files import write_atomically


def test_a_folder_that_takes_no_file_is_told_by_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**options: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", f"{tmp_path}/.report.html.x1y2.tmp")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(OSError, match="Read-only") as error:
        write_atomically(tmp_path / "report.html", "text")
    assert error.value.filename == str(tmp_path / "report.html")


def test_the_old_file_stays_if_the_new_one_cannot_be_finished(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_atomically(path, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "new \udc80")
    assert path.read_text(encoding="utf-8") == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
