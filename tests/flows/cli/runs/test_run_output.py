"""What `run` prints on the systems."""

from pathlib import Path
from typing import Any

import pytest

from flows.cli.project_output import BATCH_QUERY, EXAMPLE_QUERY, print_run_result
from flows.project_folder import Project
from flows.run_result import RunResult
from flows.settings.model import Settings
from tasks.evaluate.gold.worklist_gold import NOT_RANDOM
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import NOTHING
from tasks.question_result import DIFFICULT_GOLD, QuestionResult
from tasks.summary.run_figures import ChangedFigures, RunFigures

OTHER = "The estimate rests on few items."


def printed(capsys: pytest.CaptureFixture[str], notes: tuple[str, ...]) -> str:
    empty = dict.fromkeys(("outer_low", "outer_high", "spread_low", "spread_high", "reason", "detail"))
    system: dict[str, Any] = {
        **empty, "question": "tone", "system": "gpt", "system_version": "", "method": "average", "accuracy": 0.8,
        "low": 0.7, "high": 0.9, "n_items": 40, "n_gold": 20, "gold_origin": "worklist",
        "warnings": [NOT_RANDOM, OTHER],
    }  # fmt: skip
    figures = RunFigures(ChangedFigures([], [], [], [], [system], []), [], False, False)
    result = RunResult(questions=(QuestionResult("evaluate", "tone", 40, notes),))
    print_run_result(result, figures, Project(Path("project"), Settings()))
    return " ".join(capsys.readouterr().out.split())


def test_gold_of_a_worklist_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, (f"tone: {DIFFICULT_GOLD} 20 gold items came from a worklist.",))
    assert NOT_RANDOM not in text
    assert OTHER in text
    assert DIFFICULT_GOLD in text
    assert NOT_RANDOM in printed(capsys, ()), "without the note, the warning says it"


def test_a_run_names_annotators_of_spans_who_stand_out(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = "ner: cem agrees less with the others (F1 (exact) 0.30) than they with each other (0.66)."
    figures = RunFigures(ChangedFigures([], [], [], [], [], [], [], [sentence]), [], True, False)
    result = RunResult(questions=(QuestionResult("evaluate", "ner", 40, ()),))
    print_run_result(result, figures, Project(Path("project"), Settings()))
    assert sentence in " ".join(capsys.readouterr().out.split())


def test_a_query_is_proposed_that_has_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """`ingest` proposed a query on the agreement of questions that nobody had evaluated."""
    file = FileResult("tone.csv", "stored", "long", NOTHING, None, None, ())
    evaluated = QuestionResult("evaluate", "tone", 40, ())
    for result, has_figures, query in (
        (RunResult((file,)), True, BATCH_QUERY),
        (RunResult(), False, BATCH_QUERY),
        (RunResult((file,), (evaluated,)), True, EXAMPLE_QUERY),
        (RunResult(), True, EXAMPLE_QUERY),
    ):
        figures = RunFigures(None, [], False, False, has_figures)
        print_run_result(result, figures, Project(Path("project"), Settings()))
        assert f'kappaflow sql --project project "{query}"' in capsys.readouterr().out
