"""Tables that each person filled in alone: the file's name is the rater, if the mapping says so."""

import zipfile
from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export
from tasks.single_file.several_files import read_files

COLUMNS = {"item": "id", "label": "tone", "rater": "{file}"}
TABLE = "id,tone\n1,good\n2,bad\n"


def rows(path: Path, **options: object) -> list[tuple[str, str, str, str]]:
    export = read_export(path, ReadOptions(columns=COLUMNS, **options))  # type: ignore[arg-type]
    return export.rows.select("question", "item", "rater", "label").rows()


def test_the_rater_is_the_name_of_the_file_and_the_question_is_not(tmp_path: Path) -> None:
    path = tmp_path / "José Díaz.csv"
    path.write_text(TABLE, encoding="utf-8")
    assert rows(path) == [("ratings", "1", "José Díaz", "good"), ("ratings", "2", "José Díaz", "bad")]
    assert {row[0] for row in rows(path, question="tone")} == {"tone"}
    assert {row[0] for row in rows(path, fallback_question="mood")} == {"mood"}


def test_each_file_of_an_archive_is_by_one_rater(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("ann.csv", "ben.csv"):
            archive.writestr(name, TABLE)
    assert sorted(rows(path)) == [("all", item, rater, label) for item, label in (("1", "good"), ("2", "bad"))
                                  for rater in ("ann", "ben")]  # fmt: skip


def test_several_files_are_one_question(tmp_path: Path) -> None:
    for name in ("ann.csv", "ben.jsonl"):
        (tmp_path / name).write_text(TABLE if name.endswith("csv") else '{"id": 1, "tone": "good"}\n', encoding="utf-8")
    export = read_files([tmp_path / "ann.csv", tmp_path / "ben.jsonl"], ReadOptions(columns=COLUMNS))
    assert sorted(export.rows.select("question", "rater", "item").rows()) == [
        ("ratings", "ann", "1"), ("ratings", "ann", "2"), ("ratings", "ben", "1"),
    ]  # fmt: skip


def test_a_system_is_declared_by_the_name_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "gpt_judge.csv"
    path.write_text(TABLE, encoding="utf-8")
    options = ReadOptions(columns=COLUMNS, systems=frozenset({"gpt_judge"}))
    assert read_export(path, options).rows["rater_kind"].to_list() == ["system", "system"]


def test_a_column_of_that_name_is_a_column(tmp_path: Path) -> None:
    path = tmp_path / "ann.csv"
    path.write_text("id,tone,{file}\n1,good,eva\n1,bad,ben\n", encoding="utf-8")
    assert [row[2] for row in rows(path)] == ["eva", "ben"]


def test_items_may_be_named_by_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "ann.csv"
    path.write_text("id,turn,tone\n1,1,good\n1,2,bad\n", encoding="utf-8")
    export = read_export(path, ReadOptions(columns=COLUMNS | {"item": "id|turn"}))
    assert export.rows.select("item", "rater").rows() == [("1|1", "ann"), ("1|2", "ann")]


def test_what_is_still_missing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "ann.csv"
    path.write_text(TABLE, encoding="utf-8")
    with pytest.raises(ReadError, match="none of them is known as the label"):
        read_export(path, ReadOptions(columns={"rater": "{file}"}))
