"""The view rater_scorecard: speed, edits, screen, drift and chart state beside the figures of the last run."""

from pathlib import Path

import pytest

from tasks.errors import InputError
from tasks.raters.scorecard import read_scorecards
from warehouse.connect import connect

SETUP = """
    insert into internal.questions values (1, 'tone', 1);
    insert into internal.raters values (1, 'ann'), (2, 'bob'), (3, 'cid');
    insert into internal.duration_counts values (1, '2026-01-01', 1, 4, 3), (1, '2026-01-02', 1, 9, 2),
        (1, '2026-01-01', 2, 8, 1);
    insert into runs (run_id, kind, question, status, code_version, started_at)
    values ('r', 'evaluate', 'tone', 'succeeded', '1', '2026-01-01');
    insert into rater_scorecards (run_id, question, rater, n_ratings, n_items, confidence, n_gold, agreement)
    values ('r', 'tone', 'ann', 5, 5, 0.95, 0, 0.5), ('r', 'tone', 'bob', 5, 5, 0.95, 0, 0.6),
        ('r', 'tone', 'cid', 5, 5, 0.95, 0, 0.7);
    insert into rater_bias (run_id, question, rater, label, n_items, confidence, bias)
    values ('r', 'tone', 'ann', 'rude', 5, 0.95, 0.1), ('r', 'tone', 'bob', 'rude', 5, 0.95, -0.1);
    insert into assumption_checks (run_id, question, name, rater, other, violated)
    values ('r', 'tone', 'alike', 'ann', 'bob', true);
    insert into alerts (alert_id, question, kind, severity, opened_at, subject, changed_on)
    values ('1', 'tone', 'rater', 'warning', now(), 'ann', '2026-02-01'),
        ('2', 'tone', 'labels', 'warning', now(), 'bob', null);
    insert into internal.chart_sums values (1, 'main', 'rater', 'ann', null, '2026-02-01', 2, 1),
        (1, '["rater", "bob", "2026-01-09"]', 'rater', 'bob', null, '2026-02-02', 2, 1);
    insert into internal.chart_points
    select 1, 'rater', subject, null, day, 2, 0, 0, 0, 0, 9, false from internal.chart_sums;
    insert into missing_charts values ('tone', 'rater', 'cid', 'too_few_items', 'Too few.');
"""


@pytest.fixture
def filled(db: Path) -> Path:
    with connect(db) as con:
        con.execute(SETUP)
    return db


def test_each_part_of_a_scorecard(filled: Path) -> None:
    cards = {row["rater"]: row for row in read_scorecards(filled).cards.to_dicts()}
    ann, bob, cid = cards["ann"], cards["bob"], cards["cid"]
    assert [(card["median_s"], card["others_median_s"], card["n_timed"]) for card in (ann, bob)] == [
        (4, 8, 5),
        (8, 4, 1),
    ]
    assert (cid["median_s"], cid["speed_reason"]) == (None, "no_durations")
    assert [(card["is_alike"], card["alike_to"]) for card in (ann, bob)] == [(True, "bob"), (True, "ann")]
    assert (cid["is_alike"], cid["alike_reason"]) == (None, "not_checked")
    assert [card["n_open_alerts"] for card in (ann, bob, cid)] == [1, 0, 0]
    states = [(card["chart_state"], card["chart_reason"]) for card in (ann, bob, cid)]
    assert states == [
        ("reference_of_question", None), ("own_reference", None), ("compared_with_others", "too_few_items"),
    ]  # fmt: skip
    assert (ann["n_skipped"], ann["skipped_reason"]) == (None, "not_kept_by_rater")


def test_one_rater_or_one_question(filled: Path) -> None:
    found = read_scorecards(filled, rater="ann", question="tone")
    assert (found.cards["rater"].to_list(), found.bias["bias"].to_list()) == (["ann"], [0.1])
    with pytest.raises(InputError, match="There is no scorecard of the rater 'an'") as error:
        read_scorecards(filled, rater="an")
    assert "'ann'" in error.value.hint


def test_before_the_first_evaluation_there_are_none(db: Path) -> None:
    with pytest.raises(InputError, match="No question has scorecards yet"):
        read_scorecards(db)
