"""Show how each question stands, the most urgent first: state, rule, figure, what to do next."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from stats.agreement.breakdowns.contradictions import contradictions
from stats.verdict_interval import has_no_width
from tasks.report.formatting import NBSP, confidence, counted, joined, shortened
from tasks.report.html_table import (
    Cell,
    Column,
    HtmlTable,
    cells_of,
    graphic_column,
    number_column,
    range_column,
    table_of,
    text_column,
)
from tasks.report.report_data import ReportData, of_question
from tasks.report.report_data import questions as question_names
from tasks.report.sections.agreement_section import axis_start, main_rows
from tasks.report.sections.question_section import QuestionSection, link_to
from tasks.summary.next_steps import ADJUDICATE
from tasks.summary.poor_agreement import causes_by_question
from tasks.summary.question_state import NO_WIDTH, RULES, QuestionState, question_state, urgency

_BADGES = {"act": "bad", "watch": "warn", "good": "good"}
MAX_UNFOLDED = 30  # questions
_SHOWN = 20
_STEP = 300  # characters of what to do next


class _ShownQuestion(NamedTuple):
    state: QuestionState
    section: QuestionSection


def states_table(data: ReportData, questions: Sequence[QuestionSection]) -> HtmlTable | None:
    """List the questions with their states. `data` is the result of completed(), with only the open alerts."""
    entries = [
        _ShownQuestion(_state(data, name, section), section)
        for name, section in zip(question_names(data), questions, strict=True)
    ]
    entries.sort(key=lambda entry: urgency(entry.state, entry.section.main))
    rows = [entry.section.main for entry in entries if entry.section.main]
    start = axis_start(rows)
    columns = (
        range_column("State", lambda entry: state_cell(entry.state)),
        text_column("Question", lambda entry: link_to(entry.section)),
        number_column("Agreement", lambda entry: entry.section.value),
        graphic_column(lambda entry: entry.section.graphic(start)),
        range_column(confidence(row["confidence"] for row in rows), lambda entry: entry.section.limits),
        text_column("What to do next", lambda entry: next_cell(entry.state, f"#{entry.section.anchor}-items")),
    )
    names = [entry.section.main_name for entry in entries if entry.section.main]
    note = states_note(names, start, no_width=any(has_no_width(row) for row in rows))
    return fold_questions(columns, entries, note)


def fold_questions(columns: tuple[Column, ...], entries: Sequence[Any], note: Cell) -> HtmlTable | None:
    """Return the table of the questions. The less urgent ones of many are folded. None without questions."""
    if len(entries) <= MAX_UNFOLDED:
        return table_of(columns, entries, note)
    cells = cells_of(columns, entries)
    title = f"The other {counted(len(cells) - _SHOWN, 'question')}, less urgent"
    return HtmlTable(columns, cells[:_SHOWN], note, cells[_SHOWN:], title)


def state_cell(state: QuestionState) -> Markup:
    """Return the state as a badge, and the rule beside it."""
    return Markup('<span class="badge {}">{}</span> <span class="rule">{}</span>').format(
        _BADGES[state.state], state.state, state.rule
    )


def next_cell(state: QuestionState, items: str) -> Markup:
    """Return what to do next, a step a line. `items` is the address of the items to adjudicate."""
    next_steps = Markup("<br>").join(_step(step, items) for step in state.next_steps)
    rest = f"nothing{NBSP}is due" if state.state == "good" else "see below who differs, and over which labels"
    return Markup('<span class="next">{}</span>').format(next_steps or rest)


def _step(step: str, items: str) -> Markup:
    return Markup('<a href="{}">{}</a>' if step == ADJUDICATE else "{1}").format(items, shortened(step, _STEP))


def states_note(names: Sequence[str], start: float, *, no_width: bool) -> Markup:
    """Explain the states and the figures beside them. no_width: an interval has none."""
    figures = Markup(" Agreement is {}, drawn with its interval from {} to 1.").format(
        joined(sorted(set(names)), "or"), "−1" if start else "0"
    )
    figures = figures if names else Markup()
    assumed = " What to do next takes it that further items are like those so far, and that people err independently."
    width = f" {NO_WIDTH}" if no_width else ""
    return Markup("{}{}{}{}").format(RULES, figures, width, assumed)


def _state(data: ReportData, name: str, section: QuestionSection) -> QuestionState:
    pairs = of_question(data.pairwise, name)
    return question_state(
        section.main,
        main_rows(of_question(data.agreement, name)),
        section.main_systems,
        of_question(data.alerts, name).to_dicts(),
        has_doubtful=bool(of_question(data.queue, name).height),
        contradictions=contradictions(pairs.to_dicts()),
        causes=causes_by_question(pairs, of_question(data.confused, name)).get(name),
    )
