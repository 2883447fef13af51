"""A file that two sources read."""

from pathlib import Path

import pytest

from tasks.formats import ReadOptions
from tasks.ingest.ingest_files import READ_TWICE, ingest
from tasks.sources.folder import FolderSource, find_files
from tests.tasks.inbox import InboxProject


@pytest.fixture
def project(tmp_path: Path) -> InboxProject:
    return InboxProject(tmp_path)


def sources(inbox: Path, *options: ReadOptions) -> list[FolderSource]:
    return [FolderSource("inbox", inbox, options=each) for each in options]


def test_a_file_that_two_sources_read_differently_is_noted(project: InboxProject) -> None:
    (project.inbox / "tone.csv").write_text("item,rater,label\n1,ann,a\n1,gpt,b\n")
    system = ReadOptions(systems=frozenset({"gpt"}))
    found = find_files(sources(project.inbox, ReadOptions(), system)).readable
    first, *_ = ingest(project.db, found)
    assert READ_TWICE in first.warnings
    assert project.view("current_ratings")["rater_kind"].unique().to_list() == ["human"]


def test_another_prefix_or_the_same_settings_are_no_contradiction(project: InboxProject) -> None:
    (project.inbox / "tone.csv").write_text("item,rater,label\n1,ann,a\n1,gpt,b\n")
    others = ReadOptions(systems=frozenset({"gpt"}), prefix="x")
    for result in ingest(project.db, find_files(sources(project.inbox, ReadOptions(), ReadOptions(), others)).readable):
        assert READ_TWICE not in result.warnings
