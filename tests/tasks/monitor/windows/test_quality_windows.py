"""Why an accuracy of a window is null, and how good people without an accuracy of their own are taken to be."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from stats.trends.anchored_accuracy import Accuracies, Anchor
from stats.trends.quality_trends import QualityTrends
from stats.trends.ratio_shares import Shares
from tasks.evaluate.evaluation_options import QuestionConfigs
from tasks.monitor.windows.quality_windows import ACCURACIES, REASONS, _rows
from tests.gate_project import OPTIONS
from tests.tasks.inbox import InboxProject


def test_each_undefined_accuracy_has_its_reason() -> None:
    figures = np.array([0.8, np.nan, np.nan, np.nan, np.nan])
    contradicts = np.array([False, False, False, True, False])
    subject, n_shared = np.array([0, 0, 0, 0, 1]), np.array([9, 1, 9, 9, 9])
    trends = QualityTrends(
        np.arange(5),
        subject,
        np.full(5, 9),
        n_shared,
        Shares(*[np.full(5, 0.7)] * 3),
        Accuracies(figures, figures, figures, figures, contradicts),
    )
    anchor = Anchor(np.array([0.8, np.nan]), np.array([0.1, np.nan]))
    rows = _rows(trends, "system", ["gpt", "new"], pl.DataFrame(schema=ACCURACIES), anchor)
    expected = [(None, None), *(REASONS[name] for name in ("too_few_items", "not_identified", "contradiction"))]
    assert rows.select("reason", "detail").rows() == [*expected, REASONS["not_evaluated"]]
    assert rows["accuracy"].to_list() == [0.8, None, None, None, None]


def answer(rng: np.random.Generator, truth: int, accuracy: float) -> str:
    return "abc"[truth if rng.random() < accuracy else (truth + rng.integers(1, 3)) % 3]


def project_of_one_question(path: Path) -> tuple[InboxProject, Path]:
    """Return a project and the folder of its question."""
    project = InboxProject(path)
    folder = project.inbox / "q"
    folder.mkdir()
    return project, folder


def evaluate_and_monitor(project: InboxProject) -> None:
    project.ingest()
    for kind in ("evaluate", "monitor"):
        project.work(kind, QuestionConfigs({}), OPTIONS)


def drop(project: InboxProject) -> float:
    """By how much the system is less accurate in its worse batch."""
    rows = project.view("system_trend").filter(pl.col("period") == "batch", pl.col("accuracy").is_not_null())
    before, since = sorted(rows["accuracy"].to_list(), reverse=True)
    return float(before - since)


def test_votes_without_names_show_a_drop_of_a_system_in_full(tmp_path: Path) -> None:
    """Three votes that are right in .6, and a system that falls from .9 to .7: votes of .8 would make that -.14."""
    rng = np.random.default_rng(9)
    project, folder = project_of_one_question(tmp_path)
    for batch, accuracy in enumerate((0.9, 0.7)):
        votes, answers = [], ["item,rater,rater_kind,label"]
        for number, truth in enumerate(rng.integers(0, 3, 1200)):
            item = f"{batch}-{number}"
            votes.append(json.dumps({"pairID": item, "annotator_labels": [answer(rng, truth, 0.6) for _ in range(3)]}))
            answers.append(f"{item},bot,system,{answer(rng, truth, accuracy)}")
        (folder / f"votes{batch}.jsonl").write_text("\n".join(votes), encoding="utf-8")
        (folder / f"bot{batch}.csv").write_text("\n".join(answers), encoding="utf-8")
    evaluate_and_monitor(project)
    assert drop(project) == pytest.approx(0.2, abs=0.04)


def test_a_rater_of_nearly_one_label_does_not_hide_a_drop(tmp_path: Path) -> None:
    """Such a rater has no accuracy, and counts as one who guesses: taken for as good as the two others, -.14."""
    rng = np.random.default_rng(3)
    project, folder = project_of_one_question(tmp_path)
    for batch, accuracy in enumerate((0.9, 0.7)):
        rows = ["item,rater,rater_kind,label"]
        for number, truth in enumerate(rng.integers(0, 3, 800)):
            people = {"ann": answer(rng, truth, 0.8), "bob": answer(rng, truth, 0.8), "lazy": answer(rng, 0, 0.95)}
            rows += [f"{batch}-{number},{name},human,{label}" for name, label in people.items()]
            rows.append(f"{batch}-{number},bot,system,{answer(rng, truth, accuracy)}")
        (folder / f"batch{batch}.csv").write_text("\n".join(rows), encoding="utf-8")
    evaluate_and_monitor(project)
    (whole,) = project.view("latest_system_accuracy").filter(pl.col("method") == "average")["accuracy"].to_list()
    assert whole == pytest.approx(0.8, abs=0.04)
    assert drop(project) == pytest.approx(0.2, abs=0.04)
