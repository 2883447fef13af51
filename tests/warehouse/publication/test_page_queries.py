"""The queries of live pages: found by name, whatever their subfolder."""

from pathlib import Path

from warehouse import sql
from warehouse.publication.page_queries import page_query_names, page_query_text, used_values

FOLDER = Path(sql.__file__).parent / "queries" / "pages"


def test_each_query_has_one_name() -> None:
    files = list(FOLDER.rglob("*.sql"))
    assert page_query_names() == sorted(path.stem for path in files)
    assert len(set(page_query_names())) == len(files)


def test_a_query_is_read_from_its_subfolder() -> None:
    assert page_query_text("trend") == (FOLDER / "agreement" / "trend.sql").read_text(encoding="utf-8")


def test_a_query_gets_the_values_that_it_uses() -> None:
    assert used_values("alert", {"alert_id": "a", "unused": 1}) == {"alert_id": "a"}
