from pathlib import Path

import duckdb
import pytest

from warehouse import migrate as module
from warehouse import sql
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.migrate import current_version, migrate, migrations, view_order
from warehouse.questions import public_names

Con = duckdb.DuckDBPyConnection

TABLES = {
    "batches": "batch_id source file_name sha256 reader status reason detail n_rows n_ratings n_unchanged n_skipped "
    "n_rejected started_at ingested_at",
    "ratings": "rating_id question item rater rater_kind system_version label rated_at score duration_s batch_id "
    "row_number source_ref ingested_at superseded_at deleted_at",
    "item_metadata": "question item key value",
    "rejected_rows": "batch_id file_name row_number column_name value reason detail attempt rejected_at",
    "runs": "run_id kind question status code_version settings seed n_ratings started_at ended_at detail",
    "agreement": "run_id question scope period period_start period_end coefficient scale weights interval_method "
    "confidence estimate se low high p_value observed expected n_items n_raters n_ratings n_labels reason detail",
    "pairwise_agreement": "run_id question rater_a rater_b coefficient estimate se low high n_items reason",
    "rater_quality": "run_id question rater rater_kind n_ratings accuracy low high agreement_with_others",
    "system_accuracy": "run_id question system system_version method accuracy se low high confidence spread_low "
    "spread_high n_items n_gold reason detail warnings",
    "accuracy_bins": "run_id question system bin_low bin_high mean_posterior n_items agreement estimate",
    "assumption_checks": "run_id question name statistic p_value effect detail",
    "item_consensus": "run_id question item label probability entropy n_ratings",
    "alerts": "alert_id question kind severity opened_at acknowledged_at closed_at evidence detail",
    "current_ratings": "question item rater rater_kind label",
    "latest_agreement": "question scope period coefficient scale weights estimate low high n_ratings",
    "agreement_trend": "question scope period coefficient period_start estimate",
    "latest_system_accuracy": "question system system_version method accuracy low high",
    "system_comparison": "question system method accuracy",
    "rater_leaderboard": "question rater accuracy",
    "disagreement_queue": "question item entropy",
    "data_quality": "batch_id file_name n_rows n_ratings n_unchanged n_skipped n_rejected reject_share top_reason",
}


def columns(con: Con, table: str) -> list[str]:
    result = con.execute(
        "select column_name from duckdb_columns() where schema_name = 'main' and table_name = $table", {"table": table}
    )
    return [name for (name,) in result.fetchall()]


@pytest.mark.parametrize("table", TABLES)
def test_the_public_names_are_there(con: Con, table: str) -> None:
    assert set(TABLES[table].split()) <= set(columns(con, table))


def test_every_public_table_view_and_column_has_a_comment(con: Con) -> None:
    silent = con.execute(
        """select table_name, comment from duckdb_tables() where not internal and schema_name = 'main'
        union all select view_name, comment from duckdb_views() where not internal and schema_name = 'main'
        union all select table_name || '.' || column_name, comment from duckdb_columns()
        where not internal and schema_name = 'main'"""
    ).fetchall()
    assert len(silent) > 200
    assert not [name for name, comment in silent if not comment]


def test_every_private_table_has_a_comment(con: Con) -> None:
    private = con.execute("select table_name, comment from duckdb_tables() where schema_name = 'internal'").fetchall()
    assert len(private) > 5
    assert not [name for name, comment in private if not comment]


def test_no_public_name_is_reserved(con: Con) -> None:
    for table in public_names(con):
        for column in columns(con, table):
            con.execute(f"create or replace temp table {table}_x ({column} integer)")
            assert con.execute(f"select {column} from {table}_x").fetchall() == []
        assert con.execute(f"select {', '.join(columns(con, table))} from {table}").fetchall() == []


def test_views_are_short_and_start_with_their_grain() -> None:
    for name, text in sql.texts("views").items():
        assert text.startswith("-- One row per"), name
        assert text.count("\n") <= 80, name
        assert f"create or replace view {name} as" in text


def test_a_second_migration_does_nothing(path: Path) -> None:
    with connect(path) as con:
        assert current_version(con) == 0
        result = migrate(con)
        assert result == [*(each.name for each in migrations()), "views"]
        assert migrate(con) == []
        assert current_version(con) == len(migrations())


def test_a_file_without_tables_is_left_as_it_is_by_asking(path: Path) -> None:
    with connect(path) as con:
        assert current_version(con) == 0
        assert con.execute("select count(*) from duckdb_tables()").fetchall() == [(0,)]


def test_a_migration_that_was_changed_is_an_error(con: Con) -> None:
    con.execute("update internal.ledger set sha256 = 'f00' where version = 2")
    with pytest.raises(WarehouseError, match=r"0002_batches was changed after it was applied: the ledger has .* f00,"):
        migrate(con)


def test_a_warehouse_of_a_newer_program_is_an_error(con: Con) -> None:
    con.execute("insert into internal.ledger values ('migration', 99, '0099_later', 'x', current_timestamp)")
    with pytest.raises(WarehouseError, match="schema version 99, but this kappaflow knows only") as caught:
        migrate(con)
    assert "update this one" in caught.value.hint


def test_a_ledger_without_its_rows_is_an_error_and_changes_nothing(con: Con) -> None:
    con.execute("delete from internal.ledger where version = 3")
    with pytest.raises(WarehouseError, match='"runs" already exists'):
        migrate(con)
    assert current_version(con) == len(migrations())


def test_the_tables_of_something_else_are_left_alone(path: Path) -> None:
    with connect(path) as con:
        con.execute("create table invoices (amount double)")
        with pytest.raises(WarehouseError, match=r"holds other tables \(1\) but is not a kappaflow warehouse"):
            migrate(con)
        assert con.execute("select count(*) from duckdb_tables()").fetchall() == [(1,)]


def test_a_migration_that_fails_leaves_neither_tables_nor_ledger_row(con: Con, monkeypatch: pytest.MonkeyPatch) -> None:
    known = len(sql.texts("migrations"))
    broken = f"{known + 1:04}_broken"
    texts = dict(sql.texts("migrations")) | {broken: "create table half (n integer); select * from nowhere;"}
    monkeypatch.setattr(sql, "texts", lambda folder, real=sql.texts: texts if folder == "migrations" else real(folder))
    with pytest.raises(WarehouseError, match="Table with name nowhere does not exist"):
        migrate(con)
    assert current_version(con) == known
    assert "half" not in public_names(con)


def test_a_gap_in_the_numbers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "texts", lambda folder: {"0001_one": "", "0003_three": ""})
    with pytest.raises(WarehouseError, match="number 0002 is expected, found 0003_three"):
        migrations()


def test_a_view_that_changed_is_applied_again_with_its_comments(con: Con, monkeypatch: pytest.MonkeyPatch) -> None:
    views = dict(sql.texts("views"))
    views["a_first"] = "create or replace view a_first as select * from z_last;\ncomment on view a_first is 'A';"
    views["z_last"] = "create or replace view z_last as select 1 as n;\ncomment on view z_last is 'Z';"
    monkeypatch.setattr(sql, "texts", lambda folder, real=sql.texts: views if folder == "views" else real(folder))
    assert migrate(con) == ["views"]
    assert migrate(con) == []
    assert con.execute("select n from a_first").fetchall() == [(1,)]
    order = view_order()
    assert order.index("z_last") < order.index("a_first")
    assert order.index("ratings") < order.index("current_ratings")
    silent = con.execute("select view_name from duckdb_views() where not internal and comment is null").fetchall()
    assert silent == []


def test_a_users_own_view_survives(con: Con, monkeypatch: pytest.MonkeyPatch) -> None:
    con.execute("create view my_own as select question, estimate from latest_agreement")
    monkeypatch.setattr(module, "_views_checksum", lambda: "other")
    assert migrate(con) == ["views"]
    assert con.execute("select * from my_own").fetchall() == []
    comments = con.execute("select comment from duckdb_columns() where table_name = 'my_own'").fetchall()
    assert comments == [(None,), (None,)]
