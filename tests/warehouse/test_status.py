"""The summary of the warehouse."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse.batches import BatchCounts
from warehouse.questions import read_table
from warehouse.runs import run_results
from warehouse.status import read_status

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
EIGHT = datetime(2026, 3, 1, 8, tzinfo=UTC)


def run(run_id: str, hour: int) -> run_results.Run:
    return run_results.Run(
        run_id=run_id, kind="pipeline", question=None, code_version="0.1", started_at=EIGHT + timedelta(hours=hour)
    )


def test_an_empty_warehouse(con: Con) -> None:
    result = read_status(con)
    assert result.to_json() == {
        "n_files": 0, "n_files_rejected": 0, "n_files_withdrawn": 0, "n_ratings": 0, "n_rejected": 0,
        "questions": [], "regions": [], "n_votes": 0, "models": [], "last_runs": [], "open_alerts": [],
        "newest_ratings_at": None, "newest_day": None, "evaluated_at": None, "evaluation_lag_s": None,
    }  # fmt: skip


def test_what_came_in_and_the_last_runs(con: Con, store: Store) -> None:
    store(con, "b1", [{"item": "i", "rater": "a", "label": label} for label in "AB"])
    store(con, "b2", status="rejected")
    for number in range(7):
        run_results.start_run(con, run(f"r{number}", number))
    result = read_status(con)
    assert (result.n_files, result.n_files_rejected, result.n_ratings, result.n_rejected) == (2, 1, 1, 0)
    assert result.questions.select("question", "n_ratings", "n_items", "n_raters").rows() == [("q", 1, 1, 1)]
    assert result.questions["krippendorff_alpha"].to_list() == [None]
    assert result.last_runs["started_at"].to_list() == [EIGHT + timedelta(hours=number) for number in (6, 5, 4, 3, 2)]


def test_gold_is_no_rater_and_systems_are(con: Con, store: Store) -> None:
    kinds = {"ann": "human", "bot": "system", "audit": "gold", "lead": "human"}
    store(con, "b1", [{"item": "i", "rater": name, "label": "A", "rater_kind": kind} for name, kind in kinds.items()])
    counts = ["n_ratings", "n_raters", "n_annotators", "n_systems"]
    assert read_status(con).questions.select(counts).rows() == [(4, 3, 2, 1)]
    con.execute(
        "insert into internal.declared_kinds (question_id, rater_id, rater_kind)"
        " select q.question_id, r.rater_id, 'gold' from internal.questions q, internal.raters r where r.rater = 'lead'"
    )
    assert read_status(con).questions.select(counts).rows() == [(4, 2, 1, 1)]


def test_how_soon_the_newest_ratings_were_evaluated(con: Con, store: Store) -> None:
    store(con, "b1", [{"item": "i", "rater": "a", "label": "A", "rated_at": EIGHT}])
    arrival = read_status(con).newest_ratings_at
    assert arrival is not None
    assert read_status(con).evaluation_lag_s is None
    for number, minutes in enumerate((-5, 2, 30)):
        evaluation = replace(run(f"r{number}", 0), kind="evaluate", question="q")
        run_results.start_run(con, evaluation)
        ended = arrival + timedelta(minutes=minutes)
        run_results.finish_run(con, evaluation.run_id, status="succeeded", ended_at=ended)
    result = read_status(con)
    assert result.newest_day == EIGHT.date()
    assert result.evaluated_at == arrival + timedelta(minutes=30)
    assert result.evaluation_lag_s == pytest.approx(120)


def test_open_alerts_come_with_their_state(con: Con) -> None:
    con.execute(
        "insert into alerts (alert_id, question, kind, opened_at, acknowledged_at, acknowledged_by, muted_until)"
        " values ('a', 'q', 'low', now(), null, null, null), ('b', 'q', 'rater', now(), now(), 'ann', null),"
        " ('c', 'q', 'system', now(), now(), 'ann', now() + interval 1 day)"
    )
    rows = read_status(con).open_alerts.select("kind", "state", "acknowledged_by").sort("kind").rows()
    assert rows == [("low", "open", None), ("rater", "acknowledged", "ann"), ("system", "muted", "ann")]


RATED = st.tuples(st.sampled_from("pq"), st.sampled_from("ijk"), st.sampled_from(["ann", "bob", "bot"]), st.booleans())


@pytest.mark.parametrize("kind", ["human", "system"])
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(RATED, max_size=6), min_size=1, max_size=3))
def test_the_counts_are_those_of_the_ratings(
    con: Con, store: Store, kind: str, batches: list[list[tuple[str, str, str, bool]]]
) -> None:
    for rows in batches:
        batch_id = f"b{read_table(con, 'batches').height}"
        rated: list[dict[str, Any]] = [
            {"question": question, "item": item, "rater": rater, "label": "A" if yes else "B",
             "rater_kind": kind if rater == "bot" else "human"}
            for question, item, rater, yes in rows
        ]  # fmt: skip
        store(con, batch_id, rated)
    ratings = read_table(con, "current_ratings")
    expected = ratings.group_by("question").agg(
        n_ratings=pl.len(), n_items=pl.col("item").n_unique(), n_raters=pl.col("rater").n_unique()
    )
    result = read_status(con)
    assert result.questions.select(expected.columns).rows() == sorted(expected.rows())
    assert result.n_ratings == ratings.height
