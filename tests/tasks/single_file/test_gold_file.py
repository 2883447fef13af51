"""Files of correct answers."""

from pathlib import Path

import pytest

from tasks.errors import InputError, ReadError
from tasks.formats import ReadOptions
from tasks.single_file.gold_file import read_gold


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    return path


def test_gold_is_item_and_label(tmp_path: Path) -> None:
    path = write(tmp_path, "item_id,label\n2,no\n1, 1.0 \n3,\n2,no\n")
    assert read_gold(path).rows() == [("1", "1"), ("2", "no")]


def test_gold_by_its_name_comes_before_label(tmp_path: Path) -> None:
    path = write(tmp_path, "doc,label,Gold Label\n1,a,b\n")
    assert read_gold(path).rows() == [("1", "b")]
    assert read_gold(path, ReadOptions(columns={"label": "label"})).rows() == [("1", "a")]


@pytest.mark.parametrize(
    "content",
    ["item,final\n1,b\n", "item,Correct answer\n1,b\n", "item,label,final\n1,b,b\n", "item,label,majority\n1,b,a\n"],
)
def test_gold_is_a_column_named_as_right_answers(tmp_path: Path, content: str) -> None:
    assert read_gold(write(tmp_path, content)).rows() == [("1", "b")]


def test_gold_of_one_question(tmp_path: Path) -> None:
    path = write(tmp_path, "item,question,label\n1,tone,a\n1,style,b\n")
    assert read_gold(path, ReadOptions(question="tone")).rows() == [("1", "a")]
    with pytest.raises(InputError, match="2 questions: 'style', 'tone'"):
        read_gold(path, ReadOptions(columns={"question": "question"}))


def test_gold_in_jsonl(tmp_path: Path) -> None:
    assert read_gold(write(tmp_path, '{"id": 1, "truth": "a"}\n{"id": 2, "truth": "b"}\n')).rows() == [
        ("1", "a"),
        ("2", "b"),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("item,label\n1,a\n1,b\n", "item '1' several correct labels: 'a', 'b'"),
        ("item,label\n1,a\n2\n", "Row 3 of file.csv is broken"),
        ("item,label\n1,a\n,b\n", "Row 3 of file.csv has a label and no item"),
        ("item,label\n1,\n", "no item with a label"),
        ("item,text\n1,a\n", "none of them is known as the label"),
        ("text,label\n1,a\n", "none of them is known as the item"),
        ("item,label,final\n1,a,b\n", "columns 'label', 'final', and it is not certain which has the right answers"),
        ("item,final,adjudicated\n1,a,b\n", "it is not certain which has the right answers"),
        ("item,majority\n1,a\n", "none of them is known as the label"),
    ],
)
def test_gold_that_is_in_doubt_is_refused(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read_gold(write(tmp_path, content))


def test_gold_without_a_label_is_told_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(ReadError) as refused:
        read_gold(write(tmp_path, "item,label\n1,\n"))
    assert refused.value.hint == "Write the right label beside each."
