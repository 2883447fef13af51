"""Rankings and texts in a project: declared, taken in once, compared as `agree` does, kept with their history."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from stats.item_distances import distance_figure
from tasks.errors import InputError
from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.question_runs import process_questions
from tasks.raters.forget_rater import forget_rater
from tasks.runs.history import agreement_as_of, reproduce
from tasks.single_file.agree_answers import agree_on_labels_as
from tasks.single_file.load_file import FileOptions, load_file
from tasks.sources.folder import FolderSource, find_files
from tasks.worklist.write_worklist import read_worklist
from tests.tasks.ingest.test_incoming_regions import PER, Project, tasks
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.status import read_status

OPTIONS = EvaluationOptions(
    confidence=0.95, seed=1, alert_coefficient="krippendorff_alpha", code_version="0", window_items=1
)
CONFIGS = QuestionConfigs({}, QuestionConfig())
ORDER = """item,rater,label,created_at
q1,annie,blog > wiki > mdn,2026-01-05
q1,ben,blog > wiki = mdn,2026-01-05
q1,cem,wiki > blog > mdn,2026-01-05
q2,ann,mdn > blog > wiki,2026-01-13
q2,ben,mdn > blog > wiki,2026-01-13
q2,cem,mdn > wiki > blog,2026-01-13
q3,ann,no order,2026-01-13
"""
TRANSCRIPTS = """item,rater,label
a.wav,ann,the cat sat
a.wav,ben,the cat sits
b.wav,ann,good morning
b.wav,ben,good morning
c.wav,cem,alone
"""
RULES = IngestRules({}, {}, {"annie": "ann"}, {"order": "ranking", "said": "text", "note": "text", "rank": "ranking"})


class Answered(Project):
    def take(self, rules: IngestRules = RULES, *, full_export: bool = False) -> list[FileResult]:
        source = FolderSource("inbox", self.inbox, options=ReadOptions(), full_export=full_export)
        results = list(ingest(self.db, find_files([source]).readable, rules))
        with connect(self.db) as con:
            assert not {name for name, rows in run_checks(con).items() if rows.height}
        return results

    def compute(self, kind: str = "evaluate") -> list[str | None]:
        due = pending_questions(self.db, kind, CONFIGS, OPTIONS, everything=False)
        return [result.error for result in process_questions(self.db, kind, due, CONFIGS, OPTIONS)]


@pytest.fixture
def project(tmp_path: Path) -> Answered:
    result = Answered(tmp_path)
    (result.inbox / "order.csv").write_text(ORDER)
    (result.inbox / "said.csv").write_text(TRANSCRIPTS)
    return result


FIGURES = (
    "select question, rater_a, rater_b, coefficient, estimate, low, high from latest_region_agreement order by all"
)


def alone(project: Answered, name: str, kind: str) -> list[tuple[Any, ...]]:
    """What `agree --answers` finds in the file."""
    path = project.inbox / f"{name}.csv"
    path.write_text(path.read_text().replace("annie", "ann"))
    (loaded,) = load_file([path], FileOptions())
    result = agree_on_labels_as(loaded, kind, FileOptions(), by=("pair",))
    overall = [
        (name, None, None, row["name"], *(row[k] for k in ("estimate", "low", "high")))
        for row in result["coefficients"]
    ]
    return overall + [
        (name, row["rater_a"], row["rater_b"], *(row[k] for k in ("coefficient", "estimate", "low", "high")))
        for row in result["by_pair"]
    ]


def test_rankings_and_texts_are_taken_in_once_and_give_the_figures_of_agree(project: Answered) -> None:
    results = {result.file_name: result.counts for result in project.take()}
    assert {name: (c.n_ratings, c.n_rejected) for name, c in results.items()} == {
        "order.csv": (6, 1),
        "said.csv": (5, 0),
    }
    assert project.take() == []
    assert project.rows("select count(*) from ratings") == [(0,)], "they are not labels"
    assert project.compute() == [None, None]
    assert project.compute("monitor") == [None, None]
    stored = project.rows(FIGURES)
    distances = "select coefficient, sum(value) / sum(weight) from item_distances group by coefficient order by 1"
    overall = sorted((row[3], row[4]) for row in stored if row[1] is None)
    assert project.rows(distances) == [(name, pytest.approx(value)) for name, value in overall]
    weeks = (
        "select coefficient, first_day::varchar, n_items from region_trend where question = 'order' and period = 'week'"
    )
    assert project.rows(f"{weeks} and coefficient = 'kendall_w' order by 2") == [
        ("kendall_w", "2026-01-05", 1), ("kendall_w", "2026-01-12", 1),
    ]  # fmt: skip
    with connect(project.db, read_only=True) as con:
        status = {row["question"]: row["coefficient"] for row in read_status(con).regions.to_dicts()}
    assert status == {"order": "kendall_w", "said": "text_similarity"}
    expected = [*alone(project, "order", "ranking"), *alone(project, "said", "text")]
    assert sorted(stored, key=str) == sorted(expected, key=str)


def test_labels_of_before_become_answers_when_the_settings_say_so(project: Answered) -> None:
    project.take(IngestRules())
    assert project.rows("select count(*) from current_ratings") == [(12,)]
    again = project.take()
    assert {result.counts.n_ratings for result in again} == {5, 6}
    assert project.rows("select count(*) from current_ratings") == [(0,)]
    assert project.compute() == [None, None]
    assert project.rows("select distinct question from latest_agreement") == []
    assert project.rows("select distinct question from latest_region_agreement order by 1") == [("order",), ("said",)]


def test_what_vanished_is_forgotten_or_older_leaves_the_figures(project: Answered) -> None:
    project.take(full_export=True)
    project.compute()
    moment = project.rows("select max(started_at) from runs")[0][0]
    (run_id,), *_ = project.rows("select run_id from runs where kind = 'evaluate' and question = 'said'")
    (project.inbox / "said.csv").write_text(TRANSCRIPTS.replace("b.wav,ben,good morning\n", ""))
    (later,) = project.take(full_export=True)
    assert (later.counts.n_unchanged, later.counts.n_deleted) == (4, 1)
    project.compute()
    exact = (
        "select estimate, n_items from latest_region_agreement where coefficient = 'exact_match' and rater_a is null"
    )
    assert project.rows(exact) == [(0.0, 1)]
    assert project.rows("select distinct item from item_distances where question = 'said'") == [("a.wav",)]
    past = agreement_as_of(project.db, "said", moment, QuestionConfig(), 0.95)  # type: ignore[arg-type]
    assert past.filter(pl.col("coefficient") == "exact_match")["estimate"].to_list() == [0.5]
    assert reproduce(project.db, str(run_id)).differences == ()
    forget_rater(project.db, project.db.parent / "published", "ben", {}, pseudonym="rater-1")
    names = "select distinct rater_a, rater_b from item_distances where question = 'said'"
    assert project.rows(names) == [("ann", "rater-1")]


def test_answers_of_label_studio_beside_choices_and_spans(project: Answered) -> None:
    for name in ("order", "said"):
        (project.inbox / f"{name}.csv").unlink()
    path = tasks(project.inbox / "all.json", [{"annie": [PER], "ben": [PER]}])
    held = json.loads(path.read_text())
    for number, annotation in enumerate(held[0]["annotations"]):
        annotation["id"] = number
        annotation["result"] += [
            {"from_name": "tone", "type": "choices", "value": {"choices": ["kind"]}},
            {"from_name": "note", "type": "textarea", "value": {"text": ["a cat", "sat"]}},
            {"from_name": "comment", "type": "textarea", "value": {"text": [f"mine {number}"]}},
            {"from_name": "rank", "type": "ranker", "value": {"ranker": {"_": ["a", "b"]}}},
        ]
    path.write_text(json.dumps(held))
    (result,) = project.take()
    assert (result.counts.n_ratings, result.counts.n_rejected) == (8, 2)
    work = "select question, rater, regions, source_ref from region_work where is_current and rater = 'ann' order by 1"
    assert project.rows(work) == [
        ("ner", "ann", '[[0,4,"PER"]]', "annotation:0"),
        ("note", "ann", '{"text":"a cat\\nsat"}', "annotation:0"),
        ("rank", "ann", '{"ranking":[["a",1.0],["b",2.0]]}', "annotation:0"),
    ]
    assert project.rows("select distinct question from current_ratings") == [("tone",)]
    assert project.rows("select distinct column_name, reason from rejected_rows") == [
        ("comment", "unsupported_control")
    ]
    assert project.compute() == [None] * 4
    figures = "select coefficient, estimate from latest_region_agreement where question = 'rank' and rater_a is null"
    assert project.rows(f"{figures} order by 1")[0] == ("kendall_tau", 1.0)


def test_a_figure_of_no_rows_is_null_with_a_reason() -> None:
    empty = pl.DataFrame(schema={"item": pl.String, "value": pl.Float64, "weight": pl.Float64})
    assert distance_figure(empty, "spearman", 0.95).reason == "zero_denominator"


def test_lists_of_argilla_are_rankings_where_the_settings_say_so(project: Answered) -> None:
    for file in project.inbox.iterdir():
        file.unlink()
    record = {
        "id": "1", "order.responses": [["x", "y"], ["y", "x"], "z", ["x", "x"], ["y"]],
        "order.responses.users": ["ann", "ben", "cem", "dan", "eve"], "order.responses.status": ["submitted"] * 5,
        "order.suggestion": ["x", "y"], "order.suggestion.agent": "gpt",
        "topics.responses": [["x", "y"], ["y", "x"]], "topics.responses.users": ["ann", "ben"],
        "topics.responses.status": ["submitted"] * 2,
    }  # fmt: skip
    (project.inbox / "records.json").write_text(json.dumps([record]))
    (result,) = project.take()
    assert (result.counts.n_ratings, result.counts.n_rejected) == (3 + 2, 3)
    assert project.rows("select rater, label from current_ratings order by 1") == [
        ("ann", '["x", "y"]'), ("ben", '["x", "y"]'),
    ]  # fmt: skip
    assert project.rows("select value, detail from rejected_rows order by 1") == [
        (value, "The answer is not a ranking, such as A > B = C.") for value in ('["x", "x"]', "y", "z")
    ]
    assert project.compute() == [None, None]
    orders = "select estimate from latest_region_agreement where coefficient = 'spearman' and rater_a is null"
    assert project.rows(orders) == [(-1.0,)]


def test_a_worklist_of_rankings_is_refused_with_a_way_on(project: Answered) -> None:
    project.take()
    project.compute()
    with pytest.raises(InputError, match="'order' are not labels") as refused:
        read_worklist(project.db, "order", n=5)
    assert "item_distances" in str(refused.value.hint)
