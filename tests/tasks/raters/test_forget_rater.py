"""A rater who is forgotten: no byte of the name is left, and a later file does not bring it back."""

import random
import shutil
from pathlib import Path

import duckdb
import pytest

from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.formats import ReadOptions
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.raters.forget_rater import ForgottenRater, forget_rater, plan_forgetting
from tasks.runs.history import reproduce
from tasks.sources.folder import FolderSource, find_files
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.errors import WarehouseError
from warehouse.maintenance.integrity import run_checks
from warehouse.publication.snapshot import publish
from warehouse.raters.forget import left_over, occurrences, rename_everywhere
from warehouse.raters.forgotten_names import key_path
from warehouse.runs.running_processes import hold, release

NAME = "Wilhelmina Żółć"
ALIASES = {"w.zolc@lab": NAME}
HEADER = "item,rater,label,rated_at\n"
FIRST = f"{HEADER}1,{NAME},A,2026-01-01\n1,bob,A,2026-01-01\n2,{NAME},yes,sometime\n3,w.zolc@lab,A,2026-01-01\n"
BROKEN = f"9,{NAME},A,2026-01-01,too,many\n"
RULES = IngestRules(aliases=ALIASES)


def take(db: Path, inbox: Path, name: str, text: str, rules: IngestRules = RULES) -> None:
    inbox.mkdir(exist_ok=True)
    (inbox / name).write_text(text, encoding="utf-8")
    options = ReadOptions(question="tone")
    assert {
        each.status for each in ingest(db, find_files([FolderSource("inbox", inbox, options=options)]).readable, rules)
    } == {"stored"}


def texts_of(db: Path) -> str:
    """All that the file says, table by table: blocks of it may be compressed."""
    with connect(db, read_only=True) as con:
        tables = con.sql("select schema_name, table_name from duckdb_tables()").fetchall()
        return "\n".join(str(con.table(f"{schema}.{table}").fetchall()) for schema, table in tables)


def names_it(path: Path) -> bool:
    raw = path.read_bytes()
    return any(name.encode() in raw for name in (NAME, "Wilhelmina", "w.zolc@lab")) or "ilhelmina" in texts_of(path)


def forget(db: Path, name: str = NAME) -> ForgottenRater:
    return forget_rater(db, db.parent / "published", name, ALIASES)


def test_no_byte_of_the_name_is_left(db: Path, tmp_path: Path) -> None:
    take(db, tmp_path / "inbox", "first.csv", FIRST + BROKEN)
    take(db, tmp_path / "inbox", f"{NAME}.csv", f"{HEADER}4,bob,A,2026-01-01\n")
    old = tmp_path / "published" / "snapshot-20260101-000000.duckdb"
    publish(db, old.parent)
    shutil.copy(old.parent / "snapshot.duckdb", old)
    assert names_it(db)
    assert names_it(old)

    result = forget(db)
    assert (result.plan.n_ratings, result.left) == (2, ())
    assert {(each.table, each.n_rows) for each in result.plan.occurrences} >= {
        ("main.rejected_rows", 1), ("internal.raters", 2), ("main.batches", 1),
    }  # fmt: skip
    snapshot = publish(db, old.parent)
    assert not any(path.exists() and names_it(path) for path in (db, snapshot, old))
    assert not old.exists()
    with connect(db, read_only=True) as con:
        table = con.sql("select rater, name_in_file, label from ratings order by item, rater").fetchall()
        assert not {name for name, rows in run_checks(con).items() if rows.height}
        values = con.sql("select rater, value from rejected_rows order by row_number").fetchall()
    new = result.pseudonym
    assert table == [("bob", None, "A"), (new, None, "A"), (new, None, "A"), ("bob", None, "A")]
    assert values == [(new, "sometime"), (None, f"9,{new},A,2026-01-01,too,many")]


def test_a_later_file_is_read_under_the_pseudonym(db: Path, tmp_path: Path) -> None:
    take(db, tmp_path / "inbox", "first.csv", FIRST)
    new = forget(db, "w.zolc@lab").pseudonym  # any of the names
    later = f"{HEADER}5,{NAME},A,2026-01-02\n6,w.zolc@lab,A,2026-01-02\n7,{NAME},A,sometime\n{BROKEN}"
    take(db, tmp_path / "inbox", f"{NAME}.csv", later, IngestRules())  # the alias is not in the settings any more
    with connect(db, read_only=True) as con:
        assert con.sql("select distinct rater from ratings order by all").fetchall() == [("bob",), (new,)]
        assert set(con.sql("select rater from rejected_rows").fetchall()) == {(new,), (None,)}
    assert not names_it(db)
    again = plan_forgetting(db, NAME, {})
    assert (again.pseudonym, again.n_ratings, again.occurrences) == (new, 0, ())
    assert forget(db).pseudonym == new


def test_a_file_that_could_not_be_rewritten_is_told(db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables have the pseudonym by then: that the warehouse is as it was would be wrong."""

    def on_a_full_disk(_: Path) -> None:
        raise WarehouseError("The disk is full.", "The warehouse is as it was.")

    take(db, tmp_path / "inbox", "first.csv", FIRST)
    with monkeypatch.context() as patch:
        patch.setattr("tasks.raters.forget_rater.compact", on_a_full_disk)
        with pytest.raises(
            WarehouseError, match=r"is full\. The name is replaced in the tables .* may still be"
        ) as error:
            forget(db)
    assert error.value.hint == "Mend that, and give the same command again."
    with connect(db, read_only=True) as con:
        assert (NAME,) not in con.sql("select distinct rater from ratings").fetchall()
    forget(db)
    assert not names_it(db)


def test_without_the_key_no_file_is_read(db: Path, tmp_path: Path) -> None:
    take(db, tmp_path / "inbox", "first.csv", FIRST)
    forget(db)
    assert key_path(db).stat().st_mode & 0o077 == 0
    key_path(db).unlink()
    with pytest.raises(WarehouseError, match=r"forgotten-raters\.key, which recognizes their names, is missing"):
        take(db, tmp_path / "inbox", "second.csv", f"{HEADER}5,bob,A,2026-01-02\n")


def test_neither_an_unknown_name_nor_a_running_run(db: Path, tmp_path: Path) -> None:
    take(db, tmp_path / "inbox", "first.csv", FIRST)
    with pytest.raises(InputError, match="There is no rater 'Wilhelm'") as error:
        plan_forgetting(db, "Wilhelm", {})
    assert NAME in error.value.hint
    hold(db, "r1")
    try:
        with pytest.raises(InputError, match="A run is under way"):
            forget(db)
    finally:
        release(db, "r1")
    with pytest.raises(InputError, match="There is a rater 'bob' already"):
        forget_rater(db, tmp_path / "published", NAME, ALIASES, pseudonym="bob")
    assert names_it(db)


def test_each_text_column_that_may_name_a_rater_is_changed(db: Path) -> None:
    """Each table has a row whose texts are the name, or have it as a word. What is left is named here."""
    query = """
        select t.schema_name, t.table_name, c.column_name, c.data_type, c.is_nullable
        from duckdb_tables() as t inner join duckdb_columns() as c using (database_oid, schema_oid, table_oid)
    """
    texts = {"VARCHAR": NAME, "VARCHAR[]": [f"about {NAME}."], "JSON": f'{{"x": "about {NAME}."}}'}
    fixed = {
        "kind": "rater", "chart": "rater", "batches.status": "stored", "runs.status": "failed",
        "shown_first": "model_a", "winner": "tie", "preferences.model_a": "m1", "preferences.model_b": "m2",
    }  # fmt: skip
    tables: dict[str, dict[str, object]] = {}
    with connect(db) as con:
        for schema, table, column, kind, nullable in con.sql(query).fetchall():
            other = "2026-01-01" if kind.startswith(("DATE", "TIME")) else "human" if "ENUM" in kind else "1"
            value = texts.get(kind, None if nullable else other)
            tables.setdefault(f"{schema}.{table}", {})[column] = fixed.get(
                f"{table}.{column}", fixed.get(column, value)
            )
        for name, row in tables.items():
            columns = ", ".join(f'"{column}"' for column in row)
            marks = ", ".join("?" for _ in row)
            con.execute(f"insert into {name} ({columns}) values ({marks})", list(row.values()))
        rename_everywhere(con, [NAME], "P")
        left = {each.column for each in left_over(con, [NAME])}
    assert left == {
        "question", "item", "label", "label_a", "label_b", "key", "value", "task", "system_version", "version",
        "name_hash", "pseudonym", "name", "sha256", "cluster", "model", "regions",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "detail", "becomes"),
    [
        ("ann", "ann, ann and annette: ann #2", "P, P and annette: P #2"),
        ("a.b", "a.b is not aXb", "P is not aXb"),
        ("7", "7 of 70 items by 7", "7 of 70 items by 7"),
    ],
)
def test_sentences(db: Path, name: str, detail: str, becomes: str) -> None:
    with connect(db) as con:
        fill = """
            insert into alerts (alert_id, question, kind, severity, opened_at, detail, subject)
            values (?, 'q', ?, 'w', now(), ?, ?)
        """
        con.execute(fill, ["1", "low_agreement", detail, None])
        con.execute(fill, ["2", "labels", None, name])
        con.execute(fill, ["3", "rater", "About a rater.", f"{name} #2"])
        assert sum(each.n_rows for each in occurrences(con, [name]) if each.column == "subject") == 1
        rename_everywhere(con, [name], "P")
        rows = con.sql("select subject, detail from alerts order by alert_id").fetchall()
    assert rows[0] == (None, becomes)
    assert [row[0] for row in rows[1:]] == [name, "P #2"]


@pytest.mark.parametrize(("name", "is_removed"), [("3", True), ("4", False)])
def test_a_short_name_of_a_newcomer_is_taken_away(db: Path, name: str, is_removed: bool) -> None:
    with connect(db) as con:
        con.execute("""
            insert into alerts (alert_id, incident_id, question, kind, severity, opened_at, evidence, detail)
            values ('a', 'i', 'q', 'agreement', 'warning', now(), 'before; newcomer 3 from 2026-01-05, pairs', 'By 3.')
        """)
        rename_everywhere(con, [name], "rater-x7k2")
        ((evidence, detail),) = con.sql("select evidence, detail from alerts").fetchall()
    assert ("newcomer 3" not in evidence, "3" not in detail) == (is_removed, is_removed)


def test_the_hash_of_a_name_is_no_use_without_the_key(db: Path, tmp_path: Path) -> None:
    take(db, tmp_path / "inbox", "first.csv", FIRST)
    other = tmp_path / "other" / "warehouse.duckdb"
    other.parent.mkdir()
    shutil.copy(db, other)
    forget(db)
    forget(other)
    hashes = [
        duckdb.connect(path, read_only=True).sql("select name_hash from internal.forgotten_raters").fetchall()
        for path in (db, other)
    ]
    assert [len(each) for each in hashes] == [2, 2]
    assert not set(hashes[0]) & set(hashes[1])


def test_pairs_of_systems_and_of_people_keep_their_signs_and_a_run_is_computed_again(tmp_path: Path) -> None:
    """A pseudonym stands at another place of the alphabet than the name."""
    rng, made = random.Random(5), InboxProject(tmp_path)
    raters = {"ann": 0.8, "bob": 0.8, "cy": 0.75, "dee": 0.85, "b_strong": 0.95, "m_mid": 0.8, "n_weak": 0.6}
    rows = ["item,rater,label"]
    for item in range(120):
        right = rng.choice("xyz")
        rows += [f"{item},{rater},{right if rng.random() < p else rng.choice('xyz')}" for rater, p in raters.items()]
    (made.inbox / "tone.csv").write_text("\n".join(rows) + "\n")
    made.ingest(ReadOptions(question="tone", systems=frozenset({"b_strong", "m_mid", "n_weak"})))
    made.work("evaluate", QuestionConfigs({}), EvaluationOptions(0.95, 0, "krippendorff_alpha", "1"))
    before = {row["system_a"] + row["system_b"]: row for row in made.view("system_differences").to_dicts()}
    (pair,) = made.view("assumption_checks").filter(name="alike").select("rater", "other").rows()
    for name, pseudonym in (("b_strong", "zz"), ("m_mid", "a0"), (pair[0], "z9")):
        forget_rater(made.db, tmp_path / "published", name, {}, pseudonym=pseudonym)
    rows_after = made.view("system_differences").to_dicts()
    after = {row["system_a"] + row["system_b"]: row for row in rows_after}
    assert sorted(after) == ["a0n_weak", "a0zz", "n_weakzz"]
    assert after["a0n_weak"]["difference"] == before["m_midn_weak"]["difference"] > 0
    swapped, was = after["n_weakzz"], before["b_strongn_weak"]
    assert (swapped["difference"], swapped["low"], swapped["high"]) == (-was["difference"], -was["high"], -was["low"])
    assert (swapped["accuracy_a"], swapped["accuracy_b"]) == (was["accuracy_b"], was["accuracy_a"])
    assert swapped["p_a_better"] == 1 - was["p_a_better"] < 0.01
    for row in rows_after:
        assert row["difference"] == pytest.approx(row["accuracy_a"] - row["accuracy_b"])
    alike = made.view("assumption_checks").filter(name="alike").select("rater", "other")
    assert alike.rows() == [(pair[1], "z9")]
    assert not reproduce(made.db, rows_after[0]["run_id"]).differences
