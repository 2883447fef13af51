from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import duckdb
import polars as pl
import pytest

from warehouse.alerting.alerts import AlertChange, sync_alerts
from warehouse.batches import BatchCounts
from warehouse.errors import WarehouseError
from warehouse.maintenance.integrity import run_checks
from warehouse.questions import (
    StoredQuestion,
    changed_questions,
    item_metadata,
    rating_contents,
    read_table,
    stored_questions,
)
from warehouse.runs import run_results
from warehouse.runs.run_results import TABLES, Run, finish_run, reconcile, start_run, write_results
from warehouse.status import read_status

Con = duckdb.DuckDBPyConnection
Store = Callable[..., BatchCounts]
EIGHT = datetime(2026, 3, 1, 8, tzinfo=UTC)


def run(run_id: str, *, hour: int = 0, question: str | None = "q", kind: str = "evaluate", **more: object) -> Run:
    started = EIGHT + timedelta(hours=hour)
    return replace(Run(run_id=run_id, kind=kind, question=question, code_version="0.1.0", started_at=started), **more)


def finished(run_id: str, **more: object) -> Run:
    return replace(run(run_id, **more), status="succeeded", ended_at=EIGHT + timedelta(hours=9))


def agreement(*rows: dict[str, object]) -> pl.DataFrame:
    usual = {
        "scope": "humans",
        "period": "all",
        "coefficient": "fleiss_kappa",
        "scale": "nominal",
        "weights": "identity",
    }
    return pl.DataFrame([usual | row for row in rows])


def names(con: Con, select: str) -> list[object]:
    return [row[0] if len(row) == 1 else row for row in con.execute(select).fetchall()]


def test_a_run_and_its_rows_are_stored_together(con: Con, store: Store) -> None:
    store(con, "b1", [{"item": "i", "rater": "a", "label": "A"}])
    start_run(con, run("r1"))
    assert names(con, "select status from runs") == ["running"]
    tables = {
        "agreement": agreement({"estimate": 0.5, "n_items": 3, "reason": None}),
        "system_accuracy": pl.DataFrame({"system": ["gpt"], "method": ["lehner"], "warnings": [["few items", "low"]]}),
        "pairwise_agreement": pl.DataFrame({"rater_a": ["a"], "rater_b": ["b"], "coefficient": ["cohen_kappa"]}),
        "rater_quality": pl.DataFrame({"rater": ["a"], "accuracy": [0.9], "reason": [None]}),
        "accuracy_bins": pl.DataFrame({"system": ["gpt"], "bin_low": [0.5], "n_items": [4]}),
        "assumption_checks": pl.DataFrame({"name": ["pairs"], "p_value": [0.2], "violated": [False]}),
        "item_consensus": pl.DataFrame({"pattern_id": [1], "label": ["A"], "entropy": [0.1], "expected_gain": [0.05]}),
        "system_differences": pl.DataFrame({"system_a": ["gpt"], "system_b": ["rules"], "p_a_better": [0.9]}),
        "systems_against_raters": pl.DataFrame({"system": ["gpt"], "compared_with": ["best_rater"]}),
        "annotator_tests": pl.DataFrame({"system": ["gpt"], "passes": [True]}),
        "rater_scorecards": pl.DataFrame(
            {"rater": ["a"], "n_ratings": [1], "n_items": [1], "confidence": [0.95], "n_gold": [0]}
        ),
        "rater_bias": pl.DataFrame({"rater": ["a"], "label": ["A"], "n_items": [1], "confidence": [0.95]}),
        "label_quality": pl.DataFrame({"rater": ["a"], "label": ["A"], "precision": [0.9]}),
        "label_rates": pl.DataFrame({"scope": ["all"], "system": ["gpt"], "label": ["A"], "method": ["ppi"]}),
        "label_rate_differences": pl.DataFrame(
            {"system": ["gpt"], "version_a": ["1"], "version_b": ["2"], "label": ["A"], "method": ["ppi"]}
        ),
        "model_strengths": pl.DataFrame(
            {
                "model": ["m1"],
                "confidence": [0.95],
                "n_votes": [1],
                "n_wins": [1],
                "n_losses": [0],
                "n_ties": [0],
                "votes_of": ["people"],
                "interval_method": ["information"],
            }
        ),
        "preference_figures": pl.DataFrame({"figure": ["first_wins"], "confidence": [0.95]}),
        "region_agreement": pl.DataFrame(
            {
                "coefficient": ["f1_exact"],
                "confidence": [0.95],
                "interval_method": ["jackknife"],
                "n_items": [1],
                "n_raters": [2],
                "n_regions": [1],
            }
        ),
        "shared_errors": pl.DataFrame({"n_items": [0], "confidence": [0.95], "reason": ["no_gold"]}),
    }
    assert set(tables) == set(TABLES)
    write_results(con, finished("r1", seed=7, settings='{"a":1}'), tables)
    assert names(con, "select run_id, status, seed, settings from runs") == [("r1", "succeeded", 7, '{"a":1}')]
    for name in tables:
        assert names(con, f"select run_id, question from {name}") == [("r1", "q")], name
    assert names(con, "select estimate, n_items, se, confidence from agreement") == [(0.5, 3, None, None)]
    assert names(con, "select warnings from system_accuracy") == [["few items", "low"]]
    assert not {name for name, rows in run_checks(con).items() if rows.height}


def test_a_retry_of_a_stored_run_changes_nothing(con: Con) -> None:
    for _ in range(2):
        write_results(con, finished("r1"), {"agreement": agreement({"estimate": 0.5})})
    assert names(con, "select count(*) from agreement") == [1]


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"ratings": pl.DataFrame({"item": ["i"]})}, "There is no table of results 'ratings'; there are agreement, "),
        (
            {"agreement": agreement({"kappa": 1.0})},
            "The table agreement has no column 'kappa'; it has run_id, question, ",
        ),
        ({"agreement": agreement({"estimate": float("nan")})}, r"agreement\.estimate holds nan"),
        ({"agreement": agreement({"se": 1.0}, {"se": float("inf")})}, r"agreement\.se holds inf"),
        ({"agreement": agreement({"coefficient": None})}, "NOT NULL constraint failed: agreement.coefficient"),
        ({"agreement": agreement({"estimate": "high"})}, "Could not convert string 'high' to DOUBLE"),
    ],
)
def test_what_does_not_fit_is_refused_whole(
    con: Con, store: Store, tables: dict[str, pl.DataFrame], message: str
) -> None:
    store(con, "b1", [{"item": "i", "rater": "a", "label": "A"}])
    consensus = {"item_consensus": pl.DataFrame({"pattern_id": [1]})}
    with pytest.raises(WarehouseError, match=message):
        write_results(con, finished("r1"), consensus | tables)
    assert names(con, "select run_id from runs") == []
    assert names(con, "select item from item_consensus") == []


def test_results_without_a_question_are_refused(con: Con) -> None:
    with pytest.raises(WarehouseError, match="Results belong to a question, but run r1 has none"):
        write_results(con, finished("r1", question=None), {})


def test_only_the_latest_consensus_of_a_question_is_kept(con: Con, store: Store) -> None:
    def consensus(*pattern_ids: int) -> dict[str, pl.DataFrame]:
        return {"item_consensus": pl.DataFrame({"pattern_id": pattern_ids}, schema={"pattern_id": pl.Int64})}

    text = "select run_id, item from item_consensus order by all"
    store(con, "b1", [{"item": item, "rater": "a", "label": label} for item, label in ("iA", "jB", "kA")])
    store(con, "b2", [{"question": "other", "item": "i", "rater": "a", "label": "A"}])
    write_results(con, finished("r1"), consensus(1, 2))
    write_results(con, finished("r2", question="other"), consensus(3))
    assert names(con, text) == [("r1", "i"), ("r1", "j"), ("r1", "k"), ("r2", "i")]
    write_results(con, finished("r3"), consensus(1))
    assert names(con, text) == [("r2", "i"), ("r3", "i"), ("r3", "k")]
    write_results(con, finished("r4"), consensus())
    assert names(con, text) == [("r2", "i")]


def test_a_run_that_ends_after_one_that_began_later_leaves_its_consensus_alone(con: Con, store: Store) -> None:
    store(con, "b1", [{"item": "i", "rater": "a", "label": "A"}])
    results = {"item_consensus": pl.DataFrame({"pattern_id": [1]})}
    write_results(con, finished("late", hour=1), results)
    write_results(con, finished("slow"), results)
    assert names(con, "select run_id from item_consensus") == ["late"]
    latest = "select run_id from latest_runs where results = 'item_consensus'"
    assert names(con, latest) == ["late"]


def test_after_the_clock_was_set_back_a_later_run_is_the_latest(con: Con, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run with a clock a year ahead would give the figures of its time for a year."""
    monkeypatch.setattr(run_results, "_now", lambda: EIGHT + timedelta(hours=4))
    ahead = timedelta(days=400)
    first = replace(finished("a"), started_at=EIGHT + ahead, ended_at=EIGHT + ahead + timedelta(hours=1))
    write_results(con, first, {"agreement": agreement({"n_items": 1})})
    write_results(con, finished("b"), {"agreement": agreement({"n_items": 2})})
    write_results(con, finished("c", hour=2), {"agreement": agreement({"n_items": 3})})
    assert names(con, "select n_items from latest_agreement") == [3]
    assert names(con, "select run_id from runs order by started_at") == ["a", "b", "c"]
    start_run(con, run("d", hour=3, question=None, kind="pipeline"))
    finish_run(con, "d", status="succeeded", ended_at=EIGHT + timedelta(hours=3))
    assert names(con, "select run_id from runs order by started_at desc limit 1") == ["d"]
    assert names(con, "select run_id from runs where ended_at < started_at") == []
    lasted = "select ended_at - started_at from runs where run_id in ('b', 'c') order by run_id"
    assert names(con, lasted) == [timedelta(hours=9), timedelta(hours=7)]


def test_a_run_that_is_stored_long_after_it_ended_is_not_the_latest(con: Con, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several questions are stored together. Meanwhile another run may have read newer ratings."""
    monkeypatch.setattr(run_results, "_now", lambda: EIGHT + timedelta(hours=4))
    write_results(con, finished("newer", hour=3), {"agreement": agreement({"n_items": 2})})
    older = replace(finished("older"), ended_at=EIGHT + timedelta(minutes=2))
    write_results(con, older, {"agreement": agreement({"n_items": 1})})
    assert names(con, "select n_items from latest_agreement") == [2]
    assert names(con, "select started_at from runs where run_id = 'older'") == [older.started_at]


def test_runs_at_once_keep_the_times_at_which_they_began(con: Con) -> None:
    write_results(con, finished("a", hour=2), {"agreement": agreement({"n_items": 1})})
    write_results(con, finished("b", hour=1), {"agreement": agreement({"n_items": 2})})
    assert names(con, "select n_items from latest_agreement") == [1], "b read its ratings before a did"
    start_run(con, replace(run("c"), started_at=EIGHT + timedelta(hours=2, seconds=-30)))
    assert names(con, "select started_at from runs where run_id = 'c'") == [EIGHT + timedelta(hours=2, seconds=-30)]


def test_the_consensus_of_a_pattern_that_is_gone_or_of_another_question_is_passed_over(con: Con, store: Store) -> None:
    store(con, "b1", [{"question": question, "item": "i", "rater": "a", "label": "A"} for question in ("q", "other")])
    write_results(con, finished("r1"), {"item_consensus": pl.DataFrame({"pattern_id": [1, 2, 3]})})
    assert names(con, "select run_id, question, item from item_consensus") == [("r1", "q", "i")]


def test_an_item_that_changed_has_no_consensus_until_the_next_run(con: Con, store: Store) -> None:
    store(con, "b1", [{"item": item, "rater": "a", "label": "A"} for item in "ij"])
    write_results(con, finished("r1"), {"item_consensus": pl.DataFrame({"pattern_id": [1]})})
    store(con, "b2", [{"item": "i", "rater": "a", "label": "B"}, {"item": "k", "rater": "a", "label": "A"}])
    assert names(con, "select item from item_consensus order by item") == ["j", "k"]


def test_a_run_ends_once(con: Con) -> None:
    start_run(con, run("r1"))
    finish_run(con, "r1", status="failed", ended_at=EIGHT, detail="No ratings.")
    assert names(con, "select status, detail from runs") == [("failed", "No ratings.")]
    with pytest.raises(WarehouseError, match="No run r1 is under way"):
        finish_run(con, "r1", status="succeeded", ended_at=EIGHT)
    start_run(con, run("r2"))
    with pytest.raises(WarehouseError, match="could not end run r2: Constraint Error"):
        finish_run(con, "r2", status="fine", ended_at=EIGHT)


def test_runs_left_open_are_marked_and_may_still_end_well(con: Con) -> None:
    start_run(con, run("r1"))
    start_run(con, run("r2"))
    finish_run(con, "r2", status="succeeded", ended_at=EIGHT)
    assert reconcile(con, EIGHT) == ["r1"]
    assert reconcile(con, EIGHT) == []
    assert names(con, "select status, ended_at from runs where run_id = 'r1'") == [("crashed", EIGHT)]
    finish_run(con, "r1", status="succeeded", ended_at=EIGHT)
    assert names(con, "select distinct status from runs") == ["succeeded"]


def test_a_question_is_due_when_its_ratings_or_settings_changed(con: Con, store: Store) -> None:
    def due(**settings_hash: str) -> list[str]:
        return [each.question for each in changed_questions(con, kind="evaluate", settings_hash=settings_hash)]

    store(con, "b1", [{"question": name, "item": "i", "rater": "a", "label": "A"} for name in "qr"])
    assert due(q="h", r="h") == ["q", "r"]
    for name in "qr":
        write_results(con, finished(f"run {name}", question=name, input_revision=1, settings_hash="h"), {})
    assert due(q="h", r="h") == []
    assert due(q="other", r="h") == ["q"]
    assert due() == []
    store(con, "b2", [{"question": "r", "item": "i", "rater": "a", "label": "B"}])
    assert changed_questions(con, kind="evaluate", settings_hash={"q": "h", "r": "h"}) == [StoredQuestion("r", 2)]
    start_run(con, run("failing", hour=5, question="r", input_revision=2, settings_hash="h"))
    finish_run(con, "failing", status="failed", ended_at=EIGHT)
    assert due(q="h", r="h") == ["r"]
    assert [each.question for each in changed_questions(con, kind="monitor", settings_hash={})] == ["q", "r"]
    assert stored_questions(con) == [StoredQuestion("q", 1), StoredQuestion("r", 2)]


def test_alerts_open_once_stay_and_close(con: Con) -> None:
    def sync(hour: int, *kinds: str, evidence: str = "kappa .1") -> list[tuple[str, str]]:
        rows = [{"kind": kind, "severity": "high", "evidence": evidence, "detail": "Low."} for kind in kinds]
        schema = dict.fromkeys(("kind", "severity", "evidence", "detail"), pl.String)
        alerts = pl.DataFrame(rows, schema=schema)
        changes: list[AlertChange] = []
        sync_alerts(con, question="q", open_alerts=alerts, now=EIGHT + timedelta(hours=hour), tell=changes.extend)
        return [(change.event, change.kind) for change in changes]

    assert sorted(sync(0, "low", "drift")) == [("opened", "drift"), ("opened", "low")]
    assert sync(1, "low", evidence="kappa .2") == [("closed", "drift")]
    assert names(con, "select kind, evidence, opened_at from alerts where closed_at is null") == [
        ("low", "kappa .2", EIGHT)
    ]
    assert sync(2, "drift") == [("closed", "low"), ("opened", "drift")]
    assert names(con, "select kind, closed_at is null from alerts order by opened_at, kind") == [
        ("drift", False),
        ("low", False),
        ("drift", True),
    ]
    no_alerts = pl.DataFrame(schema=dict.fromkeys(("kind", "severity", "evidence", "detail"), pl.String))
    of_other: list[AlertChange] = []
    sync_alerts(con, question="other", open_alerts=no_alerts, now=EIGHT, tell=of_other.extend)
    assert of_other == []
    assert len(read_status(con).open_alerts) == 1
    with pytest.raises(WarehouseError, match=r"at most one alert of a kind and subject, but q has \['low', 'low'\]"):
        sync(3, "low", "low")


def test_reads_are_ready_for_polars(con: Con, store: Store) -> None:
    metadata = pl.DataFrame({"question": ["q"], "item": ["i"], "key": ["lang"], "value": ["de"]})
    store(con, "b1", [{"item": "i", "rater": "a", "label": "A", "rated_at": EIGHT}], metadata=metadata)
    schema = pl.Schema(
        {
            "item": pl.String,
            "rater": pl.String,
            "rater_kind": pl.String,
            "system_version": pl.String,
            "label": pl.String,
            "rated_at": pl.Datetime("us", "UTC"),
            "ingested_at": pl.Datetime("us", "UTC"),
            "batch_id": pl.String,
        }
    )
    result = read_table(con, "current_ratings").select(*schema)
    assert result.schema == schema
    assert result["rated_at"].to_list() == [EIGHT]
    assert rating_contents(con, "no such question").is_empty()
    assert item_metadata(con, "q").rows() == [("i", "lang", "de")]
    assert read_table(con, "batches")["n_ratings"].to_list() == [1]
    with pytest.raises(WarehouseError, match=r"no table or view 'internal\.ratings'; there are accepted_changes, acc"):
        read_table(con, "internal.ratings")
