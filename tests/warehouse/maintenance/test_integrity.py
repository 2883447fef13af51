"""Each check is silent on a sound warehouse and finds the damage that it is for."""

import shutil
from pathlib import Path

import pytest

from warehouse import sql
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks

DAMAGE = {
    "ratings_without_batch": "delete from batches",
    "two_current_ratings": "update internal.ratings set superseded_at = null",
    "no_current_rating": "update internal.ratings set superseded_at = ingested_at",
    "batches_do_not_add_up": "update batches set n_ratings = 9",
    "names_twice": "insert into internal.labels select * from internal.labels",
    "runs_left_running": "insert into runs (run_id, kind, status, started_at) values ('r', 'x', 'running', '2020-1-1')",
    "results_without_run": "insert into rater_quality (run_id, question, rater) values ('r', 'q', 'a')",
    "results_of_unknown_questions": "insert into rater_quality (run_id, question, rater) values ('r', 'x', 'a')",
    "two_consensus_runs": "insert into internal.pattern_consensus (run_id, question_id, pattern_id) "
    "values ('r', 1, 1), ('s', 1, 1)",
    "two_window_runs": "insert into label_windows (run_id, question, period, label, n_items, n_ratings, share, low,"
    " high, confidence, too_few) select run, 'q', 'last_n', 'A', 1, 1, 1, 1, 1, .95, true"
    " from (values ('r'), ('s')) as t (run)",
    "rater_windows_differ_from_counts": "insert into runs (run_id, kind, status, started_at, input_revision)"
    " values ('r', 'monitor', 'succeeded', '2020-1-1', 1); insert into system_windows (run_id, question, period,"
    " period_start, system, n_items, n_shared, confidence, too_few)"
    " values ('r', 'q', 'day', '1999-01-01 00:00:00+00', 'a', 1, 1, .95, true)",
    "windows_differ_from_counts": "insert into runs (run_id, kind, status, started_at, input_revision)"
    " values ('r', 'monitor', 'succeeded', '2020-1-1', 1); insert into label_windows (run_id, question, period,"
    " period_start, label, n_items, n_ratings, share, low, high, confidence, too_few)"
    " values ('r', 'q', 'day', '1999-01-01 00:00:00+00', 'A', 1, 1, 1, 1, 1, .95, true)",
    "two_open_alerts": "insert into alerts (alert_id, question, kind, opened_at) values ('a', 'q', 'k', now()), "
    "('b', 'q', 'k', now())",
    "metadata_twice": "insert into internal.item_metadata values (1, 'lang', 'de'), (1, 'lang', 'en')",
    "patterns_differ_from_ratings": "update internal.pattern_ratings set label_id = 1 where label_id = 2",
    "pattern_counts_differ_from_items": "update internal.pattern_counts set n_items = n_items + 1",
    "batch_patterns_differ_from_ratings": "delete from internal.batch_patterns",
    "version_counts_differ_from_ratings": "insert into internal.version_counts values (1, 1, 'v1', 1)",
    "daily_counts_differ_from_ratings": "update internal.rater_day_counts set n_ratings = n_ratings + 1",
    "votes_without_batch": "insert into internal.preferences values (1, 1, 'i', 'i', 'm1', 'm2', 'model_a', 'tie', 1,"
    " 'human', 99, 1, now(), null)",
    "region_work_without_batch": "insert into internal.region_work values (1, 1, 'i', 1, 'human', '[]', 0, 0, null, 99,"
    " now(), null, null, null, null, null, null)",
    "dataset_counts_do_not_add_up": "insert into internal.dataset_questions values (1, 'ratings')",
    "patterns_without_items": "insert into internal.patterns values (1, 1, 7)",
}


def test_each_check_has_its_damage() -> None:
    assert DAMAGE.keys() == sql.texts("checks").keys()


@pytest.mark.parametrize("check", DAMAGE)
def test_a_check_finds_its_damage(path: Path, two_versions: Path, check: str) -> None:
    shutil.copyfile(two_versions / "warehouse.duckdb", path)
    with connect(path) as con:
        assert not {name for name, rows in run_checks(con).items() if rows.height}
        con.execute(DAMAGE[check])
        assert run_checks(con)[check].height
