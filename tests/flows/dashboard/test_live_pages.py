"""Pages on questions whose answers are not labels: spans and votes on models beside a question of labels."""

import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tasks.evaluate.evaluation_options import QuestionConfigs
from tests.flows.dashboard.conftest import Answer, visitor
from tests.gate_project import OPTIONS, rating_rows, write_table
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.publication.snapshot import publish

TEXT = "Bob met Ann in Rome"
SPANS = {1: (0, 3, "PER"), 2: (0, 3, "PER"), 3: (15, 19, "<b>LOC")}
VOTES = "question_id,model_a,model_b,winner,judge\n" + "".join(
    f"{item},m1,m2,model_{'b' if item % 4 == 0 else 'a'},{judge}\n" for item in range(24) for judge in ("ann", "ben")
)


def spans_of(task: int) -> dict[str, object]:
    annotations = [
        {
            "completed_by": rater,
            "created_at": f"2026-03-{1 + task:02d}T10:00:00Z",
            "result": [
                {
                    "from_name": "names", "to_name": "text", "type": "labels",
                    "value": {"start": start, "end": end, "text": TEXT[start:end], "labels": [label]},
                }
            ],
        }
        for rater, (start, end, label) in SPANS.items()
        if rater < 3 or task % 2
    ]  # fmt: skip
    return {"id": task, "data": {"text": TEXT}, "annotations": annotations}


def publish_project(folder: Path, *, with_labels: bool) -> Answer:
    """Return what the pages of a project of spans and votes answer."""
    folder.mkdir()
    (folder / "kappaflow.toml").write_text("", encoding="utf-8")
    project = InboxProject(folder)
    (project.inbox / "spans.json").write_text(json.dumps([spans_of(task) for task in range(14)]), encoding="utf-8")
    (project.inbox / "votes.csv").write_text(VOTES, encoding="utf-8")
    if with_labels:
        write_table(project.inbox / "tone.csv", rating_rows(20, {"ann": 0.9, "bob": 0.9}))
    project.ingest()
    for kind in ("evaluate", "monitor"):
        project.work(kind, QuestionConfigs({}), OPTIONS)
    publish(project.db, folder / "published")
    return visitor(make_dashboard(find_project(folder), host="127.0.0.1", port=8500))


@pytest.fixture(scope="module")
def snapshot_and_pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    folder = tmp_path_factory.mktemp("answers") / "project"
    pages = publish_project(folder, with_labels=True)
    return folder / "published" / "snapshot.duckdb", pages


def words(pages: Answer, path: str, **filters: str) -> str:
    answer = pages(f"{path}?{urlencode(filters)}")
    assert answer.status_code == 200
    return " ".join(unescape(re.sub("<[^>]*>", " ", answer.text)).split())


def test_the_overview_has_a_line_for_each_question_of_spans_and_of_votes(
    snapshot_and_pages: tuple[Path, Answer],
) -> None:
    snapshot, pages = snapshot_and_pages
    shown = words(pages, "/")
    with connect(snapshot, read_only=True) as con:
        (estimate,) = con.sql(
            "select estimate from latest_region_agreement"
            " where rater_a is null and label is null and coefficient = 'f1_exact'"
        ).fetchall()[0]
    assert f"names spans and boxes F1, exact {estimate:.3f} " in shown
    assert "votes 2 models · 48 votes of people m1 is ahead of the other models" in shown
    assert "there is no figure of agreement" not in shown
    assert shown.index("Questions") < shown.index("Spans, boxes, rankings and texts") < shown.index("No alert is open")


def test_the_page_of_a_question_of_spans_has_all_figures_pairs_and_labels(
    snapshot_and_pages: tuple[Path, Answer],
) -> None:
    snapshot, pages = snapshot_and_pages
    shown = words(pages, "/question", question="names")
    with connect(snapshot, read_only=True) as con:
        figures = con.sql(
            "select estimate, low, high from latest_region_agreement where rater_a is null and label is null"
            " and estimate is not null"
        ).fetchall()
    assert len(figures) == 4
    for estimate, low, high in figures:
        assert f"{estimate:.3f} {low:.3f} – {high:.3f}".replace("-", "−") in shown
    for part in ("14 items · 3 raters", "Pairs of raters", "Each label", "<b>LOC", "Agreement by day"):
        assert part in shown
    assert "<b>LOC" not in pages("/question?question=names").text
    assert "No agreement was computed" not in shown


def test_a_question_of_votes_shows_its_models_and_voters(snapshot_and_pages: tuple[Path, Answer]) -> None:
    shown = words(snapshot_and_pages[1], "/question", question="votes")
    assert "m1 is ahead of the other models" in shown
    assert "Strengths" in shown
    assert "voters agree" in shown
    assert "Krippendorff's alpha of the voters" in shown


@pytest.mark.parametrize("path", ["/raters", "/systems"])
@pytest.mark.parametrize("question", ["names", "votes"])
def test_pages_that_are_about_labels_say_where_the_figures_are(
    snapshot_and_pages: tuple[Path, Answer], path: str, question: str
) -> None:
    text = snapshot_and_pages[1](f"{path}?question={question}").text
    assert "The answers to this question are no labels" in text
    assert f'href="/question?question={question}"' in text
    assert "The answers to this question are no labels" not in words(snapshot_and_pages[1], path)  # of the first one


def test_without_a_question_of_labels_no_section_says_that_its_figures_are_missing(tmp_path: Path) -> None:
    pages = publish_project(tmp_path / "project", with_labels=False)
    shown = words(pages, "/")
    assert "Models by votes" in shown
    for sentence in ("No question is evaluated", "No annotator shares items", "No system has an estimate"):
        assert sentence not in shown
    assert "Agreement on what was marked" in words(pages, "/question")
