"""Print the results of a run and the rows of a query, and turn them into JSON."""

import logging
import shlex
import sys
from collections.abc import Iterable, Sequence, Set
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.cli.alerts.alerts_output import state
from flows.cli.files.accuracy_output import outer_interval, print_by_gold
from flows.cli.preferences.models_output import print_models
from flows.cli.regions.regions_output import print_region_figures
from flows.cli.terminal import (
    clean_log,
    console,
    headers_of,
    heading,
    interval,
    line,
    note,
    note_no_width,
    one_line,
    print_notes,
    print_table,
)
from flows.project_folder import Project
from tasks.counted_words import counted
from tasks.monitor.alert_findings import rule_finding
from tasks.monitor.alert_kinds import RULE_KINDS
from tasks.question_result import DIFFICULT_GOLD
from tasks.summary.label_weights import is_plain, scale_sentence

if TYPE_CHECKING:
    from flows.run_result import RunResult
    from tasks.summary.run_figures import ChangedFigures, RunFigures

Row = dict[str, Any]
AGREEMENT = headers_of("question coefficient weights estimate interval n_items n_raters reason")
SYSTEMS = headers_of(
    "question system method accuracy outer interval models n_items reason",
    interval="inner interval",
    models="range of methods",
)
EXAMPLE_QUERY = (
    "select question, coefficient, estimate, low, high from latest_agreement where period = 'all' and scope = 'humans'"
)
MODEL_QUERY = "select question, rank, model, strength, low, high, rank_low, rank_high from latest_model_strengths"
BATCH_QUERY = "select file_name, status, questions, n_ratings, n_rejected from data_quality"  # without evaluation, too
REGION_QUERY = (
    "select question, coefficient, estimate, low, high from latest_region_agreement"
    " where rater_a is null and label is null"
)


def as_json(result: "RunResult", project: Project) -> dict[str, object]:
    """Return the value of `run --json`, `ingest --json` and `evaluate --json`."""
    return {
        "files": [
            {
                "file_name": file.file_name,
                "status": file.status,
                "reader": file.reader,
                "n_ratings": file.counts.n_ratings,
                "n_unchanged": file.counts.n_unchanged,
                "n_skipped": file.counts.n_skipped,
                "n_rejected": file.counts.n_rejected,
                "n_deleted": file.counts.n_deleted,
                "n_not_in_force": file.counts.n_not_in_force,
                "detail": file.detail,
                "warnings": list(file.warnings),
            }
            for file in result.files
        ],
        "evaluated": [
            question.question for question in result.questions if question.kind == "evaluate" and not question.error
        ],
        "failed": [{"question": question.question, "error": question.error} for question in result.failed_questions],
        "notes": [text for question in result.questions for text in question.notes] + list(result.notes),
        "messages": [delivery.to_json() for delivery in result.deliveries],
        "publications": [publication.to_json() for publication in result.publications],
        "warehouse": str(project.warehouse),
        "snapshot": str(project.snapshot),
        "report": str(project.report),
    }


def print_run_result(result: "RunResult", figures: "RunFigures", project: Project) -> None:
    """Print the files, the results of the changed questions, the rejected rows, and where to find more."""
    _print_files(result)
    if figures.changed:
        noted = {question.question for question in result.questions if DIFFICULT_GOLD in " ".join(question.notes)}
        _print_changes(figures.changed, noted)
    _print_notes(result, figures.open_alerts)
    not_evaluated = bool(result.files) and not result.questions
    only = (
        (BATCH_QUERY, not_evaluated or not figures.has_figures),
        (REGION_QUERY, figures.has_only_regions),
        (MODEL_QUERY, figures.has_only_votes),
    )
    print_paths(project, next((query for query, holds in only if holds), EXAMPLE_QUERY))


def print_failures(result: "RunResult") -> None:
    """Print on stderr which files and questions failed, one line each."""
    failures = [f"{file.file_name}: {file.detail}" for file in result.failed_files]
    failures += [f"{failed.question} could not be evaluated: {failed.error}" for failed in result.failed_questions]
    for text in failures:
        print(one_line(text), file=sys.stderr)


def print_rows(frame: pl.DataFrame) -> None:
    """Print the rows of a query, whatever their width."""
    if frame.is_empty():
        note(f"No rows. Columns: {', '.join(frame.columns)}.", style="dim")
    print_table(frame.to_dicts())
    console.print(counted(frame.height, "row"), style="dim")


def print_slices(rows: Sequence[Row]) -> None:
    """Print the agreement of each slice, if the settings have slices."""
    headers = {"question": "question", "scope": "slice", **AGREEMENT}
    print_table(with_intervals(rows), title="Agreement by slice", headers=headers)


def note_scales(rows: Sequence[Row]) -> None:
    """Print once for each scale which coefficients of these rows, sorted by question, go by it."""
    of_questions = (list(own) for _, own in groupby(rows, key=itemgetter("question")))
    for text in dict.fromkeys(filter(None, map(scale_sentence, of_questions))):
        note(text)


def log_to_terminal() -> None:
    """Print the project's log lines on stderr, with the time, for `serve`."""
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("kappaflow").setLevel(logging.INFO)
    clean_log()


def with_intervals(rows: Iterable[Row]) -> list[Row]:
    """Add to each row its interval as text. The weights stay only where near misses count."""
    return [
        {
            **row,
            "interval": interval(row["low"], row["high"]),
            "weights": None if is_plain(row.get("weights")) else row["weights"],
        }
        for row in rows
    ]


def _print_files(result: "RunResult") -> None:
    if not result.files and not result.questions:
        note("Nothing new: no file came in and no question changed.", style="dim")
    print_table(
        [
            {
                "file": file.file_name,
                "reader": file.reader,
                "ratings": file.counts.n_ratings,
                "unchanged": file.counts.n_unchanged,
                "skipped": file.counts.n_skipped,
                "rejected": file.counts.n_rejected,
                "deleted": file.counts.n_deleted or None,
                "problem": file.reason,
            }
            for file in result.files
        ],
        title="Files",
        warn="problem",
    )


def _print_changes(figures: "ChangedFigures", noted: Set[str]) -> None:
    """Print the results of the changed questions, and the rejected rows.

    noted: questions with a note on gold of a worklist, which a warning on their systems would repeat.
    """
    print_table(with_intervals(figures.agreement), title="Agreement of the annotators", headers=AGREEMENT)
    note_scales(figures.agreement)
    note_no_width(figures.agreement)
    print_slices(figures.slices)
    print_region_figures(figures.regions)
    for text in figures.region_raters:
        note(text)
    print_models(figures.models)
    _print_systems(figures.systems, noted)
    for text in figures.low_slices:
        note(text)
    _print_rejected(figures.rejected)


def _print_systems(rows: Sequence[Row], noted: Set[str]) -> None:
    """Print the headline accuracy of each system, with the range of all methods."""
    shown = [
        {**row, "outer": outer_interval(row), "models": interval(row["spread_low"], row["spread_high"])}
        for row in with_intervals(rows)
    ]
    print_by_gold(shown, SYSTEMS)
    repeated = _warning_of_worklists() if noted else None
    systems_by_warning: dict[str, list[str]] = {}
    for row in rows:
        for text in row["warnings"] or []:
            if text == repeated and row["question"] in noted:
                continue
            systems_by_warning.setdefault(text, []).append(f"{row['question']} {row['system']}")
    for text, systems in systems_by_warning.items():
        note(f"{', '.join(systems)}: {text}")


def _warning_of_worklists() -> str:
    from tasks.evaluate.gold.worklist_gold import NOT_RANDOM  # loads numpy, which a run that finds nothing new must not

    return NOT_RANDOM


def _print_rejected(rows: Sequence[Row]) -> None:
    headers = {
        "file_name": "file_name",
        "reason": "reason",
        "n_rows": "rows",
        "first_row": "first row",
        "detail": "detail",
    }
    print_table(rows, title="Rejected rows", headers=headers, warn="reason")


def _print_notes(result: "RunResult", open_alerts: Sequence[Row]) -> None:
    for file in result.files:
        for text in ([file.detail] if file.detail else []) + list(file.warnings):
            print_notes(text, f"{file.file_name}: ")
    print_options_hint(result)
    for text in [text for question in result.questions for text in question.notes] + list(result.notes):
        note(text)
    for question in result.failed_questions:
        note(f"{question.question} could not be evaluated: {question.error}", style="red")
    for row in open_alerts:
        state_text = "" if row["state"] == "open" else f" ({state(row)})"
        style = "bold red" if row["state"] == "open" else "yellow"
        words = rule_finding(row["detail"], row["evidence"])
        if row["kind"] not in RULE_KINDS:
            words = f"{row['detail']} Figures: {row['evidence']}."
        note(f"ALERT {row['question']}{state_text}: {words}", style=style)


def print_options_hint(result: "RunResult") -> None:
    """Say where options such as --columns belong, if a file was not read without them: `run` has none."""
    if any(file.status != "stored" and " --" in (file.detail or "") for file in result.files):
        note("Try options such as --columns with `kappaflow inspect FILE`: it prints them as lines for kappaflow.toml.")


def print_paths(project: Project, query: str = EXAMPLE_QUERY) -> None:
    """Print where the files of the project are, and a query to try."""
    heading("Where things are")
    for what, path in (
        ("warehouse", project.warehouse),
        ("snapshot for readers", project.snapshot),
        ("report", project.report),
    ):
        line(f"  {what:22}{path}")
    line(f'  {"try":22}kappaflow sql --project {shlex.quote(str(project.folder))} "{query}"')
