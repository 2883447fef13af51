"""Raters who rate each item several times, and rows that each have an item of their own."""

import random
from pathlib import Path

import pytest

from tasks.errors import ReadError
from tasks.formats import Export, ReadOptions
from tasks.ingest.read_export import read_export


def read(tmp_path: Path, header: str, rows: list[str], **options: object) -> Export:
    path = tmp_path / "q.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return read_export(path, ReadOptions(**options))  # type: ignore[arg-type]


def two_questions(column: str) -> tuple[str, list[str]]:
    """Return raters who differ on the first question and agree on the second, which would replace the first."""
    rng = random.Random(1)
    rows = [f"tone,{i},{rater},{rng.choice('xyz')}" for i in range(40) for rater in ("ann", "ben")]
    rows += [f"topic,{i},{rater},{'xyz'[i % 3]}" for i in range(40) for rater in ("ann", "ben")]
    return f"{column},item,rater,label", rows


@pytest.mark.parametrize("column", ["task", "project", "round"])
def test_a_column_that_tells_half_of_the_rows_apart_is_asked_about(tmp_path: Path, column: str) -> None:
    """Without asking, only the later half would count, here with an alpha of 1."""
    header, rows = two_questions(column)
    with pytest.raises(
        ReadError, match=f"50% of the ratings of q.csv would be replaced .* column '{column}'"
    ) as refused:
        read(tmp_path, header, rows)
    assert str(refused.value.hint).startswith(f"If '{column}' is the question: --columns question={column}.")
    assert set(read(tmp_path, header, rows, columns={"question": column}).rows["question"]) == {"tone", "topic"}
    assert read(tmp_path, header, rows, columns={"item": f"item|{column}"}).rows["item"].n_unique() == 80
    assert read(tmp_path, header, rows, columns={"item": "item"}).rows["item"].n_unique() == 40


def test_a_time_says_which_counts(tmp_path: Path) -> None:
    header, rows = two_questions("round")
    timed = [f"{row},2026-01-0{1 + n // 80}" for n, row in enumerate(rows)]
    assert read(tmp_path, f"{header},date", timed).rows.height == 160


def test_rows_that_each_have_an_item_of_their_own(tmp_path: Path) -> None:
    rows = [
        f"{3 * i + j},text {i},{rater},{'xyz'[i % 3]}" for i in range(40) for j, rater in enumerate(("a", "b", "c"))
    ]
    note = "No two rows share an item in column 'id'. If 'text' names the item: --columns item=text."
    assert note in read(tmp_path, "id,text,rater,label", rows).warnings
    assert note not in read(tmp_path, "id,text,rater,label", rows, columns={"item": "id"}).warnings
    first = [f"{i},text {i},ann,{'xyz'[i % 3]}" for i in range(40)]
    assert not any("share an item" in text for text in read(tmp_path, "id,text,rater,label", first).warnings)


def test_a_score_of_a_judge_is_not_offered_as_the_rater(tmp_path: Path) -> None:
    rows = [f"{i},answer {i},{i % 10}" for i in range(40)]
    with pytest.raises(ReadError) as refused:
        read(tmp_path, "id,response,judge_score", rows)
    assert "rater=judge_score" not in str(refused.value.hint)
