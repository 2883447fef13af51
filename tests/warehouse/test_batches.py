from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import duckdb
import polars as pl
import pytest

from warehouse import sql
from warehouse.batches import METADATA, RATINGS, REJECTS, BatchCounts
from warehouse.errors import WarehouseError
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import known_files, stored_questions
from warehouse.raters.rater_kinds import set_rater_kinds

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
MORNING = datetime(2026, 3, 1, 8, tzinfo=UTC)


def rating(item: str, rater: str, label: str, **more: object) -> dict[str, object]:
    return {"item": item, "rater": rater, "label": label, **more}


def in_force(con: Con) -> set[tuple[str, str, str]]:
    return set(con.execute("select item, rater, label from current_ratings").fetchall())


def labels(con: Con, question: str) -> list[str]:
    result = con.execute("select label from current_ratings where question = $question", {"question": question})
    return [label for (label,) in result.fetchall()]


def history(con: Con) -> list[tuple[str, bool]]:
    return con.execute("select label, superseded_at is null from ratings order by rating_id::bigint").fetchall()


def sound(con: Con) -> bool:
    return not {name for name, rows in run_checks(con).items() if rows.height}


def reject(row_number: int | None = 1, reason: str = "unknown_label") -> pl.DataFrame:
    row = {
        "row_number": row_number,
        "column_name": "label",
        "value": "yess",
        "reason": reason,
        "detail": "Not a label.",
    }
    return pl.DataFrame([row], schema=dict(REJECTS))


def test_a_batch_is_counted_and_stored(con: Con, store: Store) -> None:
    rows = [rating("i1", "ann", "A", rated_at=MORNING, score=0.5, source_ref="77"), rating("i2", "ann", "B")]
    counts = store(con, "b1", rows, rejects=reject(), n_skipped=3)
    assert counts == BatchCounts(
        n_ratings=2, n_unchanged=0, n_skipped=3, n_rejected=1, questions=("q",), repeated=False
    )
    assert in_force(con) == {("i1", "ann", "A"), ("i2", "ann", "B")}
    stored = con.execute("select rated_at, score, source_ref, row_number, batch_id from ratings where item = 'i1'")
    assert stored.fetchall() == [(MORNING, 0.5, "77", 1, "b1")]
    assert con.execute("select n_rows, status, attempt from batches").fetchall() == [(6, "stored", 1)]
    assert con.execute("select reason, attempt, file_name from rejected_rows").fetchall() == [
        ("unknown_label", 1, "b1.csv")
    ]
    assert sound(con)


def test_a_second_ingest_of_a_batch_changes_nothing(con: Con, store: Store) -> None:
    first = store(con, "b1", [rating("i1", "ann", "A")])
    again = store(con, "b1", [rating("i1", "ann", "B")], n_skipped=9)
    assert again == replace(first, questions=(), repeated=True)
    assert in_force(con) == {("i1", "ann", "A")}
    assert stored_questions(con)[0].revision == 1


def test_the_same_annotations_in_a_new_file_are_unchanged(con: Con, store: Store) -> None:
    rows = [rating("i1", "ann", "A", rated_at=MORNING), rating("i2", "ann", "B")]
    store(con, "b1", rows)
    counts = store(con, "b2", rows)
    assert (counts.n_ratings, counts.n_unchanged, counts.questions) == (0, 2, ())
    assert len(history(con)) == 2
    assert stored_questions(con)[0].revision == 1


def test_a_newer_rating_supersedes_and_an_older_one_goes_to_history(con: Con, store: Store) -> None:
    store(con, "b1", [rating("i", "ann", "A", rated_at=MORNING)])
    store(con, "b2", [rating("i", "ann", "B", rated_at=MORNING + timedelta(hours=1))])
    store(con, "b3", [rating("i", "ann", "C", rated_at=MORNING - timedelta(hours=1))])
    assert history(con) == [("A", False), ("B", True), ("C", False)]
    repeated = store(con, "b4", [rating("i", "ann", "C", rated_at=MORNING - timedelta(hours=1))])
    assert repeated.n_unchanged == 1
    assert sound(con)


def test_without_a_time_the_arrival_decides(con: Con, store: Store) -> None:
    for number, label in enumerate("AABA"):
        store(con, f"b{number}", [rating("i", "ann", label)])
    assert history(con) == [("A", False), ("B", False), ("A", True)]


def test_duplicates_within_a_file_follow_the_same_rule_in_the_order_of_rows(con: Con, store: Store) -> None:
    rows = [
        rating("i", "ann", "B", rated_at=MORNING, row_number=2),
        rating("i", "ann", "A", rated_at=MORNING, row_number=1),
        rating("i", "ann", "B", rated_at=MORNING, row_number=3),
        rating("j", "ann", "A"),
        rating("j", "ann", "A"),
        rating("j", "ann", "B"),
    ]
    counts = store(con, "b1", rows)
    assert (counts.n_ratings, counts.n_unchanged) == (4, 2)
    assert in_force(con) == {("i", "ann", "B"), ("j", "ann", "B")}


def test_a_time_that_lies_ahead_does_not_outrank_what_comes_after(con: Con, store: Store) -> None:
    store(con, "b1", [rating("i", "ann", "A", rated_at=datetime(2099, 1, 1, tzinfo=UTC))])
    store(con, "b2", [rating("i", "ann", "B")])
    assert in_force(con) == {("i", "ann", "B")}


def test_a_clock_that_goes_back_does_not_reorder_arrivals(con: Con, store: Store, now: datetime) -> None:
    store(con, "b1", [rating("i", "ann", "A")], at=now)
    store(con, "b2", [rating("i", "ann", "B")], at=now - timedelta(days=1))
    assert in_force(con) == {("i", "ann", "B")}
    times = con.execute("select ingested_at from batches order by batch_id").fetchall()
    assert times[1] > times[0]


def test_another_version_of_a_system_is_a_new_rating(con: Con, store: Store) -> None:
    store(con, "b1", [rating("i", "gpt", "A", rater_kind="system", system_version="1", rated_at=MORNING)])
    counts = store(con, "b2", [rating("i", "gpt", "A", rater_kind="system", system_version="2", rated_at=MORNING)])
    assert counts.n_ratings == 1
    assert con.execute("select system_version from current_ratings").fetchall() == [("2",)]


def test_the_same_item_name_under_two_questions_is_two_items(con: Con, store: Store) -> None:
    counts = store(con, "b1", [rating("i", "ann", "A"), rating("i", "ann", "B", question="r")])
    assert counts.questions == ("q", "r")
    assert labels(con, "q") == ["A"]
    assert labels(con, "r") == ["B"]
    assert con.execute("select * from batch_questions order by question").fetchall() == [
        ("b1", "q", 1, 0),
        ("b1", "r", 1, 0),
    ]


def test_only_questions_that_changed_count_up(con: Con, store: Store) -> None:
    store(con, "b1", [rating("i", "ann", "A"), rating("i", "ann", "A", question="r")])
    counts = store(con, "b2", [rating("i", "ann", "A"), rating("i", "ann", "B", question="r")])
    assert counts.questions == ("r",)
    assert [(each.question, each.revision) for each in stored_questions(con)] == [("q", 1), ("r", 2)]


@pytest.mark.parametrize(
    "name", ["'; drop table internal.ratings; --", "naïve 標籤 🙂", "", " ", "a\tb\nc", '["x","y"]', "NULL"]
)
def test_any_text_is_a_name(con: Con, store: Store, name: str) -> None:
    store(con, "b1", [rating(name, name, name, question=name, source_ref=name)])
    rows = con.execute("select question, item, rater, label, source_ref from ratings").fetchall()
    assert rows == [(name,) * 5]
    assert labels(con, name) == [name]


def test_metadata_keeps_the_last_value(con: Con, store: Store) -> None:
    def metadata(*rows: tuple[str, str, str, str | None]) -> pl.DataFrame:
        return pl.DataFrame(rows, schema=dict(METADATA), orient="row")

    store(con, "b1", [rating("i", "ann", "A")], metadata=metadata(("q", "i", "lang", "de"), ("q", "j", "lang", "fr")))
    store(con, "b2", metadata=metadata(("q", "i", "lang", "x"), ("q", "i", "lang", "en"), ("q", "j", "lang", None)))
    table = con.execute("select question, item, key, value from item_metadata order by item").fetchall()
    assert table == [("q", "i", "lang", "en"), ("q", "j", "lang", "fr")]
    assert sound(con)


def test_an_unreadable_file_is_a_rejected_batch_and_may_be_read_later(con: Con, store: Store) -> None:
    refused = {"status": "rejected", "reason": "not_an_export", "detail": "No columns."}
    store(con, "b1", rejects=reject(None), settings_hash="s1", **refused)
    assert store(con, "b1", settings_hash="s1", **refused).repeated
    store(con, "b1", rejects=reject(None, "other"), settings_hash="s2", **refused)
    assert con.execute("select status, attempt, n_rejected from batches").fetchall() == [("rejected", 2, 1)]
    counts = store(con, "b1", [rating("i", "ann", "A")], settings_hash="s3")
    assert (counts.n_ratings, counts.repeated) == (1, False)
    assert con.execute("select status, attempt, reason, n_rows from batches").fetchall() == [("stored", 3, None, 1)]
    assert con.execute("select attempt, reason from rejected_rows order by attempt").fetchall() == [
        (1, "unknown_label"),
        (2, "other"),
    ]
    assert [(f["sha256"], f["status"], f["settings_hash"]) for f in known_files(con)] == [("b1", "stored", "s3")]
    assert sound(con)


def test_counts_that_do_not_add_up_store_nothing(con: Con, store: Store) -> None:
    with pytest.raises(WarehouseError, match=r"b1 has 5 rows, but n_ratings 1, n_unchanged 0"):
        store(con, "b1", [rating("i", "ann", "A")], n_rows=5)
    assert con.execute("select count(*) from ratings").fetchall() == [(0,)]
    assert con.execute("select count(*) from internal.batches").fetchall() == [(0,)]
    assert not stored_questions(con)
    assert store(con, "b1", [rating("i", "ann", "A")]).n_ratings == 1


@pytest.mark.parametrize("missing", ["question", "item", "rater", "label", "rater_kind"])
def test_a_rating_without_a_name_is_refused(con: Con, store: Store, missing: str) -> None:
    with pytest.raises(WarehouseError, match=f"must have a {missing}, but 1 of batch b1"):
        store(con, "b1", [rating("i", "ann", "A") | {missing: None}])


def test_a_rejected_batch_with_ratings_and_an_unknown_kind_are_refused(con: Con, store: Store) -> None:
    with pytest.raises(WarehouseError, match="A rejected batch has no ratings, but 1 came"):
        store(con, "b1", [rating("i", "ann", "A")], status="rejected")
    with pytest.raises(WarehouseError, match="'robot'"):
        store(con, "b1", [rating("i", "ann", "A", rater_kind="robot")])
    with pytest.raises(WarehouseError, match="could not store batch b1: Constraint Error"):
        store(con, "b1", [rating("i", "ann", "A")], status="odd")
    assert con.execute("select count(*) from ratings").fetchall() == [(0,)]


def test_frames_of_other_types_are_read_or_refused() -> None:
    table = pl.DataFrame({"item": ["i"], "rated_at": [None], "extra": [1]}, schema_overrides={"item": pl.Categorical})
    wanted = {"item": pl.String(), "rated_at": RATINGS["rated_at"]}
    assert sql.conform(table, wanted, "Rows").schema == pl.Schema(wanted)
    with pytest.raises(WarehouseError, match="Rows must have the columns item, rater; rater is missing"):
        sql.conform(table, {"item": pl.String(), "rater": pl.String()}, "Rows")
    with pytest.raises(WarehouseError, match="Rows have a column of the wrong type"):
        sql.conform(table, {"item": pl.Int64()}, "Rows")


def test_a_system_declared_later_changes_the_stored_ratings(con: Con, store: Store) -> None:
    store(con, "b1", [rating("i", "ann", "A"), rating("i", "gpt", "A"), rating("i", "gpt", "A", question="r")])
    kinds = pl.DataFrame({"question": ["q", "q", "x"], "rater": ["gpt", "nobody", "gpt"], "rater_kind": "system"})
    assert set_rater_kinds(con, kinds) == ["q"]
    assert set_rater_kinds(con, kinds) == []
    rows = con.execute("select question, rater, rater_kind from current_ratings order by all").fetchall()
    assert rows == [("q", "ann", "human"), ("q", "gpt", "system"), ("r", "gpt", "human")]
    assert [each.revision for each in stored_questions(con)] == [2, 1]
    with pytest.raises(WarehouseError, match="not 'robot'"):
        set_rater_kinds(con, kinds.with_columns(rater_kind=pl.lit("robot")))
    with pytest.raises(WarehouseError, match="given twice"):
        set_rater_kinds(con, pl.concat([kinds, kinds]))


def test_a_failure_at_any_step_leaves_the_warehouse_as_it_was(
    con: Con, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(con, "b1", [rating("i", "ann", "A")])
    before = [con.table(name).fetchall() for name in ("ratings", "batches", "rejected_rows")]
    run = sql.run
    steps = [
        "keys/items_new",
        "storing/05_match_stored_versions",
        "storing/06_choose_current",
        "storing/07_write_ratings",
        "storing/20_metadata_and_rejects",
        "storing/25_batch_row",
    ]
    for failing in steps:

        def fail(con: Con, name: str, /, failing: str = failing, **values: object) -> None:
            run(con, name, **values)
            if name == failing:
                raise KeyboardInterrupt

        monkeypatch.setattr(sql, "run", fail)
        with pytest.raises(KeyboardInterrupt):
            store(con, "b2", [rating("i", "ann", "B"), rating("j", "bob", "B")], rejects=reject())
        assert [con.table(name).fetchall() for name in ("ratings", "batches", "rejected_rows")] == before
    monkeypatch.undo()
    assert store(con, "b2", [rating("i", "ann", "B"), rating("j", "bob", "B")], rejects=reject()).n_ratings == 2
    assert sound(con)
