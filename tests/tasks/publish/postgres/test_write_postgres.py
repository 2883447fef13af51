"""Publishing to a real Postgres server."""

from datetime import UTC, date, datetime
from pathlib import Path

import psycopg
import pytest

from tasks.publish.postgres import write_postgres as module
from tasks.publish.postgres.write_postgres import write_postgres
from tasks.publish.publish_targets import PostgresTarget, PublicationError
from tests.tasks.publish.conftest import Rows, republish
from warehouse.connect import connect
from warehouse.publication.published_tables import described_table, published_names

pytestmark = pytest.mark.usefixtures("database")
TARGET = PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow")
ONLY_RUNS = PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("runs",))  # quicker
HOSTILE = ["plain", "", "it's; drop table runs; --", 'a"b', "tab\there", "line\nbreak", "a\n\\.\nb", "\\N", "\\", "\r",
           "nul\0nul", "{}%s%(x)s", "日本 🙂", "\x1b[31m"]  # fmt: skip

KINDS = """
create table kinds (
    n integer, f double, b boolean, d date, t timestamptz, l varchar[], s struct(x double, y varchar),
    m decimal(9, 2), h hugeint, j json, c time
);
insert into kinds values
    (1, 'nan', true, '2026-03-01', '2026-03-01 01:00:00.123456+01', ['a"b', null, 'c,d'], {'x': 1.5, 'y': 'é'}, 1.50,
     170141183460469231731687303715884105727, '{"k": [1, "\\u0000"]}', '01:02:03'),
    (2, 'inf', null, null, null, [], null, null, null, null, null),
    (3, '-inf', false, null, 'infinity', null, {'x': 'nan', 'y': null}, null, null, null, null),
    (4, 0.1, null, null, null, null, null, null, null, null, null)
"""


def test_each_table_and_view_is_there_with_its_columns_and_comments(snapshot: Path, rows: Rows) -> None:
    publication = write_postgres(TARGET, snapshot)
    with connect(snapshot, read_only=True) as con:
        wanted = {name: described_table(con, name) for name in published_names(con)}
    assert publication.status == "written"
    assert publication.n_changed == publication.n_tables == len(wanted) > 50
    table = rows(
        "select c.relname, obj_description(c.oid), a.attname, col_description(c.oid, a.attnum) from pg_class c "
        "join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 where c.relnamespace = 'kappaflow'::regnamespace "
        "and c.relkind = 'r' and c.relname <> 'kappaflow_tables' order by c.relname, a.attnum"
    )
    assert table == [
        (name, about, column.name, column.comment) for name, (about, columns) in sorted(wanted.items())
        for column in columns
    ]  # fmt: skip
    assert rows("select kind, started_at from kappaflow.runs") == [("pipeline", datetime(2026, 3, 1, 12, tzinfo=UTC))]


def test_values_arrive_as_they_are(db: Path, rows: Rows) -> None:
    with connect(db) as con:
        con.execute('create table texts (n integer, t varchar, "odd"" name; --" varchar)')
        con.executemany("insert into texts values (?, ?, ?)", [(n, text, None) for n, text in enumerate(HOSTILE)])
    snapshot = republish(db, KINDS)
    target = PostgresTarget("KAPPAFLOW_POSTGRES_URL", 'o"dd; schema', ("texts", "kinds"))
    assert write_postgres(target, snapshot).remarks == (
        "NUL characters in texts (1), which Postgres does not take, became \ufffd.",
    )
    schema = '"o""dd; schema"'
    texts = rows(f'select t, "odd"" name; --" from {schema}.texts order by n')
    assert texts == [(text.replace("\0", "\ufffd"), None) for text in HOSTILE]
    table = rows(
        "select f::text, b, d, (t at time zone 'utc')::text, l, s, m::text, h::text, j::text, c::text "
        f"from {schema}.kinds order by n"
    )
    assert table[0] == (
        "NaN", True, date(2026, 3, 1), "2026-03-01 00:00:00.123456", ['a"b', None, "c,d"],
        {"x": 1.5, "y": "é"}, "1.50", "170141183460469231731687303715884105727", '{"k": [1, "\\u0000"]}', "01:02:03",
    )  # fmt: skip
    assert table[1] == ("Infinity", None, None, None, [], None, None, None, None, None)
    assert table[2][:6] == ("-Infinity", False, None, "infinity", None, {"x": None, "y": None})
    assert rows(f"select f = 0.1 from {schema}.kinds where n = 4") == [(True,)]


def test_only_tables_that_changed_are_sent_again(db: Path, snapshot: Path, rows: Rows) -> None:
    write_postgres(TARGET, snapshot)
    before = rows("select table_name, written_at from kappaflow.kappaflow_tables order by table_name")
    assert write_postgres(TARGET, snapshot).status == "unchanged"
    assert write_postgres(TARGET, republish(db)).status == "unchanged"
    assert rows("select table_name, written_at from kappaflow.kappaflow_tables order by table_name") == before
    snapshot = republish(db, "update runs set status = 'failed'")
    publication = write_postgres(TARGET, snapshot)
    assert (publication.status, publication.n_changed) == ("written", 1)
    assert rows("select status from kappaflow.runs") == [("failed",)]


def test_readers_see_the_tables_of_before_until_the_end_and_never_wait(
    db: Path, snapshot: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_postgres(ONLY_RUNS, snapshot)
    seen: list[object] = []
    with psycopg.connect(database, autocommit=True) as reader:
        reader.execute("set statement_timeout = '5s'")
        reader.execute("create view mine as select status from kappaflow.runs")
        reader.execute("create role somebody")
        reader.execute("grant select on kappaflow.runs to somebody")

        def comments(*arguments: object) -> object:
            seen.append(reader.execute("select status from mine").fetchall())
            return original(*arguments)

        original = module._comments
        monkeypatch.setattr(module, "_comments", comments)
        write_postgres(ONLY_RUNS, republish(db, "update runs set status = 'failed'"))
        assert seen == [[("succeeded",)]]
        assert reader.execute("select status from mine").fetchall() == [("failed",)]
        may_read = reader.execute("select has_table_privilege('somebody', 'kappaflow.runs', 'select')").fetchone()
        assert may_read == (True,)


def test_a_failure_halfway_leaves_everything_as_it_was(
    db: Path, snapshot: Path, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("batches", "mine", "runs"))
    snapshot = republish(db, "create table mine as select 1 as n")
    write_postgres(target, snapshot)
    snapshot = republish(db, "update runs set status = 'failed'", "insert into mine values (2)")
    read = module.read_pieces

    def broken(con: object, table: object) -> object:
        if table.name == "runs":  # type: ignore[attr-defined]
            raise OSError("the disk is gone")
        return read(con, table)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "read_pieces", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        write_postgres(target, snapshot)
    assert rows("select n from kappaflow.mine") == [(1,)]
    assert rows("select status from kappaflow.runs") == [("succeeded",)]
    monkeypatch.undo()


def test_tables_come_go_and_change_their_columns(db: Path, rows: Rows, database: str) -> None:
    names = "select relname from pg_class where relnamespace = 'kappaflow'::regnamespace and relkind = 'r' order by 1"
    both = PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("runs", "min?"))
    write_postgres(both, republish(db, "create table mine as select 1 as n"))
    assert rows(names) == [("kappaflow_tables",), ("mine",), ("runs",)]
    with psycopg.connect(database) as con:
        con.execute("create view on_top as select n from kappaflow.mine")
    write_postgres(both, republish(db, "alter table mine add column label varchar"))
    assert rows("select * from kappaflow.mine") == [(1, None)]
    snapshot = republish(db, "alter table mine alter n type varchar", "update mine set n = 'x'")
    with pytest.raises(
        PublicationError, match=r"other objects depend on it. Drop in Postgres what depends on the table"
    ):
        write_postgres(both, snapshot)
    assert rows("select * from on_top") == [(1,)]
    with psycopg.connect(database) as con:
        con.execute("drop view on_top")
    write_postgres(both, snapshot)
    assert rows("select n from kappaflow.mine") == [("x",)]
    publication = write_postgres(PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("runs",)), snapshot)
    assert publication.status == "written"
    assert rows(names) == [("kappaflow_tables",), ("runs",)]


def test_what_is_not_kappaflows_is_never_touched(db: Path, snapshot: Path, database: str, rows: Rows) -> None:
    with psycopg.connect(database) as con:
        con.execute("create table public.runs as select 'mine' as note")
    with pytest.raises(PublicationError, match="has a table 'runs' that kappaflow did not make"):
        write_postgres(PostgresTarget("KAPPAFLOW_POSTGRES_URL", "public"), snapshot)
    assert rows("select note from public.runs") == [("mine",)]
    assert rows("select to_regclass('public.kappaflow_tables')") == [(None,)]
    write_postgres(TARGET, snapshot)
    other = republish(db, "update runs set run_id = 'of another project'")
    with pytest.raises(PublicationError, match="has the tables of another project"):
        write_postgres(TARGET, other)
    assert rows("select run_id from kappaflow.runs") == [("first",)]


@pytest.mark.parametrize("replacement", ["table", "view"])
def test_a_table_in_place_of_one_of_kappaflows_is_never_touched(
    snapshot: Path, database: str, rows: Rows, replacement: str
) -> None:
    write_postgres(TARGET, snapshot)
    with psycopg.connect(database) as con:
        con.execute("alter table kappaflow.runs rename to runs_of_kappaflow")
        con.execute(f"create {replacement} kappaflow.runs as select 'mine' as run_id")
    for target in (TARGET, PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("alerts",))):
        with pytest.raises(
            PublicationError, match=r"'runs' there is not the one that kappaflow made\. Rename it or drop"
        ):
            write_postgres(target, snapshot)
    assert rows("select run_id from kappaflow.runs") == [("mine",)]
    with psycopg.connect(database) as con:
        con.execute(f"drop {replacement} kappaflow.runs")
    assert write_postgres(TARGET, snapshot).n_changed == 1
    assert rows("select run_id from kappaflow.runs") == [("first",)]


def test_a_copy_of_the_project_that_publishes_to_the_same_schema_is_named(db: Path, snapshot: Path, rows: Rows) -> None:
    assert write_postgres(ONLY_RUNS, snapshot).remarks == ()
    insert = "insert into runs by name select * replace ('{0}' as run_id, '2026-03-02'::timestamptz as started_at) "
    insert += "from runs where run_id = 'first'"
    ours = republish(db, insert.format("of the original"))
    assert write_postgres(ONLY_RUNS, ours).remarks == ()
    copy = republish(db, "update runs set run_id = 'of the copy' where run_id = 'of the original'")
    (remark,) = write_postgres(ONLY_RUNS, copy).remarks
    assert remark.startswith("A run that this project does not have (of the original) had written there.")
    assert write_postgres(ONLY_RUNS, copy).remarks == ()
    assert rows("select run_id from kappaflow.kappaflow_tables") == [("of the copy",)]


def test_the_ledger_of_an_older_kappaflow_is_kept(snapshot: Path, database: str, rows: Rows) -> None:
    write_postgres(ONLY_RUNS, snapshot)
    with psycopg.connect(database) as con:
        con.execute("alter table kappaflow.kappaflow_tables drop column run_id")
    assert write_postgres(ONLY_RUNS, snapshot).status == "unchanged"
    assert rows("select table_name, run_id from kappaflow.kappaflow_tables") == [("runs", None)]


def test_a_name_that_postgres_would_cut_is_refused(db: Path) -> None:
    snapshot = republish(db, f"create table {'x' * 64} as select 1 as n")
    with pytest.raises(PublicationError, match=r"no table 'x+' with a column"):
        write_postgres(TARGET, snapshot)
    with pytest.raises(PublicationError, match="no table or view 'latest_agrement'"):
        write_postgres(PostgresTarget("KAPPAFLOW_POSTGRES_URL", "kappaflow", ("latest_agrement",)), snapshot)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("s3cret%2Fword", "wrong-word", "refuses the user or the password"),
        ("database_", "nowhere_", "has no such database"),
        ("127.0.0.1:", "127.0.0.1:1", "cannot be reached|holds no Postgres URL"),
        ("postgresql://", "postgresql//", "holds no Postgres URL, such as"),
        ("postgresql://", "mysql://", "holds no Postgres URL, such as"),
    ],
)
def test_an_error_of_the_connection_has_no_secret(
    snapshot: Path, database: str, monkeypatch: pytest.MonkeyPatch, old: str, new: str, message: str
) -> None:
    monkeypatch.setenv("KAPPAFLOW_POSTGRES_URL", database.replace(old, new))
    with pytest.raises(PublicationError, match=message) as caught:
        write_postgres(ONLY_RUNS, snapshot)
    assert not any(secret in str(caught.value) for secret in ("s3cret", "word@", "wrong-word", "owner"))
    assert caught.value.__cause__ is None


def test_a_user_without_rights_is_told_what_is_missing(
    snapshot: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(database) as con:
        con.execute("create role reader login password 'r'")
    monkeypatch.setenv("KAPPAFLOW_POSTGRES_URL", database.replace("owner:s3cret%2Fword", "reader:r"))
    with pytest.raises(PublicationError, match=r"Permission denied for database .* The user needs the right to create"):
        write_postgres(ONLY_RUNS, snapshot)
