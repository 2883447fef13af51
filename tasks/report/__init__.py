"""Render the report: one self-contained HTML page that loads nothing and runs no script."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path

from markupsafe import Markup

from tasks.glossary import COEFFICIENTS, METHODS
from tasks.report.attention import MAX_ALERTS_IN_WORDS
from tasks.report.formatting import counted, foreign, joined, moment, shortened
from tasks.report.report_data import ReportData, completed
from tasks.report.report_data import questions as question_names
from tasks.report.sections.agreement_section import axis_start
from tasks.report.sections.intake_section import alerts_table, batches_table, open_alerts, reasons_table, rejected_table
from tasks.report.sections.item_agreement_section import NOTE as ITEM_NOTE
from tasks.report.sections.preference_section import STRENGTHS_NOTE, preference_sections
from tasks.report.sections.question_section import build_question, overview_rests_on
from tasks.report.sections.region_section import region_sections
from tasks.report.sections.states_section import MAX_UNFOLDED, states_table
from tasks.report.summary import summarise
from tasks.summary.rejected_counts import rejected_by_reason
from tasks.templates import templates

__all__ = ["ReportData", "render"]

_HERE = Path(__file__).parent
_MAX_RUNS_NAMED = 1
_ANNOTATORS_OF_MANY = 20  # listed for each of so many questions that they are folded: the page loads sooner
_MAX_OPEN = 2  # with more questions than these the page starts as an overview


@dataclass(frozen=True)
class _Definition:
    name: str
    text: str


def render(data: ReportData) -> str:
    """Render the whole page as HTML text (UTF-8, about 0.03 MB and 0.1 MB for each question).

    Charts are static SVG, the style is inline, and there is no script. The page's Content-Security-Policy allows that
    one style and nothing else. So a label or file name can neither run nor load anything. Frames may be empty or left
    out. Raises ValueError if a frame lacks a required column.
    """
    data = completed(data)
    data = replace(data, alerts=open_alerts(data.alerts))
    names = question_names(data)
    max_annotators = _ANNOTATORS_OF_MANY if len(names) > MAX_UNFOLDED else None
    questions = [
        build_question(data, name, place, max_annotators=max_annotators) for place, name in enumerate(names, start=1)
    ]
    preferences, regions = preference_sections(data), region_sections(data)
    reasons = rejected_by_reason(data.rejected)
    style = (_HERE / "style.css").read_text(encoding="utf-8")
    return (
        templates(_HERE)
        .get_template("report.html.j2")
        .render(
            title=foreign(data.title or "kappaflow"),
            plain_title=shortened(data.title or "kappaflow"),
            made_at=f"{moment(data.made_at.astimezone(UTC))} UTC" if data.made_at.tzinfo else moment(data.made_at),
            code_version=shortened(data.code_version),
            runs=_runs(data),
            style=Markup(style),
            style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
            nothing_yet=not questions and not preferences and not regions and not data.batches.height,
            summary=summarise(data, questions, preferences, regions),
            questions=questions,
            preferences=preferences,
            strengths_note=STRENGTHS_NOTE,
            regions=regions,
            states=states_table(data, questions),
            overview_names=joined(sorted({question.main_name for question in questions if question.main})),
            overview_start=axis_start(question.main for question in questions),
            overview_rests_on=overview_rests_on(questions),
            item_note=ITEM_NOTE,
            open_at_once=len(questions) <= _MAX_OPEN,
            alerts=alerts_table(data.alerts) if data.alerts.height > MAX_ALERTS_IN_WORDS else None,
            batches=batches_table(data.batches),
            reasons=reasons_table(reasons),
            rejected=rejected_table(data.rejected, int(reasons["n_rows"].sum())),
            definitions=_definitions(data),
        )
    )


def _runs(data: ReportData) -> str:
    """Name the run of the page, or else the runs of its agreement figures."""
    runs = [data.run_id] if data.run_id else sorted(run for run in data.agreement["run_id"].unique() if run)
    if len(runs) > _MAX_RUNS_NAMED:
        return counted(len(runs), "run")
    return f"run {', '.join(shortened(run, 60) for run in runs)}" if runs else ""


def _definitions(data: ReportData) -> Sequence[_Definition]:
    """Define each coefficient and method on the page in a line."""
    coefficients = set(data.agreement["coefficient"].unique()) | set(data.pairwise["coefficient"].unique())
    methods = set(data.systems["method"].unique())
    definitions = [COEFFICIENTS[name] for name in COEFFICIENTS if name in coefficients]
    definitions += [METHODS[name] for name in METHODS if name in methods]
    return [_Definition(name[0].upper() + name[1:], text) for name, text in definitions]
