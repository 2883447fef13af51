"""What needs labels says so of questions of spans and of votes, and does not say that there is no such question."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tasks.audit.audit_draw import draw_audit
from tasks.errors import InputError
from tasks.evaluate.question_config import QuestionConfig
from tasks.raters.scorecard import read_scorecards
from tasks.runs.history import agreement_as_of
from tasks.summary.other_answers import nothing_evaluated
from tasks.summary.ratings_needed import plan_question
from tasks.worklist.take_worklist import take_worklist
from tasks.worklist.write_worklist import read_worklist
from tests.answers_project import publish_answers

NOW = datetime(2026, 4, 1, tzinfo=UTC)
WORDS = {"names": "spans, boxes, rankings or texts", "votes": "votes on pairs of models"}
Use = Callable[[Path, Path, str], object]
USES: dict[str, Use] = {
    "a worklist": lambda db, snapshot, question: read_worklist(snapshot, question, n=5),
    "answers": lambda db, snapshot, question: take_worklist(
        db, db.parent / "a.csv", question, None, labels=None, now=NOW
    ),
    "an audit": lambda db, snapshot, question: draw_audit(
        db, question, n=5, seed=1, out=db.parent / "draw.csv", file_format="csv", now=NOW
    ),
    "a scorecard": lambda db, snapshot, question: read_scorecards(snapshot, question=question),
    "`plan`": lambda db, snapshot, question: plan_question(snapshot, question),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return publish_answers(tmp_path_factory.mktemp("answers") / "project", with_labels=True).folder


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("question", WORDS)
def test_what_needs_labels_says_what_the_answers_are(folder: Path, use: str, question: str) -> None:
    with pytest.raises(InputError) as error:
        USES[use](folder / "warehouse.duckdb", folder / "published" / "snapshot.duckdb", question)
    what = "a worklist" if use == "answers" else use
    assert str(error.value).startswith(
        f"The answers to '{question}' are not labels, which {what} needs, but {WORDS[question]}."
    )


@pytest.mark.parametrize("use", USES)
def test_a_question_that_does_not_exist_is_not_said_to_have_answers(folder: Path, use: str) -> None:
    with pytest.raises(InputError) as error:
        USES[use](folder / "warehouse.duckdb", folder / "published" / "snapshot.duckdb", "nothing")
    assert "'nothing'" in str(error.value)
    assert "answers" not in str(error.value)


def test_without_labels_the_project_is_not_said_to_be_unevaluated(tmp_path: Path) -> None:
    folder = publish_answers(tmp_path / "project", with_labels=False).folder
    snapshot = folder / "published" / "snapshot.duckdb"
    with pytest.raises(InputError, match="No question of this project has labels, which `plan` needs"):
        plan_question(snapshot, "nothing")
    assert str(nothing_evaluated(snapshot, "a notebook")).startswith("No question of this project has labels")


def test_the_agreement_of_the_past_is_also_that_of_spans(folder: Path) -> None:
    db = folder / "warehouse.duckdb"
    with pytest.raises(InputError, match="'votes' are not labels, which `as-of` needs, but votes on pairs of models"):
        agreement_as_of(db, "votes", datetime(2099, 1, 1, tzinfo=UTC), QuestionConfig(), 0.95)
    assert "f1_exact" in set(
        agreement_as_of(db, "names", datetime(2099, 1, 1, tzinfo=UTC), QuestionConfig(), 0.95)["coefficient"]
    )
    with pytest.raises(InputError, match="'names' had no ratings at 2020-01-01"):
        agreement_as_of(db, "names", datetime(2020, 1, 1, tzinfo=UTC), QuestionConfig(), 0.95)
