"""The summary of a run as Markdown."""

from pathlib import Path

from apprise.conversion import markdown_to_html

from flows.run_result import RunResult
from flows.run_summary import MAX_NOTES, summary_markdown
from tasks.ingest.file_result import FileResult
from tasks.question_result import QuestionResult
from tests.flows.test_prefect_display import COUNTS, RESULT

REPORT = Path("/p/report.html")


def test_failures_alerts_and_notes_are_told() -> None:
    tables: dict[str, list[dict[str, object]]] = {
        "open-alerts": [
            {"question": "tone", "kind": "rater", "subject": "r3"},
            {"question": "tone", "kind": "agreement", "subject": None},
        ]
    }
    assert summary_markdown(RESULT, tables, REPORT) == "\n".join(
        [
            "**1 batch, 2 questions, 1 alert opened, 1 alert closed.**",
            "",
            "- Failed: `broken`: it broke",
            "- Open alert: `tone`, rater, `r3`",
            "- Open alert: `tone`, agreement",
            "",
            "Report: `/p/report.html`",
        ]
    )


def test_names_stay_names() -> None:
    name = "<b>*x*</b>\n# y [z](http://z) `"
    file = FileResult(name, "failed", None, COUNTS, None, name, ())
    question = QuestionResult("evaluate", name, 1, (name,), name)
    text = summary_markdown(RunResult((file,), (question,), (name,)), {}, REPORT)
    html = markdown_to_html(text)
    assert html.count("<li>") == 4
    assert all(tag not in html for tag in ("<b>", "<em>", "<h1>", "<a "))


def test_many_notes_are_counted() -> None:
    text = summary_markdown(RunResult(notes=tuple(map(str, range(60)))), {}, REPORT)
    assert text.startswith("**Nothing new.**")
    assert f"- And {60 - MAX_NOTES} more notes" in text
