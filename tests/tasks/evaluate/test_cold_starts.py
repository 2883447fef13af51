"""After a batch, an evaluation says what one without a past says: every figure of every table, to the last bit."""

import random
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect

SYSTEMS = frozenset({"bot", "cat", "dog"})
RATERS = ("ann", "bob", "cyd", *sorted(SYSTEMS))
LABELS = ("A", "B", "C")
OPTIONS = EvaluationOptions(confidence=0.95, seed=0, alert_coefficient="krippendorff_alpha", code_version="1")
CONFIGS = QuestionConfigs({"tone": QuestionConfig(systems=SYSTEMS, labels=LABELS)})


def take_in(project: InboxProject, name: str, items: range, rng: random.Random) -> None:
    """Store ratings of a random crowd: hard items, gaps, systems of unequal accuracy."""
    rows = []
    for item in items:
        hard = rng.random() < 0.3
        for place, rater in enumerate(RATERS):
            right = rng.random() < (0.45 if hard else 0.9 - 0.04 * place)
            if rng.random() < 0.85:
                rows.append(f"i{item},{rater},{LABELS[item % 3] if right else rng.choice(LABELS)}")
    (project.inbox / name).write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    project.ingest(ReadOptions(question="tone", systems=SYSTEMS))


def stored(db: Path) -> list[dict[str, pl.DataFrame]]:
    """The result tables of each run of evaluate, in the order of the runs."""
    with connect(db, read_only=True) as con:
        names = con.sql(
            "select table_name from duckdb_columns() where schema_name = 'main' and column_name = 'run_id'"
            " and table_name in (select table_name from duckdb_tables()) and table_name <> 'runs' order by all"
        ).fetchall()
        runs = [
            run for (run,) in con.sql("select run_id from runs where kind = 'evaluate' order by started_at").fetchall()
        ]
        tables = {name: con.sql(f'select * from "{name}"').pl() for (name,) in names}
    return [{name: rows.filter(run_id=run).drop("run_id") for name, rows in tables.items()} for run in runs]


@pytest.mark.parametrize("seed", range(2))
def test_an_evaluation_after_a_batch_is_that_of_all_ratings(tmp_path: Path, seed: int) -> None:
    project, rng = InboxProject(tmp_path), random.Random(seed)
    take_in(project, "1.csv", range(150), rng)
    project.work("evaluate", CONFIGS, OPTIONS)
    take_in(project, "2.csv", range(145, 160), rng)
    project.work("evaluate", CONFIGS, OPTIONS)
    project.work("evaluate", CONFIGS, OPTIONS, recount=True)
    first, after, whole = stored(project.db)
    assert not first["system_accuracy"].equals(after["system_accuracy"])
    compared = [name for name, rows in after.items() if rows.height]
    assert {"system_accuracy", "accuracy_bins", "assumption_checks", "system_differences", "label_rates"} <= {*compared}
    for name in compared:
        assert_frame_equal(after[name], whole[name], check_exact=True, check_row_order=False)
