"""Raters of a table that are named like models: said unless somebody declared what they are."""

from pathlib import Path

from tasks.formats import ReadOptions
from tasks.ingest.read_export import read_export

ROWS = "item,rater,label\n" + "".join(f"{i},{who},{'ab'[i % 2]}\n" for i in range(4) for who in ("eva", "gpt-4o"))
SENTENCE = "Named like models, but counted as people: 'gpt-4o'."


def warnings(tmp_path: Path, content: str, **options: object) -> str:
    path = tmp_path / "file.csv"
    path.write_text(content, encoding="utf-8")
    return " ".join(read_export(path, ReadOptions(**options)).warnings)  # type: ignore[arg-type]


def test_a_model_that_nobody_declared_is_said(tmp_path: Path) -> None:
    assert SENTENCE in warnings(tmp_path, ROWS)
    assert SENTENCE in warnings(tmp_path, "id,eva,ben,gpt-4o\n1,x,x,y\n2,y,y,x\n3,x,y,x\n")


def test_a_declared_system_and_a_file_that_says_the_kind_are_not(tmp_path: Path) -> None:
    assert "Named like" not in warnings(tmp_path, ROWS, systems=frozenset({"gpt-4o"}))
    with_kind = (
        ROWS.replace("label\n", "label,rater_kind\n", 1).replace(",a\n", ",a,human\n").replace(",b\n", ",b,human\n")
    )
    assert "Named like" not in warnings(tmp_path, with_kind)
