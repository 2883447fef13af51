"""Spans in the past: as of a moment, and a run computed again from the work that counted then."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from tasks.errors import InputError
from tasks.evaluate.question_config import QuestionConfig
from tasks.runs.history import agreement_as_of, reproduce
from tests.tasks.ingest.test_incoming_regions import ITEMS, PER, Project, tasks


def test_the_past_is_what_counted_then(tmp_path: Path) -> None:
    project = Project(tmp_path)
    tasks(project.inbox / "a.json", ITEMS)
    project.ingest()
    project.evaluate()
    moment = datetime.now(UTC)
    before = agreement_as_of(project.db, "ner", moment, QuestionConfig(), 0.95)
    tasks(project.inbox / "b.json", [{rater: [PER] for rater in raters} for raters in ITEMS])
    project.ingest()
    project.evaluate()
    again = agreement_as_of(project.db, "ner", moment, QuestionConfig(), 0.95)
    assert again.equals(before)
    after = agreement_as_of(project.db, "ner", datetime.now(UTC), QuestionConfig(), 0.95)
    first, last = (frame.filter(pl.col("coefficient") == "f1_exact")["estimate"][0] for frame in (before, after))
    assert first < last == 1
    with pytest.raises(InputError, match="had no ratings at"):
        agreement_as_of(project.db, "ner", moment - timedelta(days=9), QuestionConfig(), 0.95)
    for (run_id,) in project.rows("select run_id from runs where kind = 'evaluate' and question = 'ner'"):
        reproduced = reproduce(project.db, str(run_id))
        assert reproduced.differences == ()
        assert reproduced.compared["region_agreement"] > 4
