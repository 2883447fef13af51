"""The bundled example is what its generator writes, and shows what it is meant to show."""

import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from examples.generate import (
    DRIFT_START,
    DRIFTING,
    GOLD,
    INTENTS,
    SEED,
    START,
    URGENCIES,
    VERSION_START,
    Message,
    main,
    simulated_messages,
)
from stats.monitoring import QuestionCharts, question_charts
from tests.stats.monitoring.conftest import count_days
from tests.tasks.inbox import InboxProject
from warehouse.publication.snapshot import query

DEMO = Path(__file__).parents[1] / "examples" / "demo"
LABELS = {"intent": INTENTS, "urgency": URGENCIES}


def test_the_example_is_what_the_generator_writes(tmp_path: Path) -> None:
    main(tmp_path)
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    bundled = {path.relative_to(DEMO) for path in DEMO.rglob("*") if path.is_file() and path.name != "kappaflow.toml"}
    assert written == bundled
    for name in written:
        assert (tmp_path / name).read_bytes() == (DEMO / name).read_bytes(), name


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QuestionCharts]:
    """The charts of both questions of the support team, from all files as they lie there."""
    project = InboxProject(tmp_path_factory.mktemp("example"))
    for part in ("inbox", "late"):
        shutil.copytree(DEMO / part, project.inbox, dirs_exist_ok=True)
    project.ingest()
    ratings = project.view("current_ratings").filter(pl.col("rater") != GOLD).sort("rated_at")
    rows = ratings.select(
        "question",
        "item",
        "rater",
        pl.col("label").cast(pl.String),
        kind="rater_kind",
        day=pl.col("rated_at").dt.date(),
        duration="duration_s",
        version="system_version",
    )
    return {
        question: question_charts(count_days(rows.filter(question=question).to_dicts(), labels))
        for question, labels in LABELS.items()
    }


def test_only_the_drifting_annotator_is_accused_and_the_change_is_dated(charts: dict[str, QuestionCharts]) -> None:
    (incident,) = charts["intent"].incidents
    assert incident.raters == (DRIFTING,)
    assert {alarm.chart for alarm in incident.alarms} == {"rater", "agreement"}
    for alarm in incident.alarms:
        assert alarm.changed_low <= DRIFT_START <= alarm.changed_high
        assert alarm.closed_on is None
    (of_rater,) = (alarm for alarm in incident.alarms if alarm.chart == "rater")
    # The tutorial quotes these.
    quoted = (of_rater.opened_on, of_rater.changed_on, of_rater.changed_low, of_rater.changed_high)
    assert [day.isoformat() for day in quoted] == ["2026-02-26", "2026-02-16", "2026-02-09", "2026-02-24"]


def test_nothing_else_alarms(charts: dict[str, QuestionCharts]) -> None:
    assert charts["urgency"].alarms == ()
    for of_question in charts.values():
        assert of_question.missing == ()
        assert of_question.reference is not None
        assert of_question.reference.period.first == START
        assert of_question.reference.period.last < DRIFT_START


def test_the_new_version_is_better_in_one_question(charts: dict[str, QuestionCharts]) -> None:
    results = {question: of_question.versions for question, of_question in charts.items()}
    for (version,) in results.values():
        assert (version.system, version.old_version, version.version) == ("keyword-rules", "1.8", "2.0")
        assert version.first_day == VERSION_START
    assert {question: version.verdict for question, (version,) in results.items()} == {
        "intent": "better",
        "urgency": None,
    }


def test_the_intervals_hold_the_truth_and_the_gold_items_are_those_that_were_drawn(demo_project: Path) -> None:
    messages = simulated_messages(np.random.default_rng(SEED))
    result = query(
        demo_project / "published" / "snapshot.duckdb",
        "select question, system, low, high, n_gold from latest_system_accuracy"
        " where question in ('intent', 'urgency') and method = 'average' and scope = 'all'",
    )
    assert result.height == 4
    for question, system, low, high, n_gold in result.iter_rows():
        assert low < _truth(messages, question, system) < high, (question, system)
        assert n_gold == (sum(message.gold is not None for message in messages) if question == "urgency" else 0)


def _truth(messages: list[Message], question: str, system: str) -> float:
    place = list(LABELS).index(question)
    answers = ((message.judge if system == "judge-llm" else message.rules, message.truth) for message in messages)
    return float(np.mean([answer[place] == truth[place] for answer, truth in answers]))
