"""What needs attention is said, and what the figures do not show."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import polars as pl
from markupsafe import Markup

from stats.accuracy.raters.single_label import DETAIL
from tasks.report.attention import _left_out, failed_sentences
from tasks.report.report_data import ReportData, completed
from tasks.report.sections.question_section import QuestionSection


def test_a_question_whose_last_evaluation_failed_is_named() -> None:
    failed = pl.DataFrame({"question": ["q1", "new"], "detail": ["Labels are wrong.", None]})
    queue = pl.DataFrame({"question": ["q1"], "item": ["i1"], "entropy": [0.5]})
    data = completed(ReportData("", datetime.now(UTC), "", failed=failed, queue=queue))
    known = cast("QuestionSection", SimpleNamespace(anchor="q1", short_name=Markup("q1")))
    texts = [text.striptags() for text in failed_sentences(data, [known])]
    assert texts == [
        "q1 could not be evaluated, and its figures are from an earlier run: Labels are wrong.",
        "new could not be evaluated: the run failed.",
    ]


def test_annotators_of_nearly_one_label_are_named() -> None:
    raters = pl.DataFrame({"question": "q1", "rater": ["<b>a", "b"], "accuracy": [None, 0.9], "detail": [DETAIL, None]})
    agreement = pl.DataFrame({"question": ["q1"], "coefficient": ["krippendorff_alpha"], "estimate": [0.5]})
    data = completed(ReportData("", datetime.now(UTC), "", raters=raters, agreement=agreement))
    known = SimpleNamespace(anchor="q1", short_name=Markup("q1"), main_systems=[])
    (text,) = _left_out(data, [cast("QuestionSection", known)])
    assert "came from &lt;b&gt;a. Such ratings" in text
    known.main_systems = [{"system": "gpt"}]  # their accuracies have a warning of their own
    assert _left_out(data, [cast("QuestionSection", known)]) == []
