"""Full exports: what vanished is deleted in the same transaction, and a re-appearance is a new rating."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import duckdb
import polars as pl

from warehouse.batches import REJECT_KEYS, REJECTS, BatchCounts
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import ratings_as_of, stored_questions

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
FULL = {"source": "tool", "full_export": True}


def row(item: str, label: str = "A", **more: object) -> dict[str, object]:
    return {"item": item, "rater": "ann", "label": label, **more}


def in_force(con: Con) -> list[tuple[str, str, str]]:
    return con.execute("select question, item, label from current_ratings order by all").fetchall()


def sound(con: Con) -> bool:
    return not {name for name, rows in run_checks(con).items() if rows.height}


def test_what_vanished_is_deleted_and_the_question_counts_as_changed(con: Con, store: Store) -> None:
    store(con, "b1", [row("i"), row("j"), row("k", question="other")], at=NOON, **FULL)
    store(con, "b2", [row("i"), row("j", "B")], at=NOON + DAY, **FULL)
    counts = store(con, "b3", [row("i")], at=NOON + 2 * DAY, **FULL)
    assert (counts.n_ratings, counts.n_unchanged, counts.n_deleted, counts.questions) == (0, 1, 1, ("q",))
    assert in_force(con) == [("other", "k", "A"), ("q", "i", "A")]  # a question that the file has not is left alone
    gone = con.execute("select label, deleted_at, deleted_by from ratings where item = 'j' order by label").fetchall()
    assert gone == [("A", NOON + 2 * DAY, "b3"), ("B", NOON + 2 * DAY, "b3")]
    assert [(result.question, result.revision) for result in stored_questions(con)] == [("other", 1), ("q", 3)]
    assert con.execute("select n_deleted, full_export from batches order by batch_id").fetchall() == [
        (0, True), (0, True), (1, True),
    ]  # fmt: skip
    assert sorted(ratings_as_of(con, "q", NOON + DAY)["label"]) == ["A", "B"]
    assert sound(con)


def test_a_reappearance_is_a_new_rating_whatever_was_there_before(con: Con, store: Store) -> None:
    nine, ten = NOON - DAY, NOON - DAY / 2
    store(con, "b1", [row("i"), row("j", "A", rated_at=nine)], at=NOON, **FULL)
    store(con, "b2", [row("i"), row("j", "B", rated_at=ten)], at=NOON + DAY, **FULL)
    store(con, "b3", [row("i")], at=NOON + 2 * DAY, **FULL)
    counts = store(con, "b4", [row("i"), row("j", "A", rated_at=nine)], at=NOON + 3 * DAY, **FULL)
    assert (counts.n_ratings, counts.n_unchanged, counts.n_deleted) == (1, 1, 0)
    assert in_force(con) == [("q", "i", "A"), ("q", "j", "A")]
    assert sound(con)


def test_only_what_the_source_brought_is_deleted(con: Con, store: Store) -> None:
    store(con, "b1", [row("i"), row("j")], source="elsewhere", at=NOON)
    store(con, "b2", [row("i"), row("k")], source="tool", at=NOON + DAY)  # before its source was declared
    assert store(con, "b3", [row("i")], at=NOON + 2 * DAY, **FULL).n_deleted == 1
    assert store(con, "b4", [row("i")], source="tool", at=NOON + 3 * DAY).n_deleted == 0
    assert in_force(con) == [("q", "i", "A"), ("q", "j", "A")]
    assert sound(con)


def test_what_another_source_replaced_and_the_export_lacks_does_not_come_back(con: Con, store: Store) -> None:
    kept = [row("j", rated_at=NOON - DAY), row("k")]
    store(con, "b1", [row("i"), *kept], at=NOON, **FULL)
    other = [row("i", "B"), row("j", "B")]
    store(con, "other", other, source="elsewhere", settings_hash="s1", at=NOON + DAY)
    counts = store(con, "b2", kept, at=NOON + 2 * DAY, **FULL)
    assert (counts.n_deleted, counts.n_unchanged) == (0, 2)  # in force was another one
    in_between = [("q", "i", "B"), ("q", "j", "B"), ("q", "k", "A")]
    assert in_force(con) == in_between
    assert sound(con)
    store(con, "other", [], source="elsewhere", settings_hash="s2", retry=True, at=NOON + 3 * DAY)  # withdrawn
    assert in_force(con) == [("q", "j", "A"), ("q", "k", "A")]  # as if it had never come
    past = ratings_as_of(con, "q", NOON + 2 * DAY).sort("item").select("item", "label").rows()
    assert past == [(item, label) for _, item, label in in_between]
    assert sound(con)


def test_a_rejected_row_protects_its_rating(con: Con, store: Store) -> None:
    store(con, "b1", [row("i"), row("j"), row("k")], at=NOON, **FULL)
    refused = pl.DataFrame(
        [{"row_number": 2, "reason": "unknown_label", "question": "q", "item": "j", "rater": "ann"}],
        schema={**REJECTS, **REJECT_KEYS},
    )
    assert store(con, "b2", [row("i")], rejects=refused, at=NOON + DAY, **FULL).n_deleted == 1
    assert in_force(con) == [("q", "i", "A"), ("q", "j", "A")]
    assert con.execute("select question, item, rater from rejected_rows").fetchall() == [("q", "j", "ann")]
    assert sound(con)


def test_a_deletion_stays_when_the_first_file_is_read_again(con: Con, store: Store) -> None:
    refused = pl.DataFrame([{"row_number": 9}], schema={**REJECTS, **REJECT_KEYS})
    store(con, "b1", [row("i"), row("j")], rejects=refused, settings_hash="s1", at=NOON, **FULL)
    store(con, "b2", [row("i")], at=NOON + DAY, **FULL)
    again = [row("i"), row("j"), row("x", question="new")]
    counts = store(con, "b1", again, settings_hash="s2", retry=True, source="command line", at=NOON + 2 * DAY)
    assert (counts.n_ratings, counts.questions) == (3, ("new",))
    assert in_force(con) == [("new", "x", "A"), ("q", "i", "A")]
    assert con.execute("select source, full_export from batches where batch_id = 'b1'").fetchall() == [("tool", True)]
    assert sound(con)
