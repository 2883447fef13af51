"""The few lines of `run --brief`, from a snapshot of many questions, systems and alerts."""

import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from flows.cli import terminal
from flows.cli.alerts import alerts_output
from flows.cli.project_output import BATCH_QUERY, REGION_QUERY
from flows.cli.runs import brief_output as module
from flows.project_folder import Project
from flows.run_result import RunResult
from flows.settings.model import Settings
from stats.accuracy.gold.audit_notes import pooled_versions
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import NOTHING
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
    rank_low=pl.int_range(1, N + 1), rank_high=pl.lit(N), n_votes=pl.lit(50), reason=pl.lit(None, pl.String),
)  # fmt: skip
REGIONS = pl.DataFrame({"question": [f"r{i}" for i in range(N)]}).with_columns(
    rater_a=pl.lit(None, pl.String), rater_b=pl.lit(None, pl.String), label=pl.lit(None, pl.String),
    coefficient=pl.lit("kendall_w"), estimate=pl.lit(0.55), low=pl.lit(0.43), high=pl.lit(0.67), n_items=pl.lit(40),
    n_raters=pl.lit(3), n_regions=pl.lit(0), reason=pl.lit(None, pl.String), detail=pl.lit(None, pl.String),
)  # fmt: skip
PAIRS = pl.DataFrame({"question": [f"q{i}" for i in range(N)]}).with_columns(
    rater_a=pl.lit("ann"), rater_b=pl.lit("bob"), coefficient=pl.lit("cohen_kappa"), estimate=pl.lit(-0.8),
    low=pl.lit(-0.9), high=pl.lit(-0.7), n_items=pl.lit(80),
)  # fmt: skip
COUNTS = BatchCounts(n_ratings=10, n_unchanged=0, n_skipped=0, n_rejected=1, questions=(), repeated=False)
ALERTS = pl.DataFrame({"alert_id": [f"{i:032x}" for i in range(N)]}).with_columns(
    question=pl.lit("q1"), incident_id=pl.lit("i"), kind=pl.lit("new_label"), subject=pl.lit("Dr. No\x1b[2J"),
    severity=pl.when(pl.int_range(N) < 20).then(pl.lit("warning")).otherwise(pl.lit("critical")), state=pl.lit("open"),
    detail=pl.lit("The label Dr. No\x1b[2J is new in 'q1'."), evidence=pl.lit("first on 2026-03-02, 5 items so far"),
    opened_at=pl.lit(None, pl.Datetime), acknowledged_at=pl.lit(None, pl.Datetime), owner=pl.lit(None, pl.String),
    acknowledged_by=pl.lit("eve"), changed_on=pl.lit(None, pl.Date), changed_low=pl.lit(None, pl.Date),
    detected_on=pl.lit(None, pl.Date),
    changed_high=pl.lit(None, pl.Date), before=pl.lit(None, pl.Float64), after=pl.lit(None, pl.Float64),
    n_items=pl.lit(5), label=pl.lit(None, pl.String), closed_at=pl.lit(None, pl.Datetime),
    closed_because=pl.lit(None, pl.String),
)  # fmt: skip


def show_views(monkeypatch: pytest.MonkeyPatch, **changed: pl.DataFrame) -> None:
    """Let the views have these rows."""
    frames = {"latest_agreement": AGREEMENT, "latest_system_accuracy": ACCURACY, "latest_model_strengths": STRENGTHS,
              "alert_states": ALERTS, "latest_region_agreement": REGIONS,
              "latest_preference_figures": pl.DataFrame()} | changed  # fmt: skip
    monkeypatch.setattr(run_figures, "kept_open", lambda snapshot, read_only: nullcontext())
    monkeypatch.setattr(run_figures, "read_views", lambda snapshot, *names: {name: frames[name] for name in names})


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> None:
    show_views(monkeypatch)
    monkeypatch.setattr(run_figures, "queue_questions", lambda snapshot: {"q3", "q7"})
    monkeypatch.setattr(run_figures, "read_low_pairs", lambda snapshot: PAIRS)
    monkeypatch.setattr(run_figures, "read_most_confused_pairs", lambda snapshot: pl.DataFrame())
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
    assert len(lines) <= 69  # less than 70: the paths of the test wrap
    parts = [
        "What came in",
        "Agreement of the annotators",
        "Accuracy of the systems",
        "Spans, boxes, rankings and texts",
        "Models by votes on pairs",
        "What to do next",
        "Where things",
    ]
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    assert "40 files: 400 new ratings, 40 rejected rows, 0 skipped rows." in shown
    assert "and 34 more questions" in shown
    assert "and 38 more models" in shown
    assert "and 37 more questions: kappaflow status" in shown
    assert "and 19 more files that were not read: see the report" in shown
    assert "1-40" in shown  # the ranks that the first model may have
    assert "and 38 more alerts" in shown
    assert "· q0: ann and bob contradict each other (kappa -0.80 [-0.90, -0.70])." in " ".join(shown.split())
    assert "39 more: kappaflow status" in " ".join(shown.split())
    text = "The label Dr. No [2J is new in 'q1': first on 2026-03-02, 5 items so far."
    assert f"ALERT 00000000 q1: {text}" in " ".join(shown.split())
    assert "kappaflow alerts show" not in shown  # the list of all says it
    assert "kappaflow worklist --question q3 " in shown  # of the questions with items in doubt
    assert "\x1b" not in shown


def test_of_many_questions_those_of_the_lowest_agreement_are_shown(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = run_figures.read_brief_figures(tmp_path)
    rows = [{**row, "estimate": 0.9 - 0.01 * i} for i, row in enumerate(AGREEMENT.head(8).to_dicts())]
    rows[7] |= {"estimate": None, "low": None, "high": None, "reason": "too_few_raters"}
    project = Project(tmp_path, Settings())
    for n, questions in ((8, [6, 5, 4, 3, 2, 1]), (6, [0, 1, 2, 3, 4, 5])):
        module.print_brief(RunResult(), replace(figures, agreement=rows[:n]), project)
        table = capsys.readouterr().out.split("Accuracy of the systems")[0]
        assert ("lowest first" in " ".join(table.split())) == (n == 8)
        assert re.findall(r"^q(\d)", table, re.MULTILINE) == [str(number) for number in questions]


def test_a_source_that_could_not_be_read_is_what_to_mend_next(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There was nothing below "What to do next", and the query to try had no rows."""
    file = FileResult("ratings", "failed", "dataset", COUNTS, None, "The dataset ratings does not exist.", ())
    figures = run_figures.BriefFigures([], [], [], [], None)
    module.print_brief(RunResult((replace(file, counts=NOTHING),)), figures, Project(tmp_path, Settings()))
    shown = capsys.readouterr().out
    assert shown.index("What to do next") < shown.index("· Mend what could not be read") < shown.index("Where things")
    assert BATCH_QUERY in shown
    module.print_brief(
        RunResult(), replace(figures, agreement=AGREEMENT.head(1).to_dicts()), Project(tmp_path, Settings())
    )
    assert BATCH_QUERY not in capsys.readouterr().out


def test_a_figure_over_several_versions_is_told(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pooled = ACCURACY.head(1).with_columns(warnings=pl.lit([pooled_versions(["v1", "v2"])]))
    show_views(monkeypatch, latest_system_accuracy=pooled)
    module.print_brief(RunResult(), run_figures.read_brief_figures(tmp_path), Project(tmp_path, Settings()))
    shown = " ".join(capsys.readouterr().out.split())
    assert "q0 gpt: This figure is over the versions v1, v2 together and may hold for none of them" in shown
    assert "Warnings on the accuracies" not in shown


def test_why_a_system_has_no_accuracy_is_told_once(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = pl.concat([ACCURACY.head(1).with_columns(system=pl.lit(name)) for name in ("a", "b")]).with_columns(
        accuracy=pl.lit(None, pl.Float64), reason=pl.lit("too_few_raters"), detail=pl.lit("There is one rater.")
    )
    show_views(monkeypatch, latest_system_accuracy=systems)
    figures, project = run_figures.read_brief_figures(tmp_path), Project(tmp_path, Settings())
    module.print_brief(RunResult(), figures, project)
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.count("There is one rater.") == 1
    assert "q0 a, b: There is one rater." in shown
    notes = ("q0: Left out: 3 answers of 'a'.", "q0: Its labels were not declared.")
    module.print_brief(RunResult(questions=(QuestionResult("evaluate", "q0", 9, notes),)), figures, project)
    shown = " ".join(capsys.readouterr().out.split())
    assert "q0: Left out: 3 answers of 'a'." in shown  # in full, the other one is counted
    assert "1 note on how the files were read" in shown


def test_a_system_that_is_less_accurate_on_a_slice_is_named(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences = [f"q{i}: gpt is less accurate where language is de: 0.60." for i in range(3)]
    figures = replace(run_figures.read_brief_figures(tmp_path), low_slices=sentences)
    module.print_brief(RunResult(), figures, Project(tmp_path, Settings()))
    shown = " ".join(capsys.readouterr().out.split())
    assert "· q0: gpt is less accurate where language is de: 0.60. 2 more: kappaflow status" in shown
    assert "q1: gpt is less accurate" not in shown


def test_a_question_of_poor_agreement_is_named_with_what_to_clarify(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences = [f"q{i}: the whole interval of agreement lies below 0.4. Clarify the guideline." for i in range(2)]
    figures = replace(run_figures.read_brief_figures(tmp_path), contradictions=[], poor=sentences)
    module.print_brief(RunResult(), figures, Project(tmp_path, Settings()))
    shown = " ".join(capsys.readouterr().out.split())
    assert f"· {sentences[0]} 1 more: kappaflow status" in shown
    assert "q1: the whole" not in shown


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
    first = figures.open_alerts[0]
    assert (first["alert_id"], first["severity"]) == (f"{20:032x}", "critical")
    few = replace(figures, open_alerts=[first, first | {"state": "acknowledged"}])
    module.print_brief(RunResult(), few, Project(tmp_path, Settings()))
    shown = capsys.readouterr().out
    assert "One in full: kappaflow alerts show 00000000" in shown
    assert "q1 (acknowledged by eve): The label" in shown


def test_nothing_new_is_said(views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module.print_brief(RunResult(), run_figures.read_brief_figures(tmp_path), Project(tmp_path, Settings()))
    shown = capsys.readouterr().out
    assert "No new file." in shown
    assert "Put exports into the inbox" not in shown


def test_an_empty_project_is_told_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module.print_brief(RunResult(), run_figures.BriefFigures([], [], [], [], None), Project(tmp_path, Settings()))
    assert "Put exports into the inbox, then: kappaflow run" in capsys.readouterr().out


def test_options_that_a_message_names_belong_into_the_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures, project = run_figures.BriefFigures([], [], [], [], None), Project(tmp_path, Settings())
    for detail, is_told in (("If this fits: --columns item=id.", True), ("It is empty.", False)):
        file = FileResult("a.csv", "rejected", None, COUNTS, "unreadable", detail, ())
        module.print_brief(RunResult((file,)), figures, project)
        shown = capsys.readouterr().out
        assert ("with `kappaflow inspect FILE`" in " ".join(shown.split())) == is_told
        assert "Put exports into the inbox" not in shown


def test_a_note_on_the_settings_is_printed_because_the_report_has_none(
    views: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = RunResult(notes=("[questions.typo]: no rating is of this question.", "Another."))
    module.print_brief(result, run_figures.read_brief_figures(tmp_path), Project(tmp_path, Settings()))
    shown = capsys.readouterr().out
    assert "[questions.typo]: no rating is of this question." in shown
    assert "and 1 more note on the settings and channels: kappaflow run" in shown


def test_a_project_of_rankings_alone_has_a_table_of_them_and_a_query_with_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = run_figures.BriefFigures([], [], [], [], None, regions=REGIONS.head(1).to_dicts())
    module.print_brief(RunResult(), figures, Project(tmp_path, Settings()))
    shown = " ".join(capsys.readouterr().out.split())
    assert "r0 40 3 kendall_w 0.550 [0.430, 0.670]" in shown
    assert REGION_QUERY in shown
    assert "There is no figure yet" not in shown
