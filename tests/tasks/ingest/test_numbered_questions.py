"""Weekly exports in the inbox itself are questions of their own, and the output says so."""

from pathlib import Path

from tests.tasks.inbox import InboxProject

ROWS = "item,rater,label\n1,ann,x\n1,ben,y\n2,ann,y\n2,ben,y\n"


def test_files_that_differ_by_a_number_are_said(tmp_path: Path) -> None:
    project = InboxProject(tmp_path)
    (project.inbox / "w1.csv").write_text(ROWS, encoding="utf-8")
    (project.inbox / "w2.csv").write_text(ROWS + "3,ann,x\n", encoding="utf-8")
    (project.inbox / "tone").mkdir()
    (project.inbox / "tone" / "w3.csv").write_text(ROWS + "4,ann,x\n", encoding="utf-8")
    (project.inbox / "w4.csv").write_text(
        ROWS.replace("item,", "question,item,").replace("\n", "\nq,", 4), encoding="utf-8"
    )
    notes = {result.file_name: " ".join(result.warnings) for result in project.ingest()}
    assert [name for name, text in notes.items() if "becomes a separate question beside" in text] == ["w2.csv"]
    assert "'w2' becomes a separate question beside 'w1', because the files name none." in notes["w2.csv"]


def test_a_copy_that_becomes_another_question_is_said(tmp_path: Path) -> None:
    project = InboxProject(tmp_path)
    (project.inbox / "monday.csv").write_text(ROWS, encoding="utf-8")
    (project.inbox / "tuesday.csv").write_text(ROWS, encoding="utf-8")
    (project.inbox / "tone").mkdir()
    for name in ("a", "b"):
        (project.inbox / "tone" / f"{name}.csv").write_text(ROWS + "5,ann,x\n", encoding="utf-8")
    notes = {result.file_name: " ".join(result.warnings) for result in project.ingest()}
    assert sorted(notes) == ["monday.csv", "tone/a.csv", "tuesday.csv"]
    assert [name for name, text in notes.items() if "same content" in text] == ["tuesday.csv"]
    assert "as monday.csv, but counts as another question (tuesday beside monday)" in notes["tuesday.csv"]
