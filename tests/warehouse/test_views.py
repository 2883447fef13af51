"""Each view on a few rows: what goes in, what comes out."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import polars as pl
import pytest

from tasks.item_texts import CERTAIN, TEXT_KEYS, item_texts
from warehouse import sql
from warehouse.batches import METADATA, REJECTS, BatchCounts
from warehouse.patterns import question_patterns
from warehouse.publication.page_queries import page_rows
from warehouse.questions import queue_heads
from warehouse.runs.run_results import Run, write_results
from warehouse.worklist import doubtful_items

Con = duckdb.DuckDBPyConnection
START = datetime(2026, 3, 1, tzinfo=UTC)


def write(con: Con, run_id: str, day: int, *, kind: str = "evaluate", status: str = "succeeded", **tables: Any) -> None:
    run = Run(
        run_id=run_id,
        kind=kind,
        question="q",
        code_version="0.1.0",
        status=status,
        started_at=START + timedelta(days=day),
    )
    write_results(con, run, {name: pl.DataFrame(rows, strict=False) for name, rows in tables.items()})


def agreement(estimate: float | None, **more: Any) -> dict[str, Any]:
    usual = {
        "scope": "humans",
        "period": "all",
        "coefficient": "fleiss_kappa",
        "scale": "nominal",
        "weights": "identity",
    }
    return usual | {"period_start": None, "estimate": estimate} | more


def daily(day: int, estimate: float) -> dict[str, Any]:
    start = START + timedelta(days=day)
    return agreement(estimate, period="day", period_start=start, period_end=start + timedelta(days=1))


def test_latest_agreement_has_the_last_period_of_the_last_run(con: Con) -> None:
    write(con, "r1", 1, agreement=[agreement(0.1), agreement(0.1, scale="ordinal"), daily(0, 0.2)])
    write(con, "r2", 2, agreement=[daily(0, 0.3), daily(1, 0.4), agreement(0.5), agreement(None, scope="all")])
    write(con, "r3", 3, status="failed", agreement=[agreement(0.9)])
    rows = con.execute("select scope, period, scale, estimate, run_id from latest_agreement").fetchall()
    assert rows == [
        ("humans", "all", "nominal", 0.5, "r2"),
        ("all", "all", "nominal", None, "r2"),
        ("humans", "day", "nominal", 0.4, "r2"),
    ]


def test_a_period_after_today_is_not_the_latest(con: Con) -> None:
    """A rating dated in the future has a window in the future."""
    windows = [daily(0, 0.3), daily(1, 0.4), daily(40_000, 1.0)]
    write(con, "r1", 1, agreement=windows)
    assert con.execute("select estimate from latest_agreement").fetchall() == [(0.4,)]
    weeks = [row | {"period": "week", "coefficient": "krippendorff_alpha"} for row in windows]
    write(con, "r2", 2, agreement=weeks)
    drawn = page_rows(con, "weekly_agreement", {"question": "q", "window": None})
    assert drawn["estimate"].to_list() == [0.3, 0.4]


def test_latest_agreement_has_the_limit_of_the_figure_that_it_is_for(con: Con) -> None:
    write(con, "r1", 1, agreement=[agreement(0.5), agreement(0.6, coefficient="gwet_ac1"), agreement(0.7, scope="all"),
                                   daily(0, 0.4)])  # fmt: skip
    read = "select estimate, alert_below from latest_agreement where alert_below is not null"
    settings = '[{"alert_below": 0.65}, {"alert_coefficient": "fleiss_kappa"}]'
    for stored, result in (
        (settings, [(0.5, 0.65)]),
        (settings.replace("0.65", "null"), []),
        ("no JSON", []),
        (None, []),
    ):
        con.execute("update runs set settings = ?", [stored])
        assert con.execute(read).fetchall() == result


def test_latest_agreement_reads_nothing_but_results(con: Con) -> None:
    """Whatever is stored, the figures are there at once."""
    ((_, plan),) = con.execute("explain (format json) select * from latest_agreement").fetchall()
    read = set(re.findall(r'"Table": "[^"]*?(\w+)"', plan))
    assert "agreement" in read
    assert read <= {"agreement", "runs"}


def test_latest_agreement_takes_each_kind_of_run(con: Con) -> None:
    write(con, "r1", 1, agreement=[agreement(0.5)])
    write(con, "r2", 2, kind="monitor", agreement=[daily(0, 0.3)])
    rows = con.execute("select period, run_id from latest_agreement").fetchall()
    assert rows == [("all", "r1"), ("day", "r2")]
    assert con.execute("select count(*) from rater_leaderboard").fetchone() == (0,)


def test_what_the_last_run_did_not_find_is_past(con: Con) -> None:
    write(con, "r1", 1, agreement=[agreement(0.5)], rater_quality=[{"rater": "a"}])
    write(con, "r2", 2, rater_quality=[{"rater": "b"}])
    assert con.execute("select run_id from latest_agreement").fetchall() == []
    assert con.execute("select rater from rater_leaderboard").fetchall() == [("b",)]


OF_LAST_RUN = {
    "latest_accuracy_bins": "accuracy_bins", "latest_annotator_tests": "annotator_tests",
    "latest_assumption_checks": "assumption_checks", "latest_label_quality": "label_quality",
    "latest_label_rate_differences": "label_rate_differences", "latest_label_rates": "label_rates",
    "latest_model_strengths": "model_strengths", "latest_pairwise_agreement": "pairwise_agreement",
    "latest_rater_bias": "rater_bias", "latest_shared_errors": "shared_errors",
    "latest_system_differences": "system_differences", "latest_systems_against_raters": "systems_against_raters",
}  # fmt: skip
USUAL_VALUES = {"VARCHAR": "x", "VARCHAR[]": [], "BOOLEAN": True, "TIMESTAMP WITH TIME ZONE": START}


def filled(con: Con, table: str, run_id: str) -> dict[str, Any]:
    """Return a row of a table of results in which every column has a value."""
    columns = con.execute(f"describe {table}").fetchall()
    row = {name: USUAL_VALUES.get(kind, 1) for name, kind, *_ in columns}
    return row | {"run_id": run_id, "question": "q"}


def test_the_latest_views_have_the_rows_of_the_last_run_once(con: Con) -> None:
    for day, (run_id, status) in enumerate((("old", "succeeded"), ("new", "succeeded"), ("broken", "failed"))):
        write(con, run_id, day, status=status)
        for table in OF_LAST_RUN.values():
            row = filled(con, table, run_id)
            con.execute(f"insert into {table} ({', '.join(row)}) values ({', '.join('?' * len(row))})", [*row.values()])
    for view in OF_LAST_RUN:
        assert con.execute(f"select run_id, question from {view}").fetchall() == [("new", "q")], view


def test_agreement_trend_has_the_periods_of_the_last_run(con: Con) -> None:
    write(con, "r1", 1, agreement=[agreement(0.1), daily(0, 0.1), daily(1, 0.1), daily(5, 0.1)])
    write(con, "r2", 2, agreement=[agreement(0.1), daily(1, 0.75), daily(0, 0.25), daily(2, 0.5)])
    rows = con.execute("select period_start, estimate, difference, run_id from agreement_trend").fetchall()
    assert rows == [
        (START, 0.25, None, "r2"),
        (START + timedelta(days=1), 0.75, 0.5, "r2"),
        (START + timedelta(days=2), 0.5, -0.25, "r2"),
    ]


def test_systems_are_compared_with_each_other_and_with_the_raters(con: Con) -> None:
    systems = [
        {"system": name, "method": "lehner", "accuracy": accuracy, "warnings": ["few items"]}
        for name, accuracy in (("good", 0.9), ("bad", 0.65), ("unknown", None))
    ]
    raters = [
        {"rater": "a", "rater_kind": "human", "accuracy": 0.75},
        {"rater": "b", "rater_kind": "human", "accuracy": 0.5},
    ]
    write(con, "r1", 1, system_accuracy=[{"system": "gone", "method": "lehner", "accuracy": 1.0}])
    write(con, "r2", 2, system_accuracy=systems, rater_quality=raters)
    latest = con.execute("select system, accuracy, warnings from latest_system_accuracy").fetchall()
    assert latest == [("good", 0.9, ["few items"]), ("bad", 0.65, ["few items"]), ("unknown", None, ["few items"])]
    compared = con.execute(
        """select system, rank_by_accuracy, difference_to_best, difference_to_mean_rater, difference_to_best_rater
        from system_comparison"""
    ).fetchall()
    assert compared == [
        ("good", 1, 0, pytest.approx(0.275), pytest.approx(0.15)),
        ("bad", 2, pytest.approx(-0.25), pytest.approx(0.025), pytest.approx(-0.1)),
        ("unknown", None, None, None, None),
    ]


def test_systems_without_rater_quality_are_still_compared(con: Con) -> None:
    write(con, "r1", 1, system_accuracy=[{"system": "gpt", "method": "lehner", "accuracy": 0.9}])
    rows = con.execute("select system, rank_by_accuracy, mean_rater_accuracy from system_comparison").fetchall()
    assert rows == [("gpt", 1, None)]


def test_the_mean_of_some_annotators_is_not_that_of_all(con: Con) -> None:
    raters = [{"rater": name, "rater_kind": "human", "accuracy": value} for name, value in (("a", 0.9), ("b", None))]
    systems = [{"system": "gpt", "method": "average", "accuracy": None}]
    write(con, "r1", 1, system_accuracy=systems, rater_quality=raters)
    rows = con.execute("select mean_rater_accuracy, best_rater_accuracy from system_comparison").fetchall()
    assert rows == [(None, 0.9)]


def test_the_leaderboard_ranks_the_raters_of_the_last_run(con: Con) -> None:
    write(con, "r1", 1, rater_quality=[{"rater": "gone", "rater_kind": "human", "accuracy": 1.0}])
    rows = [("low", 0.5), ("best", 0.9), ("tied", 0.9), ("unknown", None)]
    write(
        con,
        "r2",
        2,
        rater_quality=[{"rater": rater, "rater_kind": "human", "accuracy": value} for rater, value in rows],
    )
    table = con.execute("select rater, rank_by_accuracy from rater_leaderboard").fetchall()
    assert table == [("best", 1), ("tied", 1), ("low", 3), ("unknown", None)]


def test_the_queue_starts_with_the_most_doubtful_item(con: Con, store: Callable[..., BatchCounts]) -> None:
    store(con, "b1", [{"item": item, "rater": "a", "label": item} for item in ("sure", "open", "some")])
    store(con, "b2", [{"item": "also open", "rater": "a", "label": "open"}])
    write(con, "r1", 1, item_consensus=[{"pattern_id": 1, "entropy": 2.0}])
    doubts = {"sure": 0.0, "open": 1.0, "some": 0.5}
    known = question_patterns(con, "q").select("pattern_id", "label").rows()
    write(con, "r2", 2, item_consensus=[{"pattern_id": number, "entropy": doubts[label]} for number, label in known])
    rows = con.execute("select item, entropy, run_id from disagreement_queue").fetchall()
    assert rows == [("also open", 1.0, "r2"), ("open", 1.0, "r2"), ("some", 0.5, "r2")]
    assert doubtful_items(con, "q", 9, [])["item"].to_list() == ["also open", "open", "some"]


@pytest.mark.field_trial(8)
def test_the_queue_leaves_out_what_is_certain_and_goes_by_expected_gain(
    con: Con, store: Callable[..., BatchCounts]
) -> None:
    figures = {  # probability, entropy, expected gain
        "certain": (0.9999, 0.0012, 0.0004),
        "at the bound": (0.95, 0.08, 0.02),
        "nearly": (0.94, 0.33, 0.05),
        "even": (0.5, 1.0, 0.3),
        "three ways": (0.4, 1.5, 0.1),
    }
    store(con, "b1", [{"item": item, "rater": "a", "label": item} for item in figures])
    known = question_patterns(con, "q").select("pattern_id", "label").rows()
    names = ("probability", "entropy", "expected_gain")
    rows = [{"pattern_id": number} | dict(zip(names, figures[label], strict=True)) for number, label in known]
    write(con, "r1", 1, item_consensus=rows)
    table = con.execute("select item, expected_gain from disagreement_queue").fetchall()
    assert table == [("even", 0.3), ("three ways", 0.1), ("nearly", 0.05)]
    heads = queue_heads(con, 2)
    assert heads["item"].to_list() == ["even", "three ways"]
    assert heads["n_doubtful"].to_list() == [3, 3]
    for answered, listed, n_doubtful in (([], ["even", "three ways"], 3), (["even"], ["three ways", "nearly"], 2)):
        items = doubtful_items(con, "q", 2, answered)
        assert (items["item"].to_list(), items["n_doubtful"].to_list()) == (listed, [n_doubtful] * 2)
    assert doubtful_items(con, "other", 2, []).is_empty()


@pytest.mark.field_trial(8)
def test_the_queue_leaves_out_items_whose_right_label_is_known(con: Con, store: Callable[..., BatchCounts]) -> None:
    rows: list[dict[str, str]] = [{"item": item, "rater": "a", "label": "A"} for item in ("open", "known", "said")]
    rows += [{"item": "known", "rater": "boss", "label": "A", "rater_kind": "gold"}]
    rows += [{"item": "said", "rater": "expert", "label": "A"}]
    rows += [{"question": "other", "item": "open", "rater": "boss", "label": "A", "rater_kind": "gold"}]
    store(con, "b1", rows)
    numbers = question_patterns(con, "q")["pattern_id"].unique().to_list()
    write(con, "r1", 1, item_consensus=[{"pattern_id": n, "entropy": 1.0, "probability": 0.5} for n in numbers])
    queued = "select item from disagreement_queue where question = 'q' order by item"
    assert con.execute(queued).fetchall() == [("open",), ("said",)]
    con.execute(
        """insert into internal.declared_kinds (question_id, rater_id, rater_kind)
        select question_id, rater_id, 'gold' from internal.questions, internal.raters
        where question = 'q' and rater = 'expert'"""
    )
    assert con.execute(queued).fetchall() == [("open",)]


@pytest.mark.field_trial(8)
def test_the_queue_shows_the_text_of_an_item(con: Con, store: Callable[..., BatchCounts]) -> None:
    metadata = {
        "by name": {"note": "a much longer note of many words", "Prompt": "Why?", "text": "Hello"},
        "by length": {"language": "English spoken", "short": "one two three", "long": "one two three four"},
        "empty": {"text": "", "input": "In there"},
        "none": {"language": "English spoken", "url": "https://example.com/a"},
    }
    rows = [("q", item, key, value) for item, texts in metadata.items() for key, value in texts.items()]
    frame = pl.DataFrame(rows, schema=dict(METADATA), orient="row")
    store(con, "b1", [{"item": item, "rater": "a", "label": "A"} for item in metadata], metadata=frame)
    (number,) = question_patterns(con, "q")["pattern_id"].unique()
    write(con, "r1", 1, item_consensus=[{"pattern_id": number, "entropy": 1.0, "probability": 0.5}])
    results = dict(con.execute("select item, item_text from disagreement_queue").fetchall())
    assert results == {"by name": "Hello", "by length": "one two three four", "empty": "In there", "none": None}
    # The command on a bare file goes by the same rule.
    of_file = dict(item_texts(frame).iter_rows())
    assert of_file == {item: text for item, text in results.items() if text is not None}
    view = sql.texts("views")["disagreement_queue"]
    assert re.findall(r"'(\w+)'", view.partition("list_position")[2].partition("]")[0]) == list(TEXT_KEYS)
    assert f"coalesce(consensus.probability, 0) < {CERTAIN}" in view


def test_data_quality_tells_how_much_of_a_file_was_usable(con: Con, store: Callable[..., BatchCounts]) -> None:
    reasons = ["unknown_label", "no_item", "unknown_label"]
    rejects = pl.DataFrame([{"row_number": 9, "reason": reason} for reason in reasons], schema=dict(REJECTS))
    rows = [{"question": question, "item": "i", "rater": "a", "label": "A"} for question in "rq"]
    store(con, "b1", rows, rejects=rejects, n_skipped=1)
    store(con, "b2", status="rejected", reason="not_an_export", at=START)
    table = con.execute(
        """select file_name, status, questions, n_rows, n_ratings, n_skipped, n_rejected, reject_share, top_reason,
        n_top_reason from data_quality order by file_name"""
    ).fetchall()
    assert table == [
        ("b1.csv", "stored", "q, r", 6, 2, 1, 3, 0.5, "unknown_label", 2),
        ("b2.csv", "rejected", None, 0, 0, 0, 0, None, "not_an_export", 0),
    ]


def test_data_quality_has_the_top_reason_of_the_last_attempt_and_the_latest_batch_first(
    con: Con, store: Callable[..., BatchCounts]
) -> None:
    def rejected(*reasons: str) -> pl.DataFrame:
        return pl.DataFrame([{"row_number": 9, "reason": reason} for reason in reasons], schema=dict(REJECTS))

    row = {"item": "i", "rater": "a", "label": "A"}
    store(con, "b1", [row], rejects=rejected("bad_time", "bad_time", "no_item"), settings_hash="s", at=START)
    again = rejected("unknown_label", "no_item")
    store(con, "b1", [row], rejects=again, settings_hash="t", retry=True, at=START + timedelta(days=1))
    for name, days in (("b2", 2), ("b3", 2), ("b4", 3)):
        store(con, name, [row], at=START + timedelta(days=days))
    con.execute("update batches set ingested_at = $at where batch_id = 'b3'", {"at": START + timedelta(days=2)})
    con.execute("update batches set n_future = null")  # as in a batch of an earlier version
    result = con.execute("select batch_id, attempt, n_rejected, top_reason, n_top_reason, n_future from data_quality")
    assert result.fetchall() == [
        ("b4", 1, 0, None, 0, 0), ("b2", 1, 0, None, 0, 0), ("b3", 1, 0, None, 0, 0), ("b1", 2, 2, "no_item", 1, 0)
    ]  # fmt: skip


def test_a_scorecard_has_the_pace_of_a_rater_and_says_what_it_lacks(
    con: Con, store: Callable[..., BatchCounts]
) -> None:
    for rater, durations in (("ann", [4.0, 6.0]), ("ben", [None, None])):
        rows = [
            {"item": str(number), "rater": rater, "label": "A", "duration_s": seconds}
            for number, seconds in enumerate(durations)
        ]
        store(con, rater, rows)
    usual = {"n_ratings": 2, "n_items": 2, "confidence": 0.95, "n_gold": 0}
    write(con, "r1", 1, rater_scorecards=[usual | {"rater": rater} for rater in ("ben", "ann")])
    table = con.execute(
        """select rater, median_s, n_timed, speed_reason, n_edits, n_skipped, skipped_reason, alike_reason,
        n_open_alerts, chart_state, chart_reason from rater_scorecard"""
    ).fetchall()
    lacking = (0, None, "not_kept_by_rater", "not_checked", 0, "compared_with_others", "no_reference")
    (ann_median,) = con.execute("select median_s from rater_work where rater = 'ann'").fetchall()[0]
    assert 4 <= ann_median <= 6
    assert table == [("ann", ann_median, 2, None, *lacking), ("ben", None, 0, "no_durations", *lacking)]


def test_current_ratings_leaves_out_what_was_superseded_or_deleted(con: Con, store: Callable[..., BatchCounts]) -> None:
    store(con, "b1", [{"item": item, "rater": "a", "label": "A"} for item in "ijk"])
    store(con, "b2", [{"item": "i", "rater": "a", "label": "B"}])
    con.execute("update internal.ratings set deleted_at = current_timestamp where rating_id = 2")
    assert sorted(con.execute("select item, label from current_ratings").fetchall()) == [("i", "B"), ("k", "A")]
    assert con.execute("select count(*) from ratings").fetchall() == [(4,)]
    again = store(con, "b3", [{"item": "j", "rater": "a", "label": "A"}])
    assert (again.n_ratings, again.n_unchanged) == (1, 0)
