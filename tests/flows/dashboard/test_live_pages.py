"""Pages on questions whose answers are not labels: spans and votes on models beside a question of labels."""

import json
import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest

from flows.dashboard.start_dashboard import make_dashboard
from flows.project_folder import find_project
from tasks.evaluate.evaluation_options import QuestionConfigs
from tasks.monitor.check_rules import check_rules
from tasks.monitor.monitoring_configs import MonitoringConfigs, QuestionMonitoring
from tasks.summary.run_figures import read_brief_figures, read_run_figures
from tests.answers_project import TEXT, VOTES, publish_answers
from tests.flows.dashboard.conftest import Answer, visitor
from tests.gate_project import OPTIONS
from tests.tasks.inbox import InboxProject
from warehouse.connect import connect
from warehouse.publication.snapshot import publish


def pages_of(folder: Path, *, with_labels: bool) -> Answer:
    """Return what the pages of a project of spans and votes answer."""
    publish_answers(folder, with_labels=with_labels)
    return visitor(make_dashboard(find_project(folder), host="127.0.0.1", port=8500))


@pytest.fixture(scope="module")
def snapshot_and_pages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    folder = tmp_path_factory.mktemp("answers") / "project"
    pages = pages_of(folder, with_labels=True)
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


def test_the_live_pages_and_run_name_who_stands_out_among_spans_and_votes_as_run_brief_does(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "kappaflow.toml").write_text("", encoding="utf-8")
    project = InboxProject(folder)
    marks = [(0, 3) if rater < 4 else (8, 11) for rater in range(1, 5)]
    for rater, (start, end) in enumerate(marks, 1):
        lines = [json.dumps({"id": item, "text": TEXT, "label": [[start, end, "PER"]]}) for item in range(30)]
        (project.inbox / f"r{rater}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    votes = [
        f"{item},m1,m2,model_{'a' if (item % 4 > 0) != (judge == 'dan') else 'b'},{judge}"
        for item in range(30)
        for judge in ("ann", "ben", "cem", "dan")
    ]
    (project.inbox / "votes.csv").write_text("\n".join([VOTES.splitlines()[0], *votes]), encoding="utf-8")
    project.ingest()
    project.work("evaluate", QuestionConfigs({}), OPTIONS)
    publish(project.db, folder / "published")
    pages = visitor(make_dashboard(find_project(folder), host="127.0.0.1", port=8500))
    shown = words(pages, "/")
    snapshot = folder / "published" / "snapshot.duckdb"
    named = read_brief_figures(snapshot).contradictions
    assert [sentence.split(" contradicts ")[0] for sentence in named] == [
        "spans: r4 agrees less with the others (F1 (exact) 0.00) than they with each other (1.00).",
        "votes, dan: This voter",
    ]
    assert [sentence for sentence in named if sentence not in shown.replace(" : ", ": ").replace(" , ", ", ")] == []
    spans, votes = (sentence.partition(": ")[2] for sentence in named)
    for question, own, other in (("spans", spans, votes), ("votes", votes, spans)):
        of_question = words(pages, "/question", question=question)
        assert own in of_question
        assert other not in of_question
    assert "dan : This voter contradicts" in words(pages, "/question", question="votes")
    changed = read_run_figures(snapshot, {"spans", "votes"}, ()).changed
    assert changed is not None
    assert changed.region_raters == named[:1]


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
        (lowest,) = con.sql(
            "select item from item_distances where question = 'names' and coefficient = 'f1_exact' group by item"
            " order by sum(value) / sum(weight), sum(weight) desc, item limit 1"
        ).fetchall()[0]
    assert len(figures) == 4
    for estimate, low, high in figures:
        assert f"{estimate:.3f} {low:.3f} – {high:.3f}".replace("-", "−") in shown
    assert f"Items on which raters differ most Item F1, exact {lowest} " in shown
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
    pages = pages_of(tmp_path / "project", with_labels=False)
    shown = words(pages, "/")
    assert "Models by votes" in shown
    for sentence in ("No question is evaluated", "No annotator shares items", "No system has an estimate"):
        assert sentence not in shown
    assert "Agreement on what was marked" in words(pages, "/question")


def test_the_alert_on_a_limit_of_spans_draws_their_agreement_by_week(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    db = publish_answers(folder, with_labels=False).db
    limit = QuestionMonitoring(rules={"low_agreement": 0.9}, own_rules=frozenset({"low_agreement"}))
    (checked,) = check_rules(
        db, MonitoringConfigs({"names": limit}), coefficient="krippendorff_alpha", now=datetime(2026, 6, 1, tzinfo=UTC)
    )
    publish(db, folder / "published")
    pages = visitor(make_dashboard(find_project(folder), host="127.0.0.1", port=8500))
    with connect(db, read_only=True) as con:
        ((alert,),) = con.execute("select alert_id from alerts").fetchall()
    shown = words(pages, "/alert", alert_id=alert)
    assert [change.event for change in checked.changes] == ["opened"]
    assert "The annotators of 'names' seem to agree less than the threshold set for it" in shown
    assert "Agreement by week" in shown
    assert "F1, exact; the band is its interval, the dotted line the figure over all items." in shown
