"""Each query of docs/how-to/query.md has an answer where there is one to give, and the known one where it is known.

The warehouse here was made so: rater 4 drifts, `question` and `complaint` are confused, German is harder, version v2 of
judge-llm is far better than v1 and than keyword-rules, which often copies rater 1.
"""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.question_runs import process_questions
from tasks.runs.run_records import close_run, open_run
from tests.test_docs import ROOT, Block, _blocks
from warehouse.batches import METADATA, RATINGS, REJECTS, Batch, store_batch
from warehouse.connect import connect
from warehouse.publication.snapshot import publish, query

PAGE = ROOT / "docs" / "how-to" / "query.md"
QUERIES = [block for block in _blocks(PAGE) if block.runs and block.language == "sql"]
LABELS = ("complaint", "question", "praise", "other")
CONFUSED = {"complaint": "question", "question": "complaint"}
SKILL = {"1": 0.9, "2": 0.85, "3": 0.85, "4": 0.9, "judge-llm": 0.5}
START = datetime(2026, 9, 1, 8, tzinfo=UTC)
SEPTEMBER, NOVEMBER, NOW = datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 2, tzinfo=UTC), datetime.now(UTC)
OPTIONS = EvaluationOptions(
    confidence=0.95,
    seed=0,
    alert_coefficient="krippendorff_alpha",
    code_version="1",
    last_items=500,
    rolling_days=28,
    window_items=10,
)
CONFIGS = QuestionConfigs({"intent": QuestionConfig(labels=LABELS, alert_below=0.99, slices=("language", "channel"))})


def answer(rng: random.Random, truth: str, skill: float) -> str:
    if rng.random() < skill:
        return truth
    return CONFUSED.get(truth, "other") if rng.random() < 0.8 else rng.choice(LABELS)


def ratings(rng: random.Random, items: range, month: int, version: str) -> list[dict[str, Any]]:
    results = []
    for item in items:
        truth, at = LABELS[item % 4], START + timedelta(days=30 * month + item % 20, minutes=item)
        for rater, skill in SKILL.items():
            drifted = 0.35 if rater == "4" and month else skill
            skilled = drifted - (0.2 if item % 3 == 0 else 0)
            system = rater == "judge-llm"
            results.append({
                "item": f"i{item}", "rater": rater, "rater_kind": "system" if system else "human", "rated_at": at,
                "label": answer(rng, truth, 0.97 if version == "v2" and system else skilled),
                "system_version": version if system else None, "duration_s": None if system else rng.uniform(5, 40),
            })  # fmt: skip
            if rater == "1":
                label = results[-1]["label"] if rng.random() < 0.5 else rng.choice(LABELS)
                rules = {"rater": "keyword-rules", "rater_kind": "system", "duration_s": None, "label": label}
                results.append({**results[-1], **rules})
    return results


def store(
    con: duckdb.DuckDBPyConnection, name: str, rows: list[dict[str, Any]], at: datetime, reasons: tuple[str, ...]
) -> None:
    full = [
        dict.fromkeys(RATINGS) | row | {"question": "intent", "row_number": n} for n, row in enumerate(rows, start=1)
    ]
    rejects = [{"row_number": 900 + n, "reason": reason, "detail": "Why."} for n, reason in enumerate(reasons)]
    texts = {"language": ["de", "fr"], "channel": ["mail", "phone"], "text": ["Hello"]}
    metadata = [
        {"question": "intent", "item": item, "key": key, "value": values[0 if int(item[1:]) % 3 == 0 else -1]}
        for item in {row["item"] for row in rows}
        for key, values in texts.items()
    ]
    batch = Batch(
        batch_id=name, source="inbox", file_name=f"{name}.json", sha256=name, reader="long", status="stored",
        started_at=at, n_rows=len(rows) + len(rejects), n_skipped=0,
    )  # fmt: skip
    frames = (pl.DataFrame(full, schema=dict(RATINGS)), pl.DataFrame(rejects, schema=dict(REJECTS)),
              pl.DataFrame(metadata, schema=dict(METADATA)))  # fmt: skip
    store_batch(con, batch, *frames, now=at)


def evaluate(db: Path, kind: str) -> None:
    due = pending_questions(db, kind, CONFIGS, OPTIONS, everything=True)
    assert [result.error for result in process_questions(db, kind, due, CONFIGS, OPTIONS)] == [None]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two months; the second batch changes answers of the first, and a third comes in now."""
    folder, rng = tmp_path_factory.mktemp("queries"), random.Random(7)
    db = folder / "warehouse.duckdb"
    close_run(db, open_run(db, "test", "1", now=SEPTEMBER), "succeeded", None, now=SEPTEMBER)
    with connect(db) as con:
        store(con, "september", ratings(rng, range(60), 0, "v1"), SEPTEMBER, ("missing_label",))
    evaluate(db, "evaluate")
    with connect(db) as con:
        con.execute("update runs set started_at = $at, ended_at = $at where question is not null", {"at": SEPTEMBER})
        again = [row for row in ratings(rng, range(60), 0, "v2") if row["rater"] == "judge-llm"]
        store(con, "november", ratings(rng, range(60, 110), 1, "v2") + again, NOVEMBER, ("unknown_label", "bad_time"))
        changed = [row for row in ratings(rng, range(40), 0, "v2") if row["rater"] == "2"]
        late = [{**row, "rated_at": row["rated_at"] + timedelta(hours=2)} for row in changed]
        store(con, "today", late, NOW, ("unknown_label", "unknown_label", "missing_rater"))
    evaluate(db, "evaluate")
    evaluate(db, "monitor")
    limits = MonitoringConfigs({}, QuestionMonitoring(rules={"low_agreement": 0.99}))
    check_rules(db, limits, coefficient=OPTIONS.alert_coefficient, now=NOW)
    return publish(db, folder / "published")


@pytest.mark.parametrize("block", QUERIES, ids=lambda block: block.name)
def test_every_query_has_an_answer(block: Block, snapshot: Path) -> None:
    for statement in filter(None, (part.strip() for part in block.body.split(";"))):
        assert query(snapshot, statement).height > 0


def rows_of(snapshot: Path, heading: str, number: int = 0) -> list[dict[str, Any]]:
    """The rows that the query in that place under a heading gives."""
    part = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    return query(snapshot, part.split("```sql\n")[1 + number].split("```")[0]).to_dicts()


def test_the_rater_who_drifts_is_found(snapshot: Path) -> None:
    people = rows_of(snapshot, "Who drifts?", 1)
    assert people[0]["rater"] == "4"
    assert people[0]["change"] < -0.1


@pytest.mark.field_trial(6)
def test_the_recipe_for_drift_has_people_only_with_interval_and_number_of_items(snapshot: Path) -> None:
    months, people = rows_of(snapshot, "Who drifts?"), rows_of(snapshot, "Who drifts?", 1)
    for rows in (months, people):
        assert {row["rater"] for row in rows} == {"1", "2", "3", "4"}, "no system and no gold expert drifts here"
    assert all(row["low"] < row["agreement_with_others"] < row["high"] and row["n_items"] >= 20 for row in months)
    drifted, *others = people
    assert (drifted["rater"], drifted["n_first"] >= 20, drifted["n_last"] >= 20) == ("4", True, True)
    assert drifted["low"] < drifted["change"] < drifted["high"] < 0
    assert all(row["change"] > drifted["change"] for row in others)


@pytest.mark.field_trial(6)
def test_months_with_few_items_do_not_make_a_drift(tmp_path: Path) -> None:
    db, answers = tmp_path / "warehouse.duckdb", {"ann": "AB", "bob": "AA", "lead": "AA", "bot": "BB"}
    kinds = {"lead": "gold", "bot": "system"}
    rows = [
        {"item": f"i{month}{item}", "rater": rater, "rater_kind": kinds.get(rater, "human"), "label": text[month],
         "rated_at": START + timedelta(days=40 * month)}
        for month, n_items in enumerate((30, 19))
        for item in range(n_items)
        for rater, text in answers.items()
    ]  # fmt: skip
    close_run(db, open_run(db, "test", "1", now=SEPTEMBER), "succeeded", None, now=SEPTEMBER)
    with connect(db) as con:
        store(con, "few", rows, NOW, ())
    result = publish(db, tmp_path / "published")
    assert {(row["rater"], row["n_items"]) for row in rows_of(result, "Who drifts?")} == {("ann", 30), ("bob", 30)}
    assert rows_of(result, "Who drifts?", 1) == []


@pytest.mark.field_trial(6)
def test_the_readme_says_what_opens_an_alert() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "an alert opens when agreement falls" not in readme
    assert "An alert says when the change began, how sure the date is, and whom it concerns." in readme
    assert "An alert also opens if a limit that you" in readme


def test_the_labels_that_are_confused_are_found(snapshot: Path) -> None:
    worst = rows_of(snapshot, "Which label confuses?")[0]
    assert (worst["label_a"], worst["label_b"]) == ("complaint", "question")
    assert rows_of(snapshot, "Which label confuses?", 1)[0]["scope"] in ("label:complaint", "label:question")


def test_the_items_are_counted_by_agreement(snapshot: Path) -> None:
    tenths = rows_of(snapshot, "On how many items do people agree?")
    assert sum(row["share"] for row in tenths) == pytest.approx(1)
    assert max(tenths, key=lambda row: row["n_items"])["agreement_high"] == 1


def test_the_harder_language_is_found(snapshot: Path) -> None:
    results = {row["value"]: row["krippendorff_alpha"] for row in rows_of(snapshot, "By language?", 1)}
    assert results["de"] < results["fr"]
    stored = {row["scope"]: row["estimate"] for row in rows_of(snapshot, "By language?", 3)}
    assert stored == {f"slice:language={value}": pytest.approx(alpha) for value, alpha in results.items()}


def test_the_better_model_is_found_and_since_when(snapshot: Path) -> None:
    heading = "Is system A better than system B?"
    (since,) = rows_of(snapshot, heading, 1)
    assert since["better_now"] == "judge-llm"
    assert since["since"] >= NOW
    (versions,) = rows_of(snapshot, heading, 3)
    assert (versions["version_a"], versions["version_b"]) == ("v1", "v2")
    assert versions["high"] < 0


def test_what_a_rating_costs(snapshot: Path) -> None:
    result = rows_of(snapshot, "What does a usable rating cost?")
    assert {row["rater"] for row in result} == {"1", "2", "3", "4"}
    for row in result:
        assert row["cost_per_usable_rating"] == pytest.approx(18.5 * row["hours"] / row["n_usable"])
        assert row["cost_per_right_rating"] > row["cost_per_usable_rating"]


def test_what_was_rejected_this_week_leaves_out_the_weeks_before(snapshot: Path) -> None:
    result = rows_of(snapshot, "What was rejected this week, and why?")
    today = {"unknown_label": 2, "missing_rater": 1}
    assert {row["reason"]: row["n_rows"] for row in result}.items() >= today.items() or (NOW - NOVEMBER).days < 7
    assert "missing_label" not in {row["reason"] for row in result}


def test_how_it_stood_on_a_past_day(snapshot: Path) -> None:
    heading = "How did it stand on a past day?"
    (then,) = rows_of(snapshot, heading)
    assert (then["n_items"], then["n_raters"], then["n_ratings"]) == (60, 4, 240)
    assert {row["rater"] for row in rows_of(snapshot, heading, 1)} <= {"2", "judge-llm"}
    assert {row["started_at"] for row in rows_of(snapshot, heading, 2)} == {SEPTEMBER}
