"""Spans by window in a project: the days are those of the work, each window equals `agree` on its items alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.question_runs import process_questions
from tasks.sources.folder import FolderSource, find_files
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate

OPTIONS = EvaluationOptions(
    confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1", last_items=2, rolling_days=7,
    window_items=2,
)  # fmt: skip
CONFIGS = QuestionConfigs({}, QuestionConfig())
A, B = [0, 4, "PER"], [5, 9, "LOC"]
Mark = list[Any]


def task(number: int, day: str, first: list[Mark], second: list[Mark], *, late: str | None = None) -> dict[str, Any]:
    """Return a task that two people did on a day, the second one later if `late` says so."""
    works = ((1, first, day), (2, second, late or day))
    return {
        "id": number, "data": {"text": "Anna said Berlin"},
        "annotations": [
            {"completed_by": rater, "created_at": f"{at}T10:00:00Z", "result": [
                {"from_name": "ner", "type": "labels", "value": {"start": start, "end": end, "labels": [label]}}
                for start, end, label in marks
            ]}
            for rater, marks, at in works
        ],
    }  # fmt: skip


class Marked:
    def __init__(self, folder: Path) -> None:
        self.inbox, self.db = folder / "inbox", folder / "warehouse.duckdb"
        self.inbox.mkdir()
        with connect(self.db) as con:
            migrate(con)

    def run(self, name: str, *tasks: dict[str, Any]) -> None:
        (self.inbox / name).write_text(json.dumps(tasks))
        list(ingest(self.db, find_files([FolderSource("inbox", self.inbox)]).readable, IngestRules({}, {}, {})))
        for kind in ("evaluate", "monitor"):
            due = pending_questions(self.db, kind, CONFIGS, OPTIONS, everything=False)
            assert [result.error for result in process_questions(self.db, kind, due, CONFIGS, OPTIONS)] == [None] * len(
                due
            )
        with connect(self.db) as con:
            assert not {check for check, rows in run_checks(con).items() if rows.height}

    def rows(self, query: str) -> list[Any]:
        with connect(self.db, read_only=True) as con:
            return con.execute(query).fetchall()


@pytest.fixture
def marked(tmp_path: Path) -> Marked:
    return Marked(tmp_path)


F1 = "select first_day::varchar, estimate, n_items, too_few from region_trend where coefficient = 'f1_exact'"


def test_days_are_those_of_the_latest_work_on_an_item(marked: Marked) -> None:
    marked.run("all.json", task(1, "2026-03-02", [A], [A]), task(2, "2026-03-02", [A, B], [B]),
               task(3, "2026-03-03", [A], [B], late="2026-03-11"))  # fmt: skip
    days = marked.rows(f"{F1} and period = 'day' and label is null")
    assert days == [("2026-03-02", pytest.approx(0.8), 2, False), ("2026-03-11", 0.0, 1, True)]
    weeks = marked.rows(f"{F1} and period = 'week' and label = 'PER'")
    assert weeks == [("2026-03-02", pytest.approx(2 / 3), 2, False), ("2026-03-09", 0.0, 1, True)]
    (month,) = marked.rows(F1 + " and period = 'month' and label is null")
    (all_of_it,) = marked.rows(
        "select estimate, n_items from latest_region_agreement where coefficient = 'f1_exact' and label is null"
        " and rater_a is null"
    )
    assert month[1:3] == all_of_it == (pytest.approx(4 / 7), 3)
    assert marked.rows("select count(*) from region_work where rated_at is null") == [(0,)]
    coefficients = marked.rows("select distinct coefficient from region_trend order by 1")
    assert [name for (name,) in coefficients] == ["character_alpha", "f1_exact", "f1_partial", "unitised_alpha"]


def test_batches_and_the_last_items_are_windows_too(marked: Marked) -> None:
    marked.run("a.json", task(1, "2026-03-02", [A], [A]))
    marked.run("b.json", task(2, "2026-03-03", [A], [B]), task(3, "2026-03-04", [A], [A]))
    batches = marked.rows(f"{F1} and period = 'batch' and label is null order by first_day")
    assert batches == [("2026-03-02", 1.0, 1, True), ("2026-03-03", 0.5, 2, False)]
    assert marked.rows(F1 + " and period = 'last_n' and label is null") == [(None, 0.5, 2, False)]
    rolling = "select last_day::varchar, n_items from region_trend where coefficient = 'f1_exact'"
    assert marked.rows(rolling + " and label is null and period = 'rolling'") == [
        ("2026-03-02", 1), ("2026-03-03", 2), ("2026-03-04", 3),
    ]  # fmt: skip
    assert marked.rows("select count(distinct run_id) from region_windows") == [(1,)]


def test_work_that_is_replaced_moves_its_item_to_the_later_day(marked: Marked) -> None:
    marked.run("a.json", task(1, "2026-03-02", [A], [B]), task(2, "2026-03-02", [A], [A]))
    marked.run("b.json", task(1, "2026-03-05", [A], [A]))
    days = marked.rows(f"{F1} and period = 'day' and label is null")
    assert days == [("2026-03-02", 1.0, 1, True), ("2026-03-05", 1.0, 1, True)]
