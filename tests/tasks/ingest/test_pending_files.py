"""Which files are one batch: equal bytes are, unless the file's name says who rated."""

import gzip
import shutil
import zipfile
from pathlib import Path

import pytest

from tasks.fingerprint import as_json
from tasks.formats import FORMATS, ReadOptions
from tasks.ingest.duplicates import DuplicateRule
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.ingest.pending_files import BatchRegister, settings_of
from tasks.sources.folder import FolderSource, find_files
from warehouse.connect import connect

LINES = '{"id":1,"text":"t","label":["a"],"Comments":[]}\n{"id":2,"text":"u","label":["b"],"Comments":[]}\n'
TABLE = "item,rater,label\n1,ann,x\n2,ann,y\n"


def take(db: Path, inbox: Path, **options: object) -> list[FileResult]:
    return list(ingest(db, find_files([FolderSource("inbox", inbox, options=ReadOptions(**options))]).readable))  # type: ignore[arg-type]


def write(inbox: Path, content: str, *names: str) -> None:
    for name in names:
        (inbox / name).parent.mkdir(parents=True, exist_ok=True)
        (inbox / name).write_text(content, encoding="utf-8")


def test_two_people_who_answered_alike_are_two_batches(db: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    write(inbox, LINES, "tone/bob.jsonl", "tone/carol.jsonl")
    assert [(result.file_name, result.counts.n_ratings) for result in take(db, inbox)] == [
        ("tone/bob.jsonl", 2), ("tone/carol.jsonl", 2),
    ]  # fmt: skip
    assert take(db, inbox) == []
    with connect(db) as con:
        rows = con.execute("select question, rater, count(*) from ratings group by all order by all").fetchall()
    assert rows == [("tone", "bob", 2), ("tone", "carol", 2)]


def test_a_third_one_later_is_taken_in_alone(db: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    write(inbox, LINES, "tone/bob.jsonl")
    take(db, inbox)
    write(inbox, LINES, "tone/dora.jsonl")
    assert [result.file_name for result in take(db, inbox)] == ["tone/dora.jsonl"]


def test_two_equal_tables_are_two_batches_if_their_names_are_raters(db: Path, tmp_path: Path) -> None:
    inbox, columns = tmp_path / "inbox", {"rater": "{file}", "item": "id"}
    write(inbox, "id,label\n1,x\n2,y\n", "tone/bob.csv", "tone/carol.csv")
    assert [result.file_name for result in take(db, inbox, columns=columns)] == ["tone/bob.csv", "tone/carol.csv"]
    assert take(db, inbox, columns=columns) == []
    shutil.move(inbox / "tone/bob.csv", inbox / "tone/dora.csv")
    assert [result.file_name for result in take(db, inbox, columns=columns)] == ["tone/dora.csv"]
    with connect(db) as con:
        rows = con.execute("select question, rater, count(*) from ratings group by all order by all").fetchall()
    assert rows == [("tone", rater, 2) for rater in ("bob", "carol", "dora")]


def test_a_table_stays_one_batch_under_any_name(db: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    write(inbox, TABLE, "tone/a.csv", "tone/b.csv")
    assert [result.file_name for result in take(db, inbox)] == ["tone/a.csv"]
    shutil.move(inbox / "tone/a.csv", inbox / "tone/c.csv")
    assert take(db, inbox) == []


def test_packed_files_are_taken_in_under_their_own_names(db: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "tone.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    with zipfile.ZipFile(inbox / "mood.zip", "w") as archive:
        for name in ("bob.jsonl", "carol.jsonl"):
            archive.writestr(name, LINES)
    assert [(result.file_name, result.reader, result.counts.n_ratings) for result in take(db, inbox)] == [
        ("mood.zip", "doccano", 4), ("tone.csv.gz", "long", 2),
    ]  # fmt: skip
    assert take(db, inbox) == []
    with connect(db) as con:
        rows = con.execute("select distinct question, rater from ratings order by all").fetchall()
    assert rows == [("mood", "bob"), ("mood", "carol"), ("tone", "ann")]


def test_what_was_refused_is_tried_again_when_there_is_a_new_reader(db: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    write(inbox, LINES, "tone/bob.jsonl")
    every = dict(FORMATS)
    FORMATS.pop("doccano")
    try:
        assert [result.status for result in take(db, inbox)] == ["rejected"]
        assert take(db, inbox) == []
    finally:
        # in the order that they had: detection asks them in turn, and monkeypatch would put doccano last
        FORMATS.clear()
        FORMATS.update(every)
    assert [result.status for result in take(db, inbox)] == ["stored"]
    assert take(db, inbox) == []


def test_the_file_of_all_is_refused_once_and_read_under_a_name(db: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    write(inbox, LINES, "all.jsonl")
    assert [result.status for result in take(db, inbox)] == ["rejected"]
    assert take(db, inbox) == []
    shutil.move(inbox / "all.jsonl", inbox / "eve.jsonl")
    assert [result.status for result in take(db, inbox)] == ["stored"]


def test_the_settings_are_hashed_as_they_always_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another text of the same settings would have files read again that nothing was changed for."""
    write(tmp_path, TABLE, "a.csv")
    (file,) = find_files([FolderSource("inbox", tmp_path)]).readable
    monkeypatch.setattr("tasks.ingest.pending_files.fingerprint", as_json)
    monkeypatch.setattr("tasks.ingest.pending_files.FORMATS", ["long"])
    monkeypatch.setattr("tasks.ingest.pending_files.PREFERENCE_FORMATS", [])
    monkeypatch.setattr("tasks.ingest.pending_files.version", lambda _: "1.0")
    rules = IngestRules({"tone": ("yes", "no")}, {"tone": DuplicateRule("repeats", frozenset({"lead", "bot"}))})
    assert settings_of(file, rules).endswith(
        ', {"tone": ["yes", "no"]}, {"tone": {"once": ["bot", "lead"], "rule": "repeats"}}, ["long"], "1.0", null]'
    )


SIDE_BY_SIDE = "item,rater,tone,length\n1,ann,kind,long\n1,bob,rude,short\n"


def read_otherwise(db: Path, *sources: FolderSource) -> list[str]:
    files = find_files(sources).readable
    return BatchRegister(db, files).read_otherwise(files, IngestRules())


def folder_of(inbox: Path, label: str | None, **options: object) -> FolderSource:
    columns = {"label": label} if label else {}
    return FolderSource("inbox", inbox, options=ReadOptions(columns=columns, **options))  # type: ignore[arg-type]


def test_files_that_other_columns_or_another_question_would_read_otherwise_are_named(db: Path, tmp_path: Path) -> None:
    """They are not read again: the change of the settings may be meant for new files."""
    inbox = tmp_path / "inbox"
    write(inbox, SIDE_BY_SIDE, "form.csv")
    assert [result.counts.n_ratings for result in take(db, inbox, columns={"label": "tone"})] == [2]
    assert read_otherwise(db, folder_of(inbox, "tone")) == []
    assert take(db, inbox, columns={"label": "tone|length"}) == []
    (sentence,) = read_otherwise(db, folder_of(inbox, "tone|length"))
    assert sentence.startswith("form.csv was read before columns or question of its source changed in kappaflow.toml")
    assert "`kappaflow withdraw FILE --undo`" in sentence
    assert len(read_otherwise(db, folder_of(inbox, "tone", question="mood"))) == 1
    assert read_otherwise(db, folder_of(inbox, "tone", question="form")) == []  # as its name says
    assert read_otherwise(db, folder_of(inbox, None)) == []  # the reader may find the same column
    write(inbox, SIDE_BY_SIDE.replace("kind", "rude"), "more.csv")
    take(db, inbox, columns={"label": "tone"})
    (sentence,) = read_otherwise(db, folder_of(inbox, "length"))
    assert sentence.startswith("form.csv, more.csv were read before columns or question of their source changed")


def test_two_sources_that_read_two_columns_of_a_file_are_no_change(db: Path, tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    write(inbox, SIDE_BY_SIDE, "form.csv")
    both = (folder_of(inbox, "tone", question="tone"), folder_of(inbox, "length", question="length"))
    results = list(ingest(db, find_files(both).readable))
    assert [note for result in results for note in result.warnings if "another question" in note] == []
    assert len(results) == 2
    assert read_otherwise(db, *both) == []


def test_a_file_that_counts_again_under_a_prefix_says_how_to_take_the_former_question_back(
    db: Path, tmp_path: Path
) -> None:
    """It said that the file had the same content as itself, because the files name no question."""
    inbox = tmp_path / "inbox"
    write(inbox, TABLE, "tone/a.csv")
    take(db, inbox)
    (again,) = take(db, inbox, prefix="lab")
    (note,) = [note for note in again.warnings if "another question" in note]
    assert note.startswith(
        "It was stored before as another question (lab/tone beside tone), and both count, because the"
    )
    with connect(db) as con:
        ((former,),) = con.execute("select batch_id from batches order by ingested_at limit 1").fetchall()
    assert f"`kappaflow withdraw {former[:12]}`" in note
