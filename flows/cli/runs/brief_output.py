"""Print a run in a few lines: what came in, one figure a question and system, what to do next, where things are."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli.alerts.alert_findings_output import print_alert_findings
from flows.cli.alerts.alerts_output import ID_LENGTH
from flows.cli.command_hints import project_option
from flows.cli.files.accuracy_output import outer_interval, print_by_gold
from flows.cli.preferences.models_output import print_models
from flows.cli.project_output import (
    BATCH_QUERY,
    EXAMPLE_QUERY,
    MODEL_QUERY,
    REGION_QUERY,
    SYSTEMS,
    Row,
    print_options_hint,
    print_paths,
    with_intervals,
)
from flows.cli.regions.regions_output import print_region_figures
from flows.cli.terminal import clean, headers_of, heading, line, note, note_no_width, print_table
from flows.project_folder import Project
from tasks.counted_words import counted
from tasks.question_result import DIFFICULT_GOLD, LEFT_OUT

if TYPE_CHECKING:
    from flows.run_result import RunResult
    from tasks.summary.run_figures import BriefFigures

MAX_ROWS = 6  # questions, and systems
MAX_MODELS = 2
MAX_REGIONS = 3
MAX_ALERTS = 3  # of more, only the first two: each takes two lines or three
MAX_FAILED = 1
MAX_NOTES = 1
MAX_LEFT_OUT = 2
MAX_LOW_SLICES = 1
MAX_LOW = 1  # questions with low agreement, and why
AGREEMENT = headers_of("question weights estimate interval n_items n_raters reason", estimate="alpha")
HEADLINE = {name: title for name, title in SYSTEMS.items() if name not in ("method", "models")}


def print_brief(result: "RunResult", figures: "BriefFigures", project: Project) -> None:
    """Print fewer than 70 lines, whatever the size of the project."""
    _print_files(result)
    is_cut = len(figures.agreement) > MAX_ROWS
    rows = sorted(figures.agreement, key=_lowest_first) if is_cut else figures.agreement
    shown, title = with_intervals(rows[:MAX_ROWS]), "Agreement of the annotators (Krippendorff's alpha)"
    print_table(shown, title=f"{title}, lowest first" if is_cut else title, headers=AGREEMENT)
    note_no_width(shown)
    place = project_option(project.folder)
    _note_others(len(figures.agreement), "question", f"kappaflow status{place}")
    _print_accuracy(figures.systems, place)
    _print_regions(figures.regions, place)
    _print_models(figures.models, place)
    _print_next(result, figures, project, place)
    print_paths(project, _query(figures))


def _lowest_first(row: Row) -> tuple[bool, float]:
    """Return a key that sorts questions by agreement. Those without an alpha come last."""
    estimate = row["estimate"]
    return estimate is None, 0.0 if estimate is None else estimate


def _print_files(result: "RunResult") -> None:
    heading("What came in")
    if not result.files:
        note("No new file.", style="")
        return
    counts = {
        "new rating": sum(file.counts.n_ratings for file in result.files),
        "rejected row": sum(file.counts.n_rejected for file in result.files),
        "skipped row": sum(file.counts.n_skipped for file in result.files),
    }
    figures = ", ".join(counted(n, what) for what, n in counts.items())
    if n_not_in_force := sum(file.counts.n_not_in_force for file in result.files):
        figures += f"; {n_not_in_force:,} of the new ratings are not in force, because others of the same raters count"
    note(f"{counted(len(result.files), 'file')}: {figures}.", style="")
    unread = [file for file in result.files if file.status != "stored"]
    for file in unread[:MAX_FAILED]:
        reason = file.detail or file.reason or ""
        note(f"Not read: {reason if Path(file.file_name).name in reason else f'{file.file_name}: {reason}'}")
    if (n_more := len(unread) - MAX_FAILED) > 0:
        line(f"  and {counted(n_more, 'more file that was', 'more files that were')} not read: see the report")


def _print_accuracy(rows: Sequence[Row], place: str) -> None:
    shown = [{**row, "outer": outer_interval(row)} for row in with_intervals(rows[:MAX_ROWS])]
    print_by_gold(shown, HEADLINE)
    _note_others(len(rows), "system", f"kappaflow export latest_system_accuracy{place}")


def _print_models(rows: Sequence[Row], place: str) -> None:
    """Print the models that people or systems voted on, by rank."""
    print_models(rows[:MAX_MODELS])
    _note_others(len(rows), "model", f"kappaflow export latest_model_strengths{place}", MAX_MODELS)


def _print_regions(rows: Sequence[Row], place: str) -> None:
    """Print how far raters agree on spans, boxes, rankings and texts."""
    print_region_figures(rows[:MAX_REGIONS])
    _note_others(len(rows), "question", f"kappaflow status{place}", MAX_REGIONS)


def _query(figures: "BriefFigures") -> str:
    """Return a query that has rows in this project."""
    if figures.agreement:
        return EXAMPLE_QUERY
    return MODEL_QUERY if figures.models else REGION_QUERY if figures.regions else BATCH_QUERY


def _print_next(result: "RunResult", figures: "BriefFigures", project: Project, place: str) -> None:
    """Print what to do next."""
    heading("What to do next")
    for failed in result.failed_questions[:MAX_FAILED]:
        note(f"{failed.question} could not be evaluated: {failed.error}", style="red")
    _print_alerts(figures.open_alerts, project, place)
    _print_low([*figures.contradictions, *figures.poor], MAX_LOW, place)
    _print_low(figures.low_slices, MAX_LOW_SLICES, place)
    print_options_hint(result)
    if result.failed_files:
        line(f'· Mend what could not be read, as "What came in" says. Then: kappaflow run{place}')
    if any(file.counts.n_rejected for file in result.files):
        line(f"· Rows were rejected. See why, and correct the settings: kappaflow rejects{place}")
    _print_notes(result.notes)
    _note_others(len(result.notes), "note", f"kappaflow run{place}", MAX_NOTES, " on the settings and channels")
    _print_notes_on_questions(result, figures)
    if not (figures.agreement or figures.models or figures.regions or result.files):
        line(clean(f"· There is no figure yet. Put exports into the inbox, then: kappaflow run{place}"))
    if figures.doubtful_question is not None:
        command = f"kappaflow worklist --question {shlex.quote(figures.doubtful_question)} --out items.xlsx{place}"
        line(clean(f"· Items in doubt, for a second look: {command}"))
    elif figures.agreement:
        line("· No item is listed for a second look.")
    elif figures.models:
        line("· How the voters agree, and whether they prefer what is shown first, is in the report.")
    elif figures.regions:
        line("· How far each pair of raters agrees, and on which labels, is in the report.")


def _print_alerts(open_alerts: Sequence[Row], project: Project, place: str) -> None:
    shown = open_alerts[: MAX_ALERTS if len(open_alerts) <= MAX_ALERTS else MAX_ALERTS - 1]
    print_alert_findings(shown, project)
    if 0 < len(open_alerts) <= MAX_ALERTS:
        line(f"  One in full: kappaflow alerts show {shown[0]['alert_id'][:ID_LENGTH]}{place}")
    _note_others(len(open_alerts), "alert", f"kappaflow alerts{place}", len(shown))


def _print_low(sentences: Sequence[str], most: int, place: str) -> None:
    """Print the first sentences on low agreement or accuracy, and how many more there are."""
    n_more = len(sentences) - most
    for text in sentences[:most]:
        note(f"{text} {n_more:,} more: kappaflow status{place}" if n_more > 0 else text)


def _print_notes_on_questions(result: "RunResult", figures: "BriefFigures") -> None:
    """Print the notes on files and questions that somebody may have to act on, and count the others."""
    notes = [text for question in result.questions for text in question.notes if text not in figures.contradictions]
    left_out = [text for text in notes if LEFT_OUT in text]
    difficult = [text for text in notes if DIFFICULT_GOLD in text]
    n_notes = sum(len(file.warnings) for file in result.files) + len(notes) - len(left_out) - len(difficult)
    if n_notes:
        line(f"· {counted(n_notes, 'note')} on how the files were read. Of one file: kappaflow inspect FILE")
    _print_notes([*left_out, *_without_accuracy(figures.systems, with_other_labels=not left_out)], MAX_LEFT_OUT)
    _print_notes(difficult)
    pooled, others = _pooled(figures.systems)
    _print_notes(pooled)
    if others or len(pooled) > MAX_NOTES:
        line("· Warnings on the accuracies are in the report.")


def _print_notes(notes: Sequence[str], most: int = MAX_NOTES) -> None:
    for text in notes[:most]:
        note(text)


def _without_accuracy(systems: Sequence[Row], *, with_other_labels: bool) -> list[str]:
    """Return why systems have no accuracy, each reason of a question once."""
    names: dict[tuple[str, str], list[str]] = {}
    for row in systems:
        if row["accuracy"] is None and row.get("detail") and (with_other_labels or row["reason"] != "other_labels"):
            names.setdefault((row["question"], row["detail"]), []).append(row["system"])
    return [f"{question} {', '.join(of)}: {detail}" for (question, detail), of in names.items()]


def _pooled(systems: Sequence[Row]) -> tuple[list[str], bool]:
    """Return the notes on figures over several versions, and whether there are other warnings."""
    from stats.accuracy.gold.audit_notes import POOLED_VERSIONS

    texts = [(f"{row['question']} {row['system']}", text) for row in systems for text in row.get("warnings") or ()]
    pooled = [f"{name}: {text}" for name, text in texts if text.startswith(POOLED_VERSIONS)]
    return pooled, len(pooled) < len(texts)


def _note_others(n: int, noun: str, command: str, shown: int = MAX_ROWS, about: str = "") -> None:
    if n > shown:
        line(f"  and {counted(n - shown, f'more {noun}')}{about}: {command}")
