"""How a run, the status and query results look on a terminal, and as JSON."""

import logging
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.cli.accuracy_output import rests_on
from flows.cli.terminal import clean_log, console, heading, interval, line, note, print_notes, print_table
from flows.project_folder import Project
from tasks.evaluate.published_views import overall, read_views
from tasks.report.glossary import METHOD_ORDER
from warehouse import status
from warehouse.connect import connect

if TYPE_CHECKING:
    from flows.run_tracking import RunResult

AGREEMENT = {
    "question": "question",
    "coefficient": "coefficient",
    "estimate": "estimate",
    "interval": "interval",
    "n_items": "items",
    "n_raters": "raters",
    "reason": "why not",
}
SYSTEMS = {
    "question": "question",
    "system": "system",
    "method": "method",
    "accuracy": "accuracy",
    "interval": "interval",
    "models": "range of methods",
    "n_items": "items",
    "reason": "why not",
}
TRY = "select question, coefficient, estimate, low, high from latest_agreement where period = 'all'"
# Of the coefficients, those that a first look needs; the report and the warehouse have them all.
SLICE, FOR_SLICES = "slice:", "krippendorff_alpha"
FIRST_LOOK = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")


def as_json(done: "RunResult", project: Project) -> dict[str, object]:
    """The value of `run --json` and its parts."""
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
                "detail": file.detail,
                "warnings": list(file.warnings),
            }
            for file in done.files
        ],
        "evaluated": [
            outcome.question for outcome in done.questions if outcome.kind == "evaluate" and not outcome.error
        ],
        "failed": [{"question": outcome.question, "error": outcome.error} for outcome in done.failed_questions],
        "notes": [text for outcome in done.questions for text in outcome.notes] + list(done.notes),
        "warehouse": str(project.warehouse),
        "snapshot": str(project.snapshot),
        "report": str(project.report),
    }


def print_done(done: "RunResult", project: Project) -> None:
    """What came in, what was found in the questions it touched, what was rejected, and where to look further."""
    views = read_views(
        project.snapshot, "latest_agreement", "latest_system_accuracy", "current_rejected_rows", "alerts"
    )
    touched = {outcome.question for outcome in done.questions}
    _files(done)
    agreement = views["latest_agreement"].filter(pl.col("question").is_in(touched))
    _agreement(agreement)
    print_slices(agreement)
    _systems(views["latest_system_accuracy"].filter(pl.col("question").is_in(touched), pl.col("scope") == "all"))
    _rejected(views["current_rejected_rows"], [file.file_name for file in done.files])
    _notes(done, views["alerts"])
    _where(project)


def read_status(project: Project) -> dict[str, Any]:
    """The value of `status --json`."""
    with connect(project.snapshot, read_only=True) as con:
        found = status.read_status(con)
    return {"project": str(project.folder), "warehouse": str(project.warehouse), **found.to_json()}


def print_status(found: dict[str, Any]) -> None:
    heading(
        f"{found['project']}: {found['n_files']:,} files ({found['n_files_rejected']:,} not readable), "
        f"{found['n_ratings']:,} ratings, {found['n_rejected']:,} rejected rows"
    )
    print_table(
        [{**row, "interval": interval(row["low"], row["high"])} for row in found["questions"]],
        title="Questions",
        headers={
            "question": "question",
            "n_ratings": "ratings",
            "n_items": "items",
            "n_raters": "raters",
            "krippendorff_alpha": "alpha",
            "interval": "interval",
        },
    )
    print_table(found["last_runs"], title="Last runs")
    print_table(found["open_alerts"], title="Open alerts", warn="evidence")


def print_rows(frame: pl.DataFrame) -> None:
    """A query's result, however wide."""
    if frame.is_empty():
        note(f"No rows. Columns: {', '.join(frame.columns)}.", style="dim")
    print_table(frame.to_dicts())
    console.print(f"{frame.height:,} row{'' if frame.height == 1 else 's'}", style="dim")


def print_slices(agreement: pl.DataFrame) -> None:
    """Of `latest_agreement` one line for each slice, where the settings ask for slices."""
    shown = agreement.filter(pl.col("scope").str.starts_with(SLICE), period="all", coefficient=FOR_SLICES)
    shown = shown.with_columns(pl.col("scope").str.strip_prefix(SLICE)).sort("question", "scope")
    headers = {"question": "question", "scope": "slice", **AGREEMENT}
    print_table(_with_interval(shown), title="Agreement by slice", headers=headers)


def log_to_terminal() -> None:
    """The project's log lines as they are, with the time: for serve, which runs on and on."""
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("kappaflow").setLevel(logging.INFO)
    clean_log()


def _with_interval(rows: pl.DataFrame) -> list[dict[str, Any]]:
    return [{**row, "interval": interval(row["low"], row["high"])} for row in rows.to_dicts()]


def _files(done: "RunResult") -> None:
    if not done.files and not done.questions:
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
            for file in done.files
        ],
        title="Files",
        warn="problem",
    )


def _agreement(rows: pl.DataFrame) -> None:
    shown = overall(rows).filter(pl.col("coefficient").is_in(FIRST_LOOK))
    print_table(_with_interval(shown), title="Agreement of the annotators", headers=AGREEMENT)


def _systems(every: pl.DataFrame) -> None:
    """The figure that speaks for each system, with the range of all methods; the report and the warehouse have each."""
    rows = describe_run_result(every)
    shown = [{**row, "models": interval(row["spread_low"], row["spread_high"])} for row in _with_interval(rows)]
    audited = {row["question"] for row in shown if row["n_gold"]}
    for with_gold in (False, True):
        part = [row for row in shown if (row["question"] in audited) is with_gold]
        headers = {**SYSTEMS, "n_gold": "gold"} if with_gold else SYSTEMS
        print_table(part, title=f"Accuracy of the systems, {rests_on(with_gold)}", headers=headers)
    concerned: dict[str, list[str]] = {}
    for row in rows.iter_rows(named=True):
        for text in row["warnings"] or []:
            concerned.setdefault(text, []).append(f"{row['question']} {row['system']}")
    for text, systems in concerned.items():
        note(f"{', '.join(systems)}: {text}")


def describe_run_result(systems: pl.DataFrame) -> pl.DataFrame:
    """Of `latest_system_accuracy` one row per question, system and version: the first of METHOD_ORDER with a figure."""
    place = pl.col("method").replace_strict({name: i for i, name in enumerate(METHOD_ORDER)}, default=len(METHOD_ORDER))
    best_first = systems.sort(pl.col("accuracy").is_null(), place, maintain_order=True)
    return best_first.unique(("question", "system", "system_version"), keep="first", maintain_order=True).sort(
        "question", "accuracy", "system", descending=[False, True, False], nulls_last=True
    )


def _rejected(rows: pl.DataFrame, files: list[str]) -> None:
    new = rows.filter(pl.col("file_name").is_in(files))
    counts = (
        new.group_by("file_name", "reason")
        .agg(
            pl.len().alias("rows"),
            pl.col("row_number").min().alias("first row"),
            pl.col("detail").first(),
        )
        .sort("file_name", "reason")
    )
    print_table(counts.to_dicts(), title="Rejected rows", warn="reason")


def _notes(done: "RunResult", alerts: pl.DataFrame) -> None:
    for file in done.files:
        for text in ([file.detail] if file.detail else []) + list(file.warnings):
            print_notes(text, f"{file.file_name}: ")
    for text in [text for outcome in done.questions for text in outcome.notes] + list(done.notes):
        note(text)
    for outcome in done.failed_questions:
        note(f"{outcome.question} could not be evaluated: {outcome.error}", style="red")
    for row in alerts.filter(pl.col("closed_at").is_null()).iter_rows(named=True):
        note(f"ALERT {row['question']}: {row['detail']} {row['evidence']}", style="bold red")


def _where(project: Project) -> None:
    heading("Where things are")
    for what, path in (
        ("warehouse", project.warehouse),
        ("snapshot for readers", project.snapshot),
        ("report", project.report),
    ):
        line(f"  {what:22}{path}")
    line(f'  {"try":22}kappaflow sql --project {project.folder} "{TRY}"')
