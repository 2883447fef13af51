"""The view rater_scorecard: speed, edits, screen, drift and chart state beside the figures of the last run."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from rich.console import Console

from flows.cli import terminal
from flows.cli.raters.scorecard_output import print_cards, print_systems
from tasks.errors import InputError
from tasks.raters.scorecard import read_scorecards, read_system_scorecards
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
    assert [card["chart_detail"] for card in (ann, bob, cid)] == [None, None, "Too few."]
    assert (ann["n_skipped"], ann["skipped_reason"]) == (None, "not_kept_by_rater")


def test_edits_of_a_dataset_are_unknown_and_not_none(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert read_scorecards(filled).cards["n_edits"].to_list() == [0, 0, 0]
    with connect(filled) as con:
        con.execute("insert into internal.dataset_questions values (1, 'ratings')")
        work = con.execute("select rater, n_timed, n_edits from rater_work").fetchall()
    assert work == [("ann", 5, None), ("bob", 1, None)]
    cards = read_scorecards(filled)
    assert cards.cards["n_edits"].to_list() == [None, None, None]
    print_cards(cards)
    assert capsys.readouterr().out.count("not stored of a dataset") == 3


def test_the_pace_of_others_who_have_no_durations_is_not_0(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with connect(filled) as con:
        con.execute("delete from internal.duration_counts where rater_id = 2")
    print_cards(read_scorecards(filled, rater="ann"))
    assert "nobody else has durations" in capsys.readouterr().out


def test_a_rater_without_a_chart_is_told_why(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_cards(read_scorecards(filled, rater="cid"))
    assert "Chart: none. Too few. 0 open alerts" in capsys.readouterr().out


def test_one_rater_or_one_question(filled: Path) -> None:
    result = read_scorecards(filled, rater="ann", question="tone")
    assert (result.cards["rater"].to_list(), result.bias["bias"].to_list()) == (["ann"], [0.1])
    with pytest.raises(InputError, match="There is no scorecard of the rater 'an'") as error:
        read_scorecards(filled, rater="an")
    assert "'ann'" in error.value.hint


SYSTEMS = """
    insert into runs (run_id, kind, question, status, code_version, started_at)
    values ('m', 'monitor', 'tone', 'succeeded', '1', '2026-01-02');
    insert into system_accuracy
        (run_id, question, scope, system, system_version, method, accuracy, low, high, n_items, n_gold, confidence,
        outer_low, outer_high)
    values
        ('r', 'tone', 'all', 'gpt', '', 'lehner', 0.7, 0.6, 0.8, 9, 0, 0.95, null, null),
        ('r', 'tone', 'all', 'gpt', '', 'average', 0.8, 0.7, 0.9, 9, 0, 0.95, 0.5, 0.95),
        ('r', 'tone', 'slice:a=b', 'gpt', '', 'average', 0.1, 0, 1, 3, 0, 0.95, null, null),
        ('r', 'tone', 'all', 'new', '', 'average', null, null, null, 1, 0, 0.95, null, null),
        ('r', 'tone', 'all', 'new', '', 'binless', 0.5, 0.1, 0.9, 1, 0, 0.95, null, null);
    insert into system_windows
        (run_id, question, period, system, n_items, n_shared, agreement_with_others, accuracy, low, high, confidence,
        too_few)
    values ('m', 'tone', 'last_n', 'gpt', 5, 4, 0.6, 0.75, 0.5, 0.9, 0.95, true);
    insert into alerts (alert_id, question, kind, severity, opened_at, subject, changed_on)
    values ('3', 'tone', 'system', 'warning', now(), 'gpt', '2026-02-03'),
        ('4', 'tone', 'version', 'warning', now(), 'gpt', '2026-02-01');
    insert into internal.chart_points values (1, 'system', 'gpt', null, '2026-02-04', 2, 0, 0, 0, 0, 9, false);
    insert into missing_charts values ('tone', 'system', 'new', 'too_few_items', 'Too few.');
"""


def test_all_and_latest_items_have_the_same_kind_of_interval(
    filled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "console", Console(width=200))  # narrower, the table is folded
    with connect(filled) as con:
        con.execute(SYSTEMS)
    print_systems(read_system_scorecards(filled, system="gpt"), "")
    shown = " ".join(capsys.readouterr().out.split())
    assert "0.800 [0.500, 0.950] 0 4 0.750 [0.352, 0.943]" in shown
    assert "Both with the outer interval." in shown
    assert "only the figure on all items" not in shown


def test_where_the_latest_items_are_all_items_their_figure_stands_there_once(
    filled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interval of the latest items is computed in another way: [0.500, 0.950] stood beside [0.498, 0.950]."""
    monkeypatch.setattr(terminal, "console", Console(width=200))
    with connect(filled) as con:
        con.execute(SYSTEMS)
        con.execute("update system_windows set n_items = 9, n_shared = 9, accuracy = 0.8")
    print_systems(read_system_scorecards(filled), "")
    shown = " ".join(capsys.readouterr().out.split())
    assert "gpt 9 0.800 [0.500, 0.950] 0 9 0.600 2" in shown
    assert "there is only the figure on all items." in shown
    assert "accuracy by binless; too few items" in shown


def test_systems_have_scorecards_of_their_own(filled: Path) -> None:
    with connect(filled) as con:
        con.execute(SYSTEMS)
    gpt, new = read_system_scorecards(filled).to_dicts()
    assert (gpt["system"], gpt["method"], gpt["accuracy"], gpt["n_items"]) == ("gpt", "average", 0.8, 9)
    assert (gpt["n_recent"], gpt["recent_agreement"], gpt["recent_accuracy"]) == (4, 0.6, 0.75)
    assert (gpt["recent_outer_low"], gpt["recent_outer_high"]) == pytest.approx((0.352, 0.943), abs=1e-3)
    assert (gpt["n_open_alerts"], gpt["drifting_since"], gpt["charted_until"], gpt["chart_reason"]) == (
        2, date(2026, 2, 1), date(2026, 2, 4), None,
    )  # fmt: skip
    assert (new["method"], new["accuracy"], new["recent_reason"]) == ("binless", 0.5, "no_window")
    assert (new["n_open_alerts"], new["chart_reason"]) == (0, "too_few_items")
    assert read_system_scorecards(filled, system="new", question="tone")["system"].to_list() == ["new"]
    with pytest.raises(InputError, match="There is no scorecard of the system 'ann'"):
        read_system_scorecards(filled, system="ann")
    with pytest.raises(InputError, match="'gpt' is a system") as error:
        read_scorecards(filled, rater="gpt")
    assert "--systems" in error.value.hint


def test_before_the_first_evaluation_there_are_none(db: Path) -> None:
    with pytest.raises(InputError, match="No question has scorecards yet"):
        read_scorecards(db)
    with pytest.raises(InputError, match="No question has an evaluated system yet"):
        read_system_scorecards(db)


OF_RANKINGS = """
    insert into runs (run_id, kind, question, status, code_version, started_at)
    values ('r', 'evaluate', 'order', 'succeeded', '1', '2026-01-01');
    insert into region_agreement (run_id, question, rater_a, rater_b, coefficient, estimate, low, high, confidence,
        interval_method, n_items, n_raters, n_regions)
    values ('r', 'order', null, null, 'spearman', 0.5, 0.4, 0.6, 0.95, 'jackknife', 2, 2, 0),
        ('r', 'order', 'ann', 'bob', 'spearman', 0.5, 0.4, 0.6, 0.95, 'jackknife', 2, 2, 0);
"""


@pytest.mark.parametrize("read", [read_scorecards, read_system_scorecards])
def test_a_project_of_rankings_only_is_told_what_shows_its_raters(db: Path, read: Callable[[Path], object]) -> None:
    with connect(db) as con:
        con.execute(OF_RANKINGS)
    with pytest.raises(InputError) as refusal:
        read(db)
    assert str(refusal.value) == (
        "Scorecards are of labels, and the evaluated questions of this project are rankings, texts, spans or boxes."
    )
    assert "evaluate --all" not in (refusal.value.hint or "")
    with connect(db, read_only=True) as con:
        rows = con.execute((refusal.value.hint or "").split('"')[1]).fetchall()
    assert rows == [("order", "ann", "bob", "spearman", 0.5, 0.4, 0.6)]


OF_VOTES = """
    insert into runs (run_id, kind, question, status, code_version, started_at)
    values ('r', 'evaluate', 'duel', 'succeeded', '1', '2026-01-01');
    insert into model_strengths (run_id, question, model, n_votes, n_wins, n_losses, n_ties, votes_of, interval_method,
        confidence)
    values ('r', 'duel', 'm1', 2, 1, 1, 0, 'people', 'information', 0.95);
    insert into preference_figures (run_id, question, figure, rater, estimate, low, high, confidence)
    values ('r', 'duel', 'agreement_with_others', 'ann', 0.5, 0.4, 0.6, 0.95);
"""
UNNAMED_VOTES = """
    insert into runs (run_id, kind, question, status, code_version, started_at)
    values ('r', 'evaluate', 'nli', 'succeeded', '1', '2026-01-01');
    insert into agreement (run_id, question, scope, period, coefficient, confidence, n_items, n_raters, n_ratings,
        reason)
    values ('r', 'nli', 'humans', 'all', 'conger_kappa', 0.95, 2, 2, 4, 'unnamed_raters');
"""


@pytest.mark.parametrize("read", [read_scorecards, read_system_scorecards])
def test_a_project_of_votes_on_models_is_told_what_shows_its_voters(db: Path, read: Callable[[Path], object]) -> None:
    with connect(db) as con:
        con.execute(OF_VOTES)
    with pytest.raises(InputError, match="the answers of this project are votes on models") as refusal:
        read(db)
    with connect(db, read_only=True) as con:
        rows = con.execute((refusal.value.hint or "").split('"')[1]).fetchall()
    assert rows == [("duel", "ann", 0.5, 0.4, 0.6)]


def test_votes_without_names_are_said_to_have_no_scorecards(db: Path) -> None:
    with connect(db) as con:
        con.execute(UNNAMED_VOTES)
    with pytest.raises(InputError, match="do not name who gave them") as refusal:
        read_scorecards(db)
    assert "evaluate --all" not in (refusal.value.hint or "")


def test_a_question_of_votes_without_names_beside_one_with_scorecards_says_why_it_has_none(filled: Path) -> None:
    with connect(filled) as con:
        con.execute(UNNAMED_VOTES.replace("'r'", "'r2'"))
    with pytest.raises(InputError, match="the votes of 'nli' do not name who gave them"):
        read_scorecards(filled, question="nli")
    with pytest.raises(InputError, match="There is no scorecard of the question 'other'"):
        read_scorecards(filled, question="other")
