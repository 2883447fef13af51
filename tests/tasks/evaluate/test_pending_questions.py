"""Which questions are due, and which figures are out of date and why."""

from dataclasses import replace
from pathlib import Path

import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import (
    OTHER_SETTINGS,
    OUTDATED,
    kinds_of_raters,
    outdated_questions,
    pending_questions,
    slice_keys,
)
from tasks.evaluate.question_config import QuestionConfig
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect

OPTIONS = EvaluationOptions(0.95, 0, "krippendorff_alpha", "1")
CONFIGS = QuestionConfigs({"mood": QuestionConfig(), "tone": QuestionConfig()})
OTHERS = QuestionConfigs({**CONFIGS.questions, "tone": QuestionConfig(systems=frozenset({"cem"}))})


def write(project: InboxProject, question: str, items: range) -> None:
    rows = [
        f"{item},{rater},{label},{question}"
        for item in items
        for rater, label in (("ann", "a"), ("bob", "ab"[item % 2]))
    ]
    (project.inbox / f"{question}-{items.start}.csv").write_text("\n".join(["item,rater,label,question", *rows]))
    project.ingest()


def due(project: InboxProject, kind: str, configs: QuestionConfigs = CONFIGS, *, everything: bool = False) -> list[str]:
    result = pending_questions(project.db, kind, configs, OPTIONS, everything=everything)
    return [stored.question for stored in result]


def outdated(
    project: InboxProject, configs: QuestionConfigs | None = CONFIGS, options: EvaluationOptions = OPTIONS
) -> dict[str, str]:
    with connect(project.db) as con:
        return outdated_questions(con, None if configs is None else (configs, options))


@pytest.fixture
def project(tmp_path: Path) -> InboxProject:
    made = InboxProject(tmp_path)
    write(made, "mood", range(6))
    write(made, "tone", range(6))
    return made


def test_a_question_is_due_until_its_ratings_and_settings_are_those_of_its_last_run(project: InboxProject) -> None:
    assert (due(project, "evaluate"), due(project, "monitor"), outdated(project)) == (["mood", "tone"],) * 2 + ({},)
    for kind in ("evaluate", "monitor"):
        project.work(kind, CONFIGS, OPTIONS, everything=False)
        assert due(project, kind) == []
    assert due(project, "evaluate", everything=True) == ["mood", "tone"]
    assert (due(project, "evaluate", OTHERS), due(project, "monitor", OTHERS)) == (["tone"], ["tone"])
    assert outdated(project, None) == outdated(project) == {}
    write(project, "mood", range(6, 9))
    both = {"mood": OUTDATED, "tone": OTHER_SETTINGS}
    assert (due(project, "evaluate"), outdated(project, None)) == (["mood"], {"mood": OUTDATED})
    assert outdated(project, OTHERS) == both
    all_other = QuestionConfigs({**OTHERS.questions, "mood": QuestionConfig(alert_below=0.1)})
    assert outdated(project, all_other) == both  # of both reasons the ratings are said
    assert outdated(project, OTHERS, replace(OPTIONS, code_version="2")) == {"mood": OUTDATED}  # cannot be compared
    with connect(project.db) as con:  # runs that failed made no figures
        con.execute(
            "insert into runs by name select * replace (run_id || kind as run_id, 'failed' as status,"
            " input_revision + 9 as input_revision, started_at + interval 1 day as started_at)"
            " from runs where kind = 'evaluate'"
        )
    assert outdated(project, OTHERS) == both
    project.work("evaluate", OTHERS, OPTIONS, everything=False)
    assert (outdated(project, OTHERS), due(project, "evaluate", OTHERS)) == ({}, [])
    project.work("monitor", OTHERS, OPTIONS, everything=False)
    project.work("evaluate", OTHERS, OPTIONS)
    assert due(project, "monitor", OTHERS) == ["mood", "tone"]  # its windows rest on the last evaluation


def test_who_is_gold_and_a_system_is_gold() -> None:
    config = QuestionConfig(
        systems=frozenset({"gpt", "both"}), gold=frozenset({"expert", "both"}), slices=("language",)
    )
    assert kinds_of_raters(QuestionConfigs({"q": config})).rows() == [
        ("q", "both", "gold"), ("q", "expert", "gold"), ("q", "gpt", "system")
    ]  # fmt: skip
    assert (slice_keys("evaluate", config), slice_keys("monitor", config)) == (("language",), ())
