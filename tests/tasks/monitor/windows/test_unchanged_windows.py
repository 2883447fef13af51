"""Windows that did not change are not computed again, and that changes no figure."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions
from tasks.evaluate.pending_questions import pending_questions
from tasks.monitor.windows import window_tables
from tasks.monitor.windows.window_spans import ItemWindows
from tasks.question_runs import process_questions
from tests.tasks.monitor.conftest import LABELS, START, Project, Rating, ratings_of
from tests.tasks.monitor.windows.test_window_tables import CONFIGS, OPTIONS, TRENDS, monitor, rows
from warehouse.connect import connect
from warehouse.patterns import rebuild

RATERS = ("r1", "r2", "r3")


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The windows of agreement that each run computed: period and first day, or the batch."""
    runs: list[list[str]] = []
    compute = window_tables.agreement_rows

    def watched(human: object, names: object, labels: object, windows: ItemWindows, *options: object) -> object:
        bounds = windows.windows.select("period", "period_start", "batch_id").rows()
        runs.append([f"{name} {batch or (at and f'{at:%m-%d}') or 'all'}" for name, at, batch in bounds])
        return compute(human, names, labels, windows, *options)  # type: ignore[arg-type]

    monkeypatch.setattr(window_tables, "agreement_rows", watched)
    return runs


def test_only_windows_whose_items_changed_are_computed(project: Project, computed: list[list[str]]) -> None:
    options = replace(OPTIONS, rolling_days=0, last_items=5)
    project.store(ratings_of(range(10), raters=RATERS, n_items=3))
    monitor(project, options)
    assert len(computed.pop()) == 10 + 2 + 1 + 2  # days, weeks, the month, the batch and the last items
    project.store(ratings_of([14], raters=RATERS, n_items=3))
    monitor(project, options)
    assert computed.pop() == ["batch b2", "day 01-19", "last_n all", "month 01-01", "week 01-19"]
    project.store([("d3-1", "r1", "human", "late", START + timedelta(days=3), None, None)])
    monitor(project, options)  # a new label changes all
    assert len(computed.pop()) == 11 + 3 + 1 + 3 + 1
    project.store([("d3-2", "r2", "human", "late", START + timedelta(days=3), None, None)])
    monitor(project, options)
    assert computed.pop() == ["batch b1", "batch b4", "day 01-08", "month 01-01", "week 01-05"]
    monitor(project, replace(options, code_version="2"))
    assert len(computed.pop()) == 11 + 3 + 1 + 4 + 1


def test_random_histories_equal_a_run_over_all(project: Project) -> None:
    """Late days, edits, deletions, changes of settings: all windows are as if they were computed for the first time."""
    rng, options = np.random.default_rng(5), replace(OPTIONS, rolling_days=3, last_items=9)
    for step, batch in enumerate(history(rng)):
        project.store(batch)
        if step % 3 == 2:
            delete_a_day(project, int(rng.integers(step)), str(rng.choice(RATERS)))
        if step == 4:
            options = replace(options, window_items=3)
        if step == 6:
            options = replace(options, windows=("week",), rolling_days=2, confidence=0.9)
        monitor(project, options)
        if step % 4 == 3:
            equal_when_computed_anew(project, options)


def equal_when_computed_anew(project: Project, options: EvaluationOptions) -> None:
    """Compare the windows of the last run with those of a copy that knows of no earlier ones."""
    copy = project.db.with_name("copy.duckdb")
    shutil.copy(project.db, copy)
    with connect(copy) as con:
        con.execute("delete from internal.window_digests")
    anew = Project(copy)
    due = pending_questions(copy, "monitor", CONFIGS, options, everything=True)
    assert [result.error for result in process_questions(copy, "monitor", due, CONFIGS, options)] == [None]
    for view in (*TRENDS, "latest_agreement"):
        query = f"select * exclude (run_id{', evaluated_at' * (view == 'latest_agreement')}) from {view} order by all"
        stored = rows(project, query)
        assert len(stored) >= 10
        assert stored == rows(anew, query), view
    copy.unlink()


def delete_a_day(project: Project, number: int, rater: str) -> None:
    """Delete what a rater said of the items of a day, as a full export without it does."""
    with connect(project.db) as con:
        ids = "select i.item_id, r.rater_id from internal.items as i, internal.raters as r where i.item like $item"
        con.execute(
            f"update internal.ratings set deleted_at = now() where (item_id, rater_id) in ({ids} and r.rater = $rater)",
            {"item": f"d{number}-%", "rater": rater},
        )
        con.execute("update internal.questions set revision = revision + 1")
        rebuild(con)


def history(rng: np.random.Generator) -> Iterator[list[Rating]]:
    """Yield batches of a question: new days, late days, edits with a new and with an old time."""
    for step in range(8):
        day = step if rng.random() < 0.7 else int(rng.integers(step + 1))
        yield [*ratings_of([day], raters=RATERS, n_items=4, seed=step % 2), *edits(rng, day)]


def edits(rng: np.random.Generator, day: int) -> list[Rating]:
    """Return new labels of items of an earlier day, given up to this day."""
    earlier = int(rng.integers(day + 1))
    given = START + timedelta(days=int(rng.integers(earlier, day + 1)))
    return [
        (f"d{earlier}-{i}", str(rng.choice(RATERS)), "human", str(rng.choice(LABELS)), given, None, None)
        for i in range(rng.integers(3))
    ]
