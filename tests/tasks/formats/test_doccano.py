"""doccano: a file per user, a zip of them, and the file of all that names nobody."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from tasks.errors import ReadError, UnknownFormatError
from tasks.formats import ReadOptions
from tasks.ingest.read_export import rater_in_name, read_export

EXPORTS = Path(__file__).parents[2] / "data" / "exports" / "doccano"
LINE = '{"id":1,"text":"t","label":["a"],"Comments":[]}\n'


def test_the_rater_is_the_name_of_the_file_and_the_question_is_not(tmp_path: Path) -> None:
    path = tmp_path / "dora.m.jsonl"
    path.write_text(LINE * 2, encoding="utf-8")
    assert read_export(path).rows.select("question", "rater").row(0) == ("doccano", "dora.m")
    named = read_export(path, ReadOptions(fallback_question="tone"))
    assert named.rows.select("question", "rater").row(0) == ("tone", "dora.m")
    assert read_export(path, ReadOptions(question="mood")).rows["question"].to_list() == ["mood"] * 2


def test_a_zip_is_its_files_under_the_zips_name() -> None:
    rows = read_export(EXPORTS / "team.zip").rows
    apart = [read_export(EXPORTS / name).rows for name in ("bob.jsonl", "carol.json")]
    assert rows.drop("question").rows() == [row for result in apart for row in result.drop("question").rows()]
    assert set(rows["question"]) == {"team"}


def test_a_zip_with_the_file_of_all_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("all.jsonl", LINE * 2)
    with pytest.raises(UnknownFormatError, match=r"all\.jsonl: .* do not say who labelled") as caught:
        read_export(path)
    assert caught.value.file == str(path)


def test_metadata_and_another_key_for_the_item(tmp_path: Path) -> None:
    assert read_export(EXPORTS / "carol.json").metadata.select("key", "value").rows()[:2] == [
        ("text", "Grüße, “41”"), ("lang", "de"),
    ]  # fmt: skip
    path = tmp_path / "ann.jsonl"
    path.write_text('{"id":1,"text":"t","ext":"e-1","label":["a"],"Comments":[]}\n' * 2, encoding="utf-8")
    assert read_export(path, ReadOptions(columns={"item": "ext"})).rows["item"].to_list() == ["e-1", "e-1"]


def test_a_file_that_names_raters_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "bob.jsonl"
    path.write_text(json.dumps({"id": 1, "label": "a", "Comments": "", "user": "eve"}) + "\n", encoding="utf-8")
    assert read_export(path).rows["rater"].to_list() == ["eve"]


def test_the_name_counts_for_such_files_only(tmp_path: Path) -> None:
    assert rater_in_name(EXPORTS / "bob.jsonl")
    assert rater_in_name(EXPORTS / "team.zip")
    assert not rater_in_name(EXPORTS.parent / "long" / "crowd.csv")
    assert not rater_in_name(tmp_path / "nothing.jsonl")
    assert not rater_in_name(EXPORTS / "bob.jsonl", ReadOptions(format="long"))


def test_two_files_of_different_formats_in_one_zip_are_refused(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bob.jsonl", LINE * 2)
        archive.writestr("crowd.csv", "item,rater,label\n1,a,x\n")
    path = tmp_path / "mixed.zip"
    path.write_bytes(packed.getvalue())
    with pytest.raises(ReadError, match="several formats: doccano, long"):
        read_export(path)
