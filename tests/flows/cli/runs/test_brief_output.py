"""The few lines of `run --brief`, from a snapshot of many questions, systems and alerts."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from flows.cli import terminal
from flows.cli.alerts import alerts_output
from flows.cli.runs import brief_output as module
from flows.project_folder import Project
from flows.run_result import RunResult
from flows.settings.model import Settings
from tasks.ingest.file_result import FileResult
from tasks.question_result import QuestionResult
from tasks.summary import run_figures
from warehouse.batches import BatchCounts

N = 40
AGREEMENT = pl.DataFrame({"question": [f"q{i}" for i in range(N)]}).with_columns(
    scope=pl.lit("humans"), period=pl.lit("all"), coefficient=pl.lit("krippendorff_alpha"), estimate=pl.lit(0.5),
    low=pl.lit(0.4), high=pl.lit(0.6), n_items=pl.lit(100), n_raters=pl.lit(3), reason=pl.lit(None, pl.String),
)  # fmt: skip
ACCURACY = pl.DataFrame({"question": [f"q{i}" for i in range(N)]}).with_columns(
    scope=pl.lit("all"), system=pl.lit("gpt"), system_version=pl.lit(None, pl.String), method=pl.lit("average"),
    accuracy=pl.lit(0.8), low=pl.lit(0.7), high=pl.lit(0.9), outer_low=pl.lit(0.6), outer_high=pl.lit(0.95),
    n_items=pl.lit(100), n_gold=pl.Series([20, 20, *[0] * (N - 2)]), reason=pl.lit(None, pl.String),
    gold_origin=pl.Series(["drawn", "unknown", *[None] * (N - 2)]),
)  # fmt: skip
STRENGTHS = pl.DataFrame({"model": [f"m{i}" for i in range(N)]}).with_columns(
    question=pl.lit("arena"), rank=pl.int_range(1, N + 1), strength=pl.lit(0.3), low=pl.lit(0.2), high=pl.lit(0.4),
    n_votes=pl.lit(50), reason=pl.lit(None, pl.String),
)  # fmt: skip
COUNTS = BatchCounts(n_ratings=10, n_unchanged=0, n_skipped=0, n_rejected=1, questions=(), repeated=False)
ALERTS = pl.DataFrame({"alert_id": [f"{i:032x}" for i in range(N)]}).with_columns(
    question=pl.lit("q1"), detail=pl.lit("ann\x1b[2J agrees 0.14 less. Look at ann first."),
    closed_at=pl.lit(None, pl.Datetime),
)  # fmt: skip


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = {"latest_agreement": AGREEMENT, "latest_system_accuracy": ACCURACY, "latest_model_strengths": STRENGTHS,
              "alert_states": ALERTS}  # fmt: skip
    monkeypatch.setattr(run_figures, "read_views", lambda snapshot, *names: {name: frames[name] for name in names})
    monkeypatch.setattr(run_figures, "queue_questions", lambda snapshot: {"q3", "q7"})
    monkeypatch.setattr(terminal, "console", Console(highlight=False, width=80))
    assert alerts_output.ID_LENGTH == 8


def test_it_is_short_however_large_the_project(views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = tuple(
        FileResult(f"f{i}.csv", "rejected" if i % 2 else "stored", "long", COUNTS,
                   None, "It is damaged.", ("Read as a long table.",))
        for i in range(N)
    )  # fmt: skip
    failed = tuple(QuestionResult("evaluate", f"q{i}", 0, (), "Its labels differ.") for i in range(N))
    module.print_brief(
        RunResult(files, failed), run_figures.read_brief_figures(tmp_path), Project(tmp_path, Settings())
    )
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert len(lines) <= 60
    parts = [
        "What came in",
        "Agreement of the annotators",
        "Accuracy of the systems",
        "Models by votes on pairs",
        "What to do next",
        "Where things",
    ]
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    assert "40 files: 400 new ratings, 40 rejected rows, 0 skipped rows." in shown
    assert "and 34 more questions" in shown
    assert "and 37 more models" in shown
    assert "and 37 more alerts" in shown
    assert "ALERT 00000000 q1: ann�[2J agrees 0.14 less.\n" in shown
    assert "kappaflow alerts show" not in shown  # the list of all says it
    assert "kappaflow worklist --question q3 " in shown  # of the questions with items in doubt
    assert "\x1b" not in shown


def test_no_list_of_items_is_offered_where_none_is_in_doubt(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_figures, "queue_questions", lambda snapshot: set())
    module.print_brief(RunResult(), run_figures.read_brief_figures(tmp_path), Project(tmp_path, Settings()))
    assert "worklist" not in capsys.readouterr().out


def test_of_a_few_alerts_one_can_be_shown(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = run_figures.read_brief_figures(tmp_path)
    few = replace(figures, open_alerts=figures.open_alerts[:2])
    module.print_brief(RunResult(), few, Project(tmp_path, Settings()))
    assert "One in full: kappaflow alerts show 00000000" in capsys.readouterr().out


def test_nothing_new_is_said(views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module.print_brief(RunResult(), run_figures.read_brief_figures(tmp_path), Project(tmp_path, Settings()))
    assert "No new file." in capsys.readouterr().out
