"""The report begins with how each question stands, the most urgent first."""

import re
from datetime import UTC, datetime

import polars as pl

from tasks.report import ReportData, render
from tasks.report.html_table import text_column
from tasks.report.sections.states_section import fold_questions, next_cell
from tasks.summary.next_steps import ADJUDICATE
from tasks.summary.question_state import QuestionState

START = datetime(2026, 2, 2, tzinfo=UTC)


def test_the_most_urgent_question_comes_first_with_its_rule() -> None:
    rows = [
        {"question": name, "scope": "humans", "period": "all", "coefficient": "krippendorff_alpha", "estimate": value,
         "low": value - 0.05, "high": value + 0.05, "confidence": 0.95, "n_items": 100, "n_ratings": 300}
        for name, value in (("calm", 0.9), ("doubtful", 0.65), ("<b>poor</b>", 0.2))
    ]  # fmt: skip
    alerts = [{"kind": "new_label", "detail": "A label is new.", "question": "calm", "severity": "warning"}]
    page = render(ReportData("title", START, "1", agreement=pl.DataFrame(rows), alerts=pl.DataFrame(alerts)))
    table = page[page.index('id="states"') : page.index('class="summary"')]
    assert re.findall(r'badge \w+">(\w+)<', table) == ["act", "watch", "watch"]
    assert re.findall(r"<bdi>(.*?)</bdi>", table) == ["&lt;b&gt;poor&lt;/b&gt;", "doubtful", "calm"]
    assert "the interval of agreement holds 0.667" in table
    assert "Act: a critical alert is open" in table


def test_the_first_screen_does_not_call_a_question_urgent_and_say_that_nothing_needs_attention() -> None:
    rows = [
        {"question": "poor", "scope": "humans", "period": "all", "coefficient": "krippendorff_alpha", "estimate": value,
         "low": value, "high": value, "confidence": 0.95, "n_items": 100, "n_ratings": 200, "observed": 0.0,
         "expected": 0.5, "reason": None}
        for value in (-1.0,)
    ]  # fmt: skip
    page = render(ReportData("title", START, "1", agreement=pl.DataFrame(rows)))
    assert re.findall(r'badge \w+">(\w+)<', page)[:1] == ["act"]
    assert "Nothing: no open alerts" not in page
    assert "The whole interval of agreement lies below 0.4:" in page
    assert "An interval without width says that agreement is the same on all items." in page
    sure = [row | {"estimate": 0.9, "low": 0.8, "high": 0.95} for row in rows]
    page = render(ReportData("title", START, "1", agreement=pl.DataFrame(sure)))
    assert "Nothing: no open alerts" in page
    assert "An interval without width" not in page


def test_the_graphics_of_the_column_have_one_axis() -> None:
    """An interval below 0 moves all rows, so that dots can be compared from row to row."""
    rows = [
        {"question": name, "scope": "humans", "period": "all", "coefficient": "krippendorff_alpha", "estimate": value,
         "low": value - 0.3, "high": value + 0.05, "confidence": 0.95, "n_items": 100, "n_ratings": 300}
        for name, value in (("low", 0.1), ("middle", 0.4), ("high", 0.9))
    ]  # fmt: skip
    for part, below, beginning in ((rows, True, "−1"), (rows[1:], False, "0")):
        page = render(ReportData("title", START, "1", agreement=pl.DataFrame(part)))
        table = page[page.index('id="states"') : page.index('class="summary"')]
        places = [float(place) for place in re.findall(r'<circle cx="([\d.]+)"', table)]
        width = 160 - 8
        shares = [(row["estimate"] + below) / (1 + below) for row in part]
        assert places == [round(4 + width * share, 1) for share in sorted(shares)]
        assert f"drawn with its interval from {beginning} to 1." in table


def test_of_many_questions_the_less_urgent_ones_are_folded() -> None:
    cells = [(f"q{number}",) for number in range(100)]
    columns = (text_column("Question", lambda cell: cell[0]),)
    table = fold_questions(columns, cells, "note")
    assert table is not None
    assert [*table.rows, *table.folded] == cells
    assert (len(table.rows), table.folded_title) == (20, "The other 80\xa0questions, less urgent")
    short = fold_questions(columns, cells[:30], "note")
    assert short is not None
    assert short.folded == ()


def test_only_a_good_question_has_nothing_to_do() -> None:
    assert "nothing\xa0is due" in next_cell(QuestionState("good", "rule", ()), "#q1-items")
    assert "nothing" not in next_cell(QuestionState("watch", "rule", ()), "#q1-items")
    steps = next_cell(QuestionState("watch", "rule", ("audit 20 items", ADJUDICATE)), "#q1-items")
    assert "audit 20 items<br>" in steps
    assert f'<a href="#q1-items">{ADJUDICATE}</a>' in steps
