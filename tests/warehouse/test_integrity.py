"""Each check is silent on a sound warehouse and finds the damage that it is for."""

from collections.abc import Callable

import duckdb
import pytest

from warehouse import sql
from warehouse.batches import BatchCounts
from warehouse.integrity import run_checks

DAMAGE = {
    "ratings_without_batch": "delete from batches",
    "two_current_ratings": "update internal.ratings set superseded_at = null",
    "no_current_rating": "update internal.ratings set superseded_at = ingested_at",
    "batches_do_not_add_up": "update batches set n_ratings = 9",
    "names_twice": "insert into internal.labels select * from internal.labels",
    "runs_left_running": "insert into runs (run_id, kind, status, started_at) values ('r', 'x', 'running', '2020-1-1')",
    "results_without_run": "insert into rater_quality (run_id, question, rater) values ('r', 'q', 'a')",
    "results_of_unknown_questions": "insert into item_consensus (run_id, question, item) values ('r', 'x', 'i')",
    "two_consensus_runs": "insert into item_consensus (run_id, question, item) values ('r', 'q', 'i'), ('s', 'q', 'i')",
    "two_open_alerts": "insert into alerts (alert_id, question, kind, opened_at) values ('a', 'q', 'k', now()), "
    "('b', 'q', 'k', now())",
    "metadata_twice": "insert into internal.item_metadata values (1, 'lang', 'de'), (1, 'lang', 'en')",
}


def test_each_check_has_its_damage() -> None:
    assert DAMAGE.keys() == sql.texts("checks").keys()


@pytest.mark.parametrize("check", DAMAGE)
def test_a_check_finds_its_damage(
    con: duckdb.DuckDBPyConnection, store: Callable[..., BatchCounts], check: str
) -> None:
    store(con, "b1", [{"item": "i", "rater": "a", "label": label} for label in "AB"])
    assert not {name for name, rows in run_checks(con).items() if rows.height}
    con.execute(DAMAGE[check])
    assert run_checks(con)[check].height
