"""Sweeping a folder: what is finished is taken, what is stored may be put away, and nothing is overwritten."""

import errno
import logging
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

import tasks.sources.folder
from tasks.errors import InputError
from tasks.ingest.ingest_files import ingest
from tasks.sources.archive import archive_stored_files
from tasks.sources.folder import ExportFile, FolderSource, find_files
from warehouse.connect import connect
from warehouse.migrate import migrate

TABLE = "item,rater,label\n1,ann,yes\n2,ann,no\n"


def write(path: Path, text: str = TABLE, *, age: float = 60) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def names(result: list[ExportFile]) -> list[str]:
    return [file.file_name for file in result]


def run(db: Path, folder: FolderSource) -> list[Path]:
    result = find_files([folder]).readable
    list(ingest(db, result))
    return archive_stored_files(db, result)


def test_a_pattern_that_matches_none_of_the_files_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir()
    wrong = FolderSource("inbox", folder, pattern="*.csv,*.json")
    write(folder / "done/old.csv")
    assert find_files([replace(wrong, move_done=True)]).readable == []
    assert caplog.messages == []  # nothing else is there
    (folder / "done/old.csv").unlink()
    write(folder / "tone/a.csv")
    write(folder / "tone/b.csv.part")
    assert find_files([wrong]).readable == []
    assert caplog.messages == [
        "The pattern '*.csv,*.json' of [[source]] inbox matches no file, but files are there (1), such as tone/a.csv. "
        "Correct the pattern in kappaflow.toml, or leave it out to read all of them"
    ]
    assert names(find_files([FolderSource("inbox", folder)]).readable) == ["tone/a.csv"]
    assert names(find_files([wrong, FolderSource("tables", folder, pattern="**/*.csv")]).readable) == ["tone/a.csv"]
    assert len(caplog.messages) == 1  # another source reads it


def test_finished_files_are_taken_in_order_of_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("b.csv", "a/x.csv", ".hidden.csv", "c.csv.part", "d.tmp", "~$e.xlsx", "f.crdownload"):
        write(tmp_path / name)
    (tmp_path / "link.csv").symlink_to(tmp_path / "b.csv")
    assert names(find_files([FolderSource("in", tmp_path)]).readable) == ["a/x.csv", "b.csv"]
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["link.csv is a symbolic link"]
    with pytest.raises(InputError, match="does not exist"):
        find_files([FolderSource("in", tmp_path / "nothing")])
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="loop is a symbolic link that leads back to itself"):
        find_files([FolderSource("in", tmp_path / "loop")])
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is neither a file nor a folder"):
        find_files([FolderSource("in", tmp_path / "pipe")])


def test_the_folder_of_one_source_may_be_away_while_another_is_there(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.csv")
    folders = [FolderSource("in", tmp_path / "in"), FolderSource("disk/exports", tmp_path / "disk" / "exports")]
    files = find_files(folders)
    assert names(files.readable) == ["a.csv"]
    assert [(file.source, file.error.errno) for file in files.unreadable] == [("disk/exports", errno.ENOENT)]
    (tmp_path / "in").rename(tmp_path / "gone")
    with pytest.raises(InputError, match=r"The source folder .*in does not exist"):
        find_files(folders)


def test_old_files_are_taken_without_a_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.csv")
    monkeypatch.setattr(time, "sleep", pytest.fail)
    assert names(find_files([FolderSource("in", tmp_path)]).readable) == ["a.csv"]


@pytest.mark.parametrize("change", ["size", "time", "gone"])
def test_a_file_that_changes_while_it_is_looked_at_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, change: str
) -> None:
    growing, fresh = write(tmp_path / "growing.csv", age=0), write(tmp_path / "fresh.csv", age=0)

    def change_it(_: float) -> None:
        if change == "gone":
            growing.unlink()
        else:
            write(growing, TABLE + ("3,ann,yes\n" if change == "size" else ""), age=-1)

    monkeypatch.setattr(tasks.sources.folder.time, "sleep", change_it)
    with caplog.at_level(logging.WARNING, "kappaflow"):
        assert names(find_files([FolderSource("in", tmp_path)]).readable) == [fresh.name]
    assert "growing.csv is still being written: left for the next time" in caplog.text
    monkeypatch.setattr(tasks.sources.folder.time, "sleep", lambda _: None)
    if change != "gone":
        assert names(find_files([FolderSource("in", tmp_path)]).readable) == ["fresh.csv", "growing.csv"]


def test_stored_files_are_put_away_with_their_subfolder(tmp_path: Path, db: Path) -> None:
    folder = FolderSource("in", tmp_path / "in", move_done=True)
    write(folder.path / "tone" / "a.csv")
    bad = write(folder.path / "bad.csv", "just one line\n")
    assert run(db, folder) == [folder.path / "done" / "tone" / "a.csv"]
    assert bad.exists()  # it could not be read, and may be mended where it lies
    assert names(find_files([folder]).readable) == ["bad.csv"]
    assert (folder.path / "done" / "tone" / "a.csv").read_text(encoding="utf-8") == TABLE


def test_nothing_is_moved_unless_it_is_asked_for(tmp_path: Path, db: Path) -> None:
    folder = FolderSource("in", tmp_path / "in")
    path = write(folder.path / "a.csv")
    assert run(db, folder) == []
    assert path.exists()
    assert names(find_files([folder]).readable) == ["a.csv"]


def test_nothing_is_overwritten(tmp_path: Path, db: Path) -> None:
    folder = FolderSource("in", tmp_path / "in", move_done=True)
    texts = [TABLE, TABLE + "3,ann,yes\n", TABLE + "4,ann,yes\n", TABLE]
    for text in texts:
        write(folder.path / "a.csv", text)
        assert len(run(db, folder)) == 1
    results = {path.name: path.read_text(encoding="utf-8") for path in (folder.path / "done").iterdir()}
    assert results == dict(zip(["a.csv", "a-2.csv", "a-3.csv", "a-4.csv"], texts, strict=True))


def test_a_file_that_was_written_again_in_the_meantime_stays(tmp_path: Path, db: Path) -> None:
    folder = FolderSource("in", tmp_path / "in", move_done=True)
    path = write(folder.path / "a.csv")
    result = find_files([folder]).readable
    list(ingest(db, result))
    write(path, TABLE + "3,ann,yes\n", age=1)
    assert archive_stored_files(db, result) == []
    path.unlink()
    assert archive_stored_files(db, result) == []


def test_a_source_of_one_file_is_put_away_beside_it(tmp_path: Path, db: Path) -> None:
    path = write(tmp_path / "in" / "a.csv")
    assert run(db, FolderSource("in", path, move_done=True)) == [tmp_path / "in" / "done" / "a.csv"]


def test_the_settings_move_files_and_retry_finds_them(tmp_path: Path) -> None:
    """Through the steps of a flow: a moved file with rejected rows is read again where it lies now."""
    from flows.project_folder import find_project
    from flows.stages import ingest_sources

    settings = tmp_path / "kappaflow.toml"
    source = '[[source]]\npath = "inbox"\ndone = "move"\n'
    settings.write_text(source + '[questions.a]\nlabels = ["yes"]\n', encoding="utf-8")
    write(tmp_path / "inbox" / "a.csv")
    project = find_project(str(tmp_path))
    with connect(project.warehouse) as con:
        migrate(con)
    steps = _without_prefect()
    with steps:
        (first,) = ingest_sources(project)
        assert (first.counts.n_ratings, first.counts.n_rejected) == (1, 1)
        assert (tmp_path / "inbox" / "done" / "a.csv").exists()
        assert ingest_sources(project) == ()
        settings.write_text(source + '[questions.a]\nlabels = ["yes", "no"]\n', encoding="utf-8")
        (again,) = ingest_sources(find_project(str(tmp_path)), retry_rejects=True)
        assert (again.counts.n_ratings, again.counts.n_rejected) == (2, 0)
    assert sorted(path.name for path in (tmp_path / "inbox" / "done").iterdir()) == ["a.csv"]


def _without_prefect() -> pytest.MonkeyPatch:
    from contextlib import contextmanager

    from flows import prefect_tasks as steps

    @contextmanager
    def plain():
        with pytest.MonkeyPatch.context() as patch:
            for name in ("find_files", "ingest_files", "missing_files", "archive_files"):
                patch.setattr(steps, name, getattr(steps, name).fn)
            yield

    return plain()  # type: ignore[return-value]
