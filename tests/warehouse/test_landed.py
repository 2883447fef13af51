"""Warehouses of each schema that ever landed, made from the texts of then, come to today's; and no text is edited."""

from pathlib import Path

import duckdb
import pytest

from warehouse import migrate as module
from warehouse import sql
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.migrate import FORMER, Migration, migrate, migrations

Con = duckdb.DuckDBPyConnection
pytestmark = pytest.mark.field_trial(25)
SCHEMAS = Path(__file__).parents[1] / "data" / "schemas"
# Each commit that changed the migrations: how many there were then. Texts that were another then lie in its folder.
LANDED = {"b45f831": 7, "ee44678": 7, "effcc3e": 8, "3dda9cd": 11, "d60c2e7": 11, "9eb9a8f": 13}
TIME = "'2026-02-01 10:00:00+00'"


def texts_of(commit: str) -> list[Migration]:
    """The migrations as a warehouse of that commit has them."""
    former = {path.stem: path.read_text(encoding="utf-8") for path in (SCHEMAS / commit).glob("*.sql")}
    return [Migration(m.version, m.name, former.get(m.name, m.text)) for m in migrations()[: LANDED[commit]]]


def build(con: Con, commit: str) -> None:
    module._ledger(con)
    for each in texts_of(commit):
        module._apply(con, each)


def schema(con: Con) -> dict[str, list[tuple[object, ...]]]:
    """Tables, columns and views with their types and comments."""
    return {
        "columns": con.sql(
            "select schema_name, table_name, column_index, column_name, data_type, is_nullable, column_default, comment"
            " from duckdb_columns() where not internal order by all"
        ).fetchall(),
        "tables": con.sql(
            "select schema_name, table_name, comment, check_constraint_count from duckdb_tables() where not internal"
            " order by all"
        ).fetchall(),
        "views": con.sql("select view_name, comment from duckdb_views() where not internal order by all").fetchall(),
    }


@pytest.mark.parametrize("commit", LANDED)
def test_a_warehouse_of_each_earlier_schema_gets_the_schema_of_a_fresh_one(con: Con, path: Path, commit: str) -> None:
    with connect(path.with_name("old.duckdb")) as old:
        build(old, commit)
        result = migrate(old)
        assert result == [*(each.name for each in migrations()[LANDED[commit] :]), "views"]
        assert migrate(old) == []
        assert module.pending(old) == []
        assert schema(old) == schema(con)


def test_the_former_texts_are_those_that_are_accepted() -> None:
    results = {path.stem: Migration(0, "", path.read_text(encoding="utf-8")).sha256 for path in SCHEMAS.glob("*/*.sql")}
    assert results == {name: checksum for name, texts in FORMER.items() for checksum in texts}


def test_what_a_live_source_showed_before_predictions_were_counted_is_shown_once_more(path: Path) -> None:
    with connect(path) as con:
        build(con, "3dda9cd")
        con.execute(f"insert into internal.live_cursors values ('s', {TIME})")
        con.execute("insert into internal.live_tasks values ('s', '7', 'f00')")
        con.execute("insert into internal.live_answers values ('s', '7', 'tone', 'i1', 'a2')")
        migrate(con)
        assert con.table("internal.live_tasks").fetchall() == [("s", "7", "", 0, None)]
        assert con.table("internal.live_cursors").fetchall() == []
        assert len(con.table("internal.live_answers").fetchall()) == 1


def test_a_stream_with_counted_predictions_goes_on_where_it_was(path: Path) -> None:
    with connect(path) as con:
        build(con, "9eb9a8f")
        con.execute(f"insert into internal.live_cursors values ('s', {TIME})")
        con.execute("insert into internal.live_tasks values ('s', '7', 'f00', 2)")
        migrate(con)
        assert con.table("internal.live_tasks").fetchall() == [("s", "7", "f00", 2, None)]
        assert len(con.table("internal.live_cursors").fetchall()) == 1


@pytest.mark.parametrize(("version", "name"), [(2, "0002_batches"), (4, "0004_agreement"), (11, "0011_live")])
def test_another_text_of_a_migration_is_refused(con: Con, version: int, name: str) -> None:
    """Also that of an accepted checksum under another migration's number."""
    (others,) = [texts for migration, texts in FORMER.items() if migration == "0004_agreement"]
    wrong = next(iter(others)) if version != 4 else "f00"
    con.execute(
        "update internal.ledger set sha256 = $wrong where version = $version", {"wrong": wrong, "version": version}
    )
    with pytest.raises(WarehouseError, match=f"{name} was changed after it was applied"):
        migrate(con)


def test_no_migration_that_has_landed_is_edited() -> None:
    """A new one gets its line in checksums.txt with the commit that brings it."""
    lines = (SCHEMAS / "checksums.txt").read_text(encoding="utf-8").splitlines()
    pinned = {name.removesuffix(".sql"): checksum for checksum, name in (line.split() for line in lines)}
    assert {each.name: each.sha256 for each in migrations()} == pinned
    assert list(pinned) == list(sql.texts("migrations"))
