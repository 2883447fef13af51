"""Columns beside the raters' columns that share their values: confidence, difficulty, stars, flags."""

import random
from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import Export, ReadOptions
from tasks.ingest.read_export import read_export


def read(tmp_path: Path, header: str, labels: str = "12345", *, chance: int = 1, **options: object) -> Export:
    """Read three raters who are right in .8 of 100 items, and a column of chance."""
    rng = random.Random(1)
    lines = [f"id,anna,bob,chloe,{header}"]
    for i in range(100):
        truth = rng.choice(labels)
        raters = [truth if rng.random() < 0.8 else rng.choice(labels) for _ in range(3)]
        beside = rng.choice(labels) if chance else truth
        lines.append(f"{i},{','.join(raters)},{beside}")
    path = tmp_path / "q.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_export(path, ReadOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "header",
    ["confidence", "Confidence (1-5)", "Annotator confidence", "difficulty", "stars", "year", "time spent", "rating"],
)
def test_a_remark_is_no_rater(tmp_path: Path, header: str) -> None:
    """Taken for a rater, it would halve the agreement of the three."""
    with pytest.raises(ReadError) as refused:
        read(tmp_path, header)
    assert f"column '{header}' is named as a remark on the rating or the item, not as a rater" in str(refused.value)
    columns = {"item": "id", "raters": "anna|bob|chloe"}
    assert set(read(tmp_path, header, format="wide", columns=columns).rows["rater"]) == {"anna", "bob", "chloe"}


def test_a_column_that_agrees_with_nobody_is_asked_about(tmp_path: Path) -> None:
    (note,) = [text for text in read(tmp_path, "colour").warnings if "no better than chance" in text]
    assert note.startswith("Column 'colour' agrees with the others no better than chance (mean kappa ")
    assert note.endswith(
        "Is it a rater? If the raters are 'anna', 'bob', 'chloe': --format wide --columns "
        "'item=id,raters=anna|bob|chloe'."
    )
    assert not any("chance" in text for text in read(tmp_path, "dan", chance=0).warnings)
    assert not any("chance" in text for text in read(tmp_path, "colour", systems=frozenset({"colour"})).warnings)


def test_columns_that_all_disagree_are_asked_about(tmp_path: Path) -> None:
    rng = random.Random(2)
    rows = "".join(f"{i},{','.join(rng.choice('yn') for _ in range(3))}\n" for i in range(300))
    path = tmp_path / "q.csv"
    path.write_text("id,mentions price,hurried,cross\n" + rows, encoding="utf-8")
    notes = read_export(path).warnings
    assert any("agree no better than chance. Are they raters, or questions, or labels?" in text for text in notes)


def test_each_name_with_and_without_a_suffix_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("id,anna,bob,anna (new),bob (new)\n1,x,y,x,x\n2,y,y,y,y\n3,x,x,x,x\n", encoding="utf-8")
    with pytest.raises(ReadError, match=r"'item=id,raters=anna\|bob' or 'item=id,raters=anna \(new\)\|bob \(new\)'"):
        read_export(path)


def test_raters_that_are_places_are_said(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("id,annotator_1,label_1,annotator_2,label_2\n1,ann,x,ben,y\n2,eva,y,ann,y\n", encoding="utf-8")
    assert any(
        text.startswith(
            "Columns 'annotator_1', 'annotator_2' seem to name who rated, and 'label_1', 'label_2' count as"
        )
        for text in read_export(path).warnings
    )


def test_raters_in_rows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    header = ",".join(str(i) for i in range(1, 13))
    rows = "ann" + ",x,y" * 6 + "\nben" + ",y,x" * 6 + "\n"
    path.write_text(f"id,{header}\n{rows}", encoding="utf-8")
    with pytest.raises(ReadError, match="12 columns that share labels and 2 rows, as if the rows were raters"):
        read_export(path)
    named = header.replace(",", "|")
    assert read_export(path, ReadOptions(format="wide", columns={"item": "id", "raters": named})).rows.height == 24
