"""Votes on pairs of models: each row of a batch is stored or unchanged, the last vote counts, and nothing is lost."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import polars as pl
import pytest

from schemas.rating_columns import METADATA, RATINGS, REJECTS, VOTES
from warehouse.batches import Batch, BatchCounts, store_batch
from warehouse.errors import WarehouseError
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import stored_questions, votes_of
from warehouse.raters.rater_aliases import rename_stored

Con = duckdb.DuckDBPyConnection
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def vote(item: str, winner: str, rater: str = "ann", **changes: object) -> dict[str, object]:
    usual = {"question": "q", "cluster": item, "model_a": "m1", "model_b": "m2", "shown_first": "model_a"}
    return usual | {"item": item, "winner": winner, "rater": rater, "rater_kind": "human"} | changes


def store(
    con: Con, batch_id: str, rows: Sequence[dict[str, Any]], *, hours: int = 0, retry: bool = False, **batch: Any
) -> BatchCounts:
    at = NOON + timedelta(hours=hours)
    numbered = [{"row_number": number} | row for number, row in enumerate(rows, start=2)]
    known = {"source": None, "file_name": f"{batch_id}.csv", "sha256": batch_id, "reader": "pairwise_table"}
    known |= {"status": "stored", "started_at": at, "n_rows": len(rows), "n_skipped": 0} | batch
    counts = store_batch(
        con,
        Batch(batch_id=batch_id, **known),
        pl.DataFrame(schema=dict(RATINGS)),
        pl.DataFrame(schema=dict(REJECTS)),
        pl.DataFrame(schema=dict(METADATA)),
        now=at,
        retry=retry,
        votes=pl.DataFrame(numbered, schema=dict(VOTES)),
    )
    assert not {name for name, rows in run_checks(con).items() if rows.height}
    return counts


def counting(con: Con, moment: datetime | None = None) -> list[tuple[object, ...]]:
    return votes_of(con, "q", moment).select("item", "rater", "first", "second", "outcome").rows()


def test_a_vote_is_read_back_in_the_order_in_which_the_models_were_shown(con: Con) -> None:
    swapped = {"shown_first": "model_b"}
    rows = [vote("1", "model_a"), vote("1", "model_a", **swapped), vote("2", "tie"), vote("3", "model_b", **swapped)]
    assert store(con, "b1", rows).n_ratings == 4
    assert counting(con) == [
        ("1", "ann", "m1", "m2", "first"), ("1", "ann", "m2", "m1", "second"), ("2", "ann", "m1", "m2", "tie"),
        ("3", "ann", "m2", "m1", "first"),
    ]  # fmt: skip
    pairs = con.sql("select n_votes, n_wins_a, n_wins_b, n_ties, n_a_first, n_items from model_pairs").fetchall()
    assert pairs == [(4, 2, 1, 1, 2, 3)]


def test_the_same_batch_again_changes_nothing(con: Con) -> None:
    first = store(con, "b1", [vote("1", "model_a"), vote("2", "tie")])
    again = store(con, "b1", [vote("1", "model_a"), vote("2", "tie")], hours=1)
    assert (again.repeated, again.n_ratings) == (True, first.n_ratings)
    assert con.sql("select count(*) from preferences").fetchall() == [(2,)]


def test_a_growing_export_brings_what_is_new_and_the_last_vote_counts(con: Con) -> None:
    store(con, "b1", [vote("1", "model_a"), vote("2", "tie"), vote("2", "tie", "ben")])
    counts = store(con, "b2", [vote("1", "model_b"), vote("2", "tie"), vote("3", "tie"), vote("3", "tie")], hours=1)
    assert (counts.n_ratings, counts.n_unchanged, counts.questions) == (2, 2, ("q",))
    assert [row[:2] + row[4:] for row in counting(con)] == [
        ("1", "ann", "second"), ("2", "ann", "tie"), ("2", "ben", "tie"), ("3", "ann", "tie"),
    ]  # fmt: skip
    assert [row[4] for row in counting(con, NOON)] == ["first", "tie", "tie"]
    assert con.sql("select count(*), count(*) filter (is_current) from preferences").fetchall() == [(5, 4)]
    assert [each.revision for each in stored_questions(con)] == [2]


def test_a_vote_that_changed_twice_in_a_file_is_two_votes(con: Con) -> None:
    counts = store(con, "b1", [vote("1", "model_a"), vote("1", "model_b"), vote("1", "model_a")])
    assert counts.n_ratings == 3
    assert counting(con) == [("1", "ann", "m1", "m2", "first")]


def test_a_further_attempt_keeps_what_is_the_same_and_withdraws_the_rest(con: Con) -> None:
    store(con, "b1", [vote("1", "model_a"), vote("2", "tie")], settings_hash="s")
    store(con, "b2", [vote("2", "model_b")], hours=1)
    again = store(con, "b1", [vote("1", "model_a"), vote("2", "model_a")], hours=2, retry=True, settings_hash="t")
    assert (again.n_ratings, again.n_new) == (2, 1)
    assert [row[4] for row in counting(con)] == ["first", "second"]  # the later batch still has the last word
    assert [row[4] for row in counting(con, NOON)] == ["first", "tie"]
    assert con.sql("select count(*) from preferences where withdrawn_at is not null").fetchall() == [(1,)]


def test_the_view_says_which_votes_count(con: Con) -> None:
    seen = "select row_number, is_current, withdrawn_at is not null, rater_kind from preferences order by vote_id"
    swapped = vote("1", "tie", shown_first="model_b")
    store(con, "b1", [vote("1", "model_b"), swapped, vote("1", "model_a"), vote("2", "tie")], settings_hash="s")
    assert con.sql(seen).fetchall() == [
        (2, False, False, "human"), (3, True, False, "human"), (4, True, False, "human"), (5, True, False, "human")
    ]  # fmt: skip
    store(con, "b1", [vote("1", "model_b"), swapped], hours=1, retry=True, settings_hash="t")
    con.execute("insert into internal.declared_kinds (question_id, rater_id, rater_kind) values (1, 1, 'system')")
    assert con.sql(seen).fetchall() == [
        (2, True, False, "system"), (3, True, False, "system"), (4, False, True, "system"), (5, False, True, "system")
    ]  # fmt: skip
    store(con, "b2", [vote("1", "tie", row_number=None), vote("1", "model_a", row_number=None)], hours=2)
    assert [current for _, current, *_ in con.sql(seen).fetchall()] == [False, True, False, False, False, True]


def test_votes_under_an_alias_go_to_the_rater(con: Con) -> None:
    store(con, "b1", [vote("1", "model_a", "a7")])
    store(con, "b2", [vote("1", "model_b"), vote("2", "tie", "ben")], hours=1)
    (renamed,) = rename_stored(con, {"a7": "ann"}, {})
    assert (renamed.question, renamed.n_ratings) == ("q", 1)
    assert counting(con) == [("1", "ann", "m1", "m2", "second"), ("2", "ben", "m1", "m2", "tie")]
    assert stored_questions(con)[0].revision == 3
    assert rename_stored(con, {"a7": "ann"}, {}) == []


def test_ratings_and_votes_of_one_question_stay_apart(con: Con) -> None:
    store(con, "b1", [vote("1", "model_a")])
    con.execute("from current_ratings")
    assert con.fetchall() == []


@pytest.mark.parametrize("change", [{"winner": "m1"}, {"model_a": "m2"}, {"model_a": "m3"}, {"rater_kind": "robot"}])
def test_what_is_no_vote_is_refused_whole(con: Con, change: dict[str, str]) -> None:
    with pytest.raises(WarehouseError):
        store(con, "b1", [vote("1", "model_a"), vote("2", "tie") | change])
    assert con.sql("select count(*) from internal.preferences").fetchall() == [(0,)]
