"""Files that two sources of a project read."""

from dataclasses import replace
from pathlib import Path

import pytest

from tasks.errors import InputError
from tasks.formats import ReadOptions
from tasks.ingest.shared_files import refuse_shared_files
from tasks.sources.folder import FolderSource, find_files

JUDGE = ReadOptions(systems=frozenset({"gpt"}))


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "judge.csv").write_text("item,rater,label\n1,ann,a\n1,gpt,b\n")
    return folder


@pytest.mark.parametrize(
    "other",
    [
        FolderSource("inbox", Path("inbox"), "**/*.csv", JUDGE),
        FolderSource("inbox", Path("inbox/../inbox"), options=ReadOptions(gold=frozenset({"ann"}))),
        FolderSource("inbox", Path("inbox"), options=ReadOptions(columns={"time": "at"})),
        FolderSource("inbox", Path("inbox"), full_export=True),
        FolderSource("part", Path("inbox/part"), options=JUDGE),
    ],
)
def test_settings_that_would_have_no_effect_are_refused(inbox: Path, other: FolderSource) -> None:
    sources = [FolderSource("inbox", inbox), replace(other, path=inbox.parent / other.path)]
    with pytest.raises(InputError, match=r"judge\.csv is read by two \[\[source\]\] of kappaflow\.toml") as caught:
        refuse_shared_files(find_files(sources).readable)
    assert caught.value.hint.startswith("Take the file out of one of them with another `path` or `pattern`")


@pytest.mark.parametrize(
    "options",
    [
        ReadOptions(),
        replace(JUDGE, prefix="x"),
        replace(JUDGE, question="x"),
        replace(JUDGE, columns={"label": "second"}),
        replace(JUDGE, timezone="Europe/Berlin"),
    ],
)
def test_two_readings_of_a_file_are_two_batches(inbox: Path, options: ReadOptions) -> None:
    sources = [FolderSource("inbox", inbox), FolderSource("inbox", inbox, options=options)]
    refuse_shared_files(find_files(sources).readable)
