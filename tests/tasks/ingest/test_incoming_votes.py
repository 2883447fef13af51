"""Files of votes on pairs of models in a project: taken in once, each row accounted for, and evaluated."""

import json
from pathlib import Path

import pytest

from tasks.evaluate.evaluation_options import EvaluationOptions, QuestionConfigs
from tasks.evaluate.pending_questions import pending_questions
from tasks.evaluate.question_config import QuestionConfig
from tasks.formats import ReadOptions
from tasks.ingest.file_result import FileResult
from tasks.ingest.ingest_files import ingest
from tasks.ingest.ingest_rules import IngestRules
from tasks.question_runs import process_questions
from tasks.raters.forget_rater import forget_rater, plan_forgetting
from tasks.runs.history import reproduce
from tasks.sources.folder import FolderSource, find_files
from tasks.summary.run_figures import read_run_figures
from warehouse.connect import connect
from warehouse.maintenance.integrity import run_checks
from warehouse.migrate import migrate
from warehouse.questions import has_only_votes
from warehouse.status import read_status

HEAD = "question_id,model_a,model_b,winner,judge\n"
VOTES = HEAD + "".join(
    f"{item},{a},{b},{winner},{judge}\n"
    for item, a, b, winners in (
        ("1", "m1", "m2", ("model_a", "model_a", "tie")),
        ("2", "m2", "m1", ("model_a", "model_b", "model_a")),
        ("3", "m2", "m3", ("model_a", "model_a", "model_a")),
        ("4", "m3", "m1", ("model_a", "model_b", "model_b")),
        ("5", "m3", "m2", ("model_a", "tie", "model_b")),
    )
    for judge, winner in zip(("ann", "ben", "gpt"), winners, strict=True)
)
CONFIG = QuestionConfigs({"votes": QuestionConfig(systems=frozenset(["gpt"]))}, QuestionConfig())
OPTIONS = EvaluationOptions(confidence=0.95, seed=1, alert_coefficient="krippendorff_alpha", code_version="0")


class Project:
    def __init__(self, folder: Path) -> None:
        self.inbox, self.db = folder / "inbox", folder / "warehouse.duckdb"
        self.inbox.mkdir()
        with connect(self.db) as con:
            migrate(con)

    def ingest(self, *, full_export: bool = False, retry: bool = False, **options: object) -> list[FileResult]:
        read = ReadOptions(**options)  # type: ignore[arg-type]
        source = FolderSource("inbox", self.inbox, options=read, full_export=full_export)
        rules = IngestRules({}, {}, {"annie": "ann"})
        results = list(ingest(self.db, find_files([source]).readable, rules, retry_rejects=retry))
        with connect(self.db) as con:
            assert not {name for name, rows in run_checks(con).items() if rows.height}
        return results

    def evaluate(self) -> list[str | None]:
        due = pending_questions(self.db, "evaluate", CONFIG, OPTIONS, everything=False)
        return [result.error for result in process_questions(self.db, "evaluate", due, CONFIG, OPTIONS)]

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with connect(self.db, read_only=True) as con:
            return con.execute(query).fetchall()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_file_of_votes_is_taken_in_once_evaluated_and_reproduced(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES + "6,m1,m1,tie,ann\n7,m1,m2,error,ann\n8,m1,m2,tie,annie\n")
    (result,) = project.ingest()
    assert (result.status, result.reader) == ("stored", "pairwise_table")
    assert (result.counts.n_ratings, result.counts.n_rejected, result.counts.questions) == (16, 2, ("votes",))
    assert project.rows("select row_number, column_name, reason from rejected_rows order by 1") == [
        (17, "model", "bad_record"), (18, "winner", "unknown_label"),
    ]  # fmt: skip
    assert project.ingest() == []
    assert project.rows("select item, rater from current_preferences where item = '8'") == [("8", "ann")]
    assert project.evaluate() == [None]
    assert project.evaluate() == []
    strengths = project.rows("select model, rank, votes_of, n_votes from latest_model_strengths order by rank")
    assert strengths == [("m1", 1, "people", 7), ("m2", 2, "people", 9), ("m3", 3, "people", 6)]
    judge = project.rows("select figure from latest_preference_figures where rater = 'gpt' order by figure")
    assert [figure for (figure,) in judge] == [
        "agreement_with_people", "difference_to_people", "first_wins", "people_on_the_same",
    ]  # fmt: skip
    assert project.rows("select count(*) from latest_agreement") == [(0,)]
    ((run,),) = project.rows("select run_id from runs where kind = 'evaluate'")
    again = reproduce(project.db, str(run))
    assert again.differences == ()
    assert again.compared == {"model_strengths": 3, "preference_figures": 12}


def test_status_and_run_show_votes(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES)
    project.ingest(question="votes")
    with connect(project.db) as con:
        assert not has_only_votes(con)
    project.evaluate()
    with connect(project.db) as con:
        status = read_status(con)
        assert has_only_votes(con)
    assert (status.n_ratings, status.n_votes) == (0, 15)
    assert status.models.select("model", "rank", "n_votes").rows() == [("m1", 1, 6), ("m2", 2, 8), ("m3", 3, 6)]
    changed = read_run_figures(project.db, {"votes"}, ["votes.csv"])
    assert changed.has_only_votes
    assert changed.changed is not None
    assert [row["model"] for row in changed.changed.models] == ["m1", "m2", "m3"]


def test_a_changed_vote_makes_the_question_due(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES)
    project.ingest()
    project.evaluate()
    (project.inbox / "later.csv").write_text(HEAD + "1,m1,m2,model_b,ann\n2,m2,m1,model_a,ann\n")
    (result,) = project.ingest(question="votes")
    assert (result.counts.n_ratings, result.counts.n_unchanged) == (1, 1)
    assert project.evaluate() == [None]
    assert project.rows("select count(*), count(distinct run_id) from model_strengths") == [(6, 2)]
    assert project.rows("select count(*) from latest_model_strengths") == [(3,)]


def test_columns_of_a_source_name_the_models(project: Project) -> None:
    (project.inbox / "sheet.csv").write_text("text,left,right,better,who\nt1,m1,m2,m2,ann\nt1,m1,m2,both,ben\n")
    columns = {"item": "text", "model_a": "left", "model_b": "right", "winner": "better", "rater": "who"}
    (result,) = project.ingest(columns=columns)
    assert (result.counts.n_ratings, result.counts.n_rejected) == (2, 0)
    assert project.rows("select item, rater, winner from current_preferences order by rater") == [
        ("t1", "ann", "model_b"), ("t1", "ben", "tie"),
    ]  # fmt: skip


def test_votes_without_names_and_items_stay_apart(project: Project) -> None:
    for name in ("a", "b"):
        (project.inbox / f"{name}.csv").write_text("model_a,model_b,winner\nm1,m2,model_a\nm1,m2,model_b\n")
    results = project.ingest(question="votes")
    assert [result.counts.n_ratings for result in results] == [2]  # the same bytes are one batch
    (project.inbox / "c.csv").write_text("model_a,model_b,winner\nm1,m2,model_b\nm1,m2,model_b\n")
    (third,) = project.ingest(question="votes")
    assert third.counts.n_ratings == 2
    assert any("do not name the voters" in note for note in third.warnings)
    rows = project.rows("select item, rater from current_preferences order by all")
    assert rows == [(f"{name}|row {n}", "vote #1") for name in "ac" for n in (2, 3)]
    assert project.evaluate() == [None]
    alpha = "select reason from latest_preference_figures where figure = 'krippendorff_alpha'"
    assert project.rows(alpha) == [("unnamed_raters",)]


def test_label_studio_pairwise_is_read_and_ratings_beside_it_stay_ratings(project: Project) -> None:
    def task(number: int, *results: dict[str, object]) -> dict[str, object]:
        data = {"text": "t", "model_a": "m1", "model_b": "m2"}
        return {"id": number, "data": data, "annotations": [{"id": number, "completed_by": 7, "result": [*results]}]}

    pairwise: dict[str, object] = {
        "from_name": "pw", "to_name": "l,r", "type": "pairwise", "value": {"selected": "left"},
    }  # fmt: skip
    choice: dict[str, object] = {
        "from_name": "tone", "to_name": "t", "type": "choices", "value": {"choices": ["kind"]},
    }  # fmt: skip
    (project.inbox / "pairs.json").write_text(json.dumps([task(1, pairwise), task(2, pairwise)]))
    (project.inbox / "both.json").write_text(json.dumps([task(1, choice, pairwise)]))
    results = {result.file_name: result for result in project.ingest()}
    assert (results["pairs.json"].reader, results["pairs.json"].counts.n_ratings) == ("label_studio_pairwise", 2)
    assert results["both.json"].counts.questions == ("tone",)
    assert project.rows("select question, item, winner from current_preferences order by item") == [
        ("pw", "1", "model_a"), ("pw", "2", "model_a"),
    ]  # fmt: skip


def test_what_is_no_file_of_votes_keeps_its_own_error(project: Project) -> None:
    (project.inbox / "odd.csv").write_text("model_a,model_b\nm1,m2\n")
    (project.inbox / "zero.csv").write_text("model_a,model_b,winner\nm1,m2,0\nm1,m2,1\n")
    results = {result.file_name: result for result in project.ingest()}
    assert {result.status for result in results.values()} == {"rejected"}
    assert "holds 0 and 1, but no 2" in (results["zero.csv"].detail or "")


def test_votes_are_no_full_export(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES)
    (result,) = project.ingest(full_export=True)
    assert result.status == "rejected"
    assert "cannot be a full export" in (result.detail or "")


def test_names_that_are_too_long_are_rejected_rows(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES + f"9,{'m' * 1001},m2,model_a,ann\n10,m1,m2,model_a,{'r' * 1001}\n")
    (result,) = project.ingest()
    assert (result.counts.n_ratings, result.counts.n_rejected) == (15, 2)
    assert project.rows("select distinct reason from rejected_rows") == [("id_too_long",)]


def test_a_voter_is_forgotten_and_models_of_the_same_name_stay(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES.replace("ann", "m2"))
    project.ingest()
    project.evaluate()
    assert plan_forgetting(project.db, "m2", {}).n_ratings == 5
    result = forget_rater(project.db, project.db.parent / "published", "m2", {}, pseudonym="rater-1")
    assert result.pseudonym == "rater-1"
    assert project.rows("select distinct rater from current_preferences order by 1") == [
        ("ben",),
        ("gpt",),
        ("rater-1",),
    ]
    assert project.rows("select count(*) from latest_preference_figures where rater = 'm2'") == [(0,)]
    assert project.rows("select model from latest_model_strengths order by 1") == [("m1",), ("m2",), ("m3",)]
    (project.inbox / "later.csv").write_text(HEAD + "9,m1,m2,model_a,m2\n")
    project.ingest(question="votes")
    assert project.rows("select rater, model_b from current_preferences where item = '9'") == [("rater-1", "m2")]


def test_a_question_may_have_ratings_and_votes(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES)
    rows = "".join(
        f"{item},{rater},{'ab'[(item + len(rater)) % 2]}\n" for item in range(6) for rater in ("ann", "cid2")
    )
    (project.inbox / "ratings.csv").write_text(f"item,rater,label\n{rows}")
    project.ingest(question="votes")
    assert project.evaluate() == [None]
    assert project.rows("select count(*) > 0 from latest_agreement") == [(True,)]
    assert project.rows("select count(*) from latest_model_strengths") == [(3,)]


def test_a_rater_who_is_declared_gold_counts_in_no_figure(project: Project) -> None:
    (project.inbox / "votes.csv").write_text(VOTES)
    project.ingest(gold=frozenset(["gpt", "ben"]))
    kinds = project.rows("select rater_kind, count(*) from current_preferences group by all order by all")
    assert kinds == [("gold", 10), ("human", 5)]
