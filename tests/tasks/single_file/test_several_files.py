"""Several files are one table of ratings."""

from pathlib import Path

import pytest

from tasks.formats import ReadOptions
from tasks.single_file.agree_file import agree
from tasks.single_file.load_file import FileOptions, load_counted
from tasks.single_file.several_files import read_files

ANN = "item,rater,label\n1,ann,yes\n2,ann,no\n3,ann,yes\n"
BOB = '{"item": "1", "rater": "bob", "label": "yes"}\n{"item": "2", "rater": "bob", "label": "yes"}\n'


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    (tmp_path / "ann.csv").write_text(ANN)
    (tmp_path / "bob.jsonl").write_text(BOB)
    return [tmp_path / "ann.csv", tmp_path / "bob.jsonl"]


def test_files_of_several_formats_are_one_question_with_their_ids(files: list[Path]) -> None:
    result = agree(files, FileOptions())[0]
    assert (result["question"], result["n_items"], result["n_raters"], result["n_ratings"]) == ("ann", 3, 2, 5)
    notes = result["warnings"]
    assert isinstance(notes, list)
    assert notes[0].startswith("Read as one table from 2 files: the same item id in two files is one item")
    assert notes[1] == "Read as ratings of one question, 'ann': 2 files name none."


def test_it_is_the_same_as_one_file(files: list[Path], tmp_path: Path) -> None:
    together = tmp_path / "ann" / "ann.csv"
    together.parent.mkdir()
    together.write_text(ANN + "1,bob,yes\n2,bob,yes\n")
    assert agree(files, FileOptions())[0]["coefficients"] == agree(together, FileOptions())[0]["coefficients"]


def test_a_later_file_supersedes_an_earlier_one(files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("item,rater,label\n1,ann,no\n")
    loaded = load_counted([*files, tmp_path / "new.csv"], FileOptions())
    ratings = loaded.questions[0].ratings
    assert ratings.filter(item="1", rater="ann")["label"].to_list() == ["no"]
    assert loaded.n_rows == 6


def test_files_that_name_their_question_keep_it(files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "mood.csv").write_text("item,rater,label,question\n1,ann,yes,mood\n1,bob,yes,mood\n")
    rows = read_files([files[0], tmp_path / "mood.csv"], ReadOptions()).rows
    assert rows["question"].unique().sort().to_list() == ["ann", "mood"]


def test_a_rejected_row_names_its_file(files: list[Path], tmp_path: Path) -> None:
    (tmp_path / "broken.csv").write_text('item,rater,label\n1,cara,yes\n2,cara,"no\n')
    rejects = read_files([files[0], tmp_path / "broken.csv"], ReadOptions()).rejects
    assert all(detail.startswith("broken.csv: ") for detail in rejects["detail"])
    assert rejects.height
