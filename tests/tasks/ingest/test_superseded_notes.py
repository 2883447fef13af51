"""A file of ratings that are older than those that count says so."""

from pathlib import Path

import polars as pl

from tasks.formats import ReadOptions
from tasks.ingest.ingest_files import in_words
from tests.tasks.inbox import InboxProject

HEAD = "item,rater,label,time\n"


def test_new_ratings_that_are_not_in_force_are_counted(tmp_path: Path) -> None:
    project = InboxProject(tmp_path)
    newer = HEAD + "".join(f"{item},ann,yes,2026-03-02\n" for item in range(3))
    (project.inbox / "march.csv").write_text(newer)
    (march,) = project.ingest(ReadOptions(question="tone"))
    assert march.counts.n_not_in_force == 0
    older = HEAD + "".join(f"{item},ann,no,2026-01-02\n" for item in range(3)) + "7,ann,no,2026-01-02\n"
    (project.inbox / "january.csv").write_text(older)
    (january,) = project.ingest(ReadOptions(question="tone"))
    assert (january.counts.n_ratings, january.counts.n_not_in_force) == (4, 3)
    assert in_words(january).startswith("4 new ratings, 3 of them not in force, 0 unchanged")
    assert january.warnings[1:] == (
        "3 of 4 new ratings are not in force: another rating by the same rater of the same item counts, a newer one "
        "unless `duplicates` is set. They are kept in the history.",
    )
    (project.inbox / "april.csv").write_text(HEAD + "9,ann,no,2026-04-02\n")
    (april,) = project.ingest(ReadOptions(question="tone"))
    assert in_words(april).startswith("1 new rating, 0 unchanged")
    current = project.view("current_ratings").filter(pl.col("item") != "9").sort("item")
    assert current["label"].to_list() == ["yes", "yes", "yes", "no"]


def test_an_earlier_rating_of_the_same_file_is_not_in_force(tmp_path: Path) -> None:
    project = InboxProject(tmp_path)
    (project.inbox / "tone.csv").write_text(HEAD + "1,ann,yes,2026-01-02\n1,ann,no,2026-01-03\n2,ann,no,2026-01-03\n")
    (file,) = project.ingest()
    assert file.counts.n_not_in_force == 1
    assert file.warnings[1].startswith("1 of 3 new ratings is not in force:")
