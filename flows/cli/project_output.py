"""Print the results of a run, the status of a project and the rows of a query, and turn them into JSON."""

import logging
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from flows.cli.accuracy_output import outer_interval, print_systems
from flows.cli.alerts.alerts_output import ID_LENGTH, state
from flows.cli.terminal import (
    clean,
    clean_log,
    console,
    counted,
    heading,
    interval,
    line,
    note,
    print_notes,
    print_table,
)
from flows.project_folder import Project
from flows.service.service_record import running_service
from flows.settings.target_inputs import publish_targets
from tasks.evaluate.headline import headline_rows
from tasks.evaluate.published_views import overall, read_views
from tasks.publish.publication_state import read_publications
from warehouse import status
from warehouse.connect import connect
from warehouse.errors import WarehouseError

if TYPE_CHECKING:
    from flows.run_result import RunResult

AGREEMENT = {
    "question": "question",
    "coefficient": "coefficient",
    "estimate": "estimate",
    "interval": "interval",
    "n_items": "items",
    "n_raters": "raters",
    "reason": "why not",
}
ALERTS = {
    "id": "id",
    "question": "question",
    "kind": "kind",
    "subject": "subject",
    "severity": "severity",
    "state": "state",
    "opened_at": "opened (UTC)",
    "evidence": "evidence",
}
SYSTEMS = {
    "question": "question",
    "system": "system",
    "method": "method",
    "accuracy": "accuracy",
    "outer": "outer interval",
    "interval": "inner interval",
    "models": "range of methods",
    "n_items": "items",
    "reason": "why not",
}
EXAMPLE_QUERY = "select question, coefficient, estimate, low, high from latest_agreement where period = 'all'"
REGION_QUERY = "select question, coefficient, estimate, low, high from latest_region_agreement where rater_a is null"
SLICE, SLICE_COEFFICIENT = "slice:", "krippendorff_alpha"
# The coefficients that `run` prints. The report and the warehouse have all.
PRINTED_COEFFICIENTS = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")


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


def print_run_result(result: "RunResult", project: Project) -> None:
    """Print the files, the results of the changed questions, the rejected rows, and where to find more."""
    views = read_views(
        project.snapshot,
        "latest_agreement",
        "latest_region_agreement",
        "latest_system_accuracy",
        "current_rejected_rows",
        "alert_states",
    )
    changed = {question.question for question in result.questions}
    _print_files(result)
    agreement = views["latest_agreement"].filter(pl.col("question").is_in(changed))
    _print_agreement(agreement)
    print_slices(agreement)
    regions = views["latest_region_agreement"].filter(pl.col("rater_a").is_null(), pl.col("label").is_null())
    _print_regions(regions.filter(pl.col("question").is_in(changed)).to_dicts())
    _print_systems(views["latest_system_accuracy"].filter(pl.col("question").is_in(changed), pl.col("scope") == "all"))
    _print_rejected(views["current_rejected_rows"], [file.file_name for file in result.files])
    _print_notes(result, views["alert_states"])
    print_paths(project, only_regions=views["latest_agreement"].is_empty() and not regions.is_empty())


def print_failures(result: "RunResult") -> None:
    """Print on stderr which files and questions failed, one line each."""
    failures = [f"{file.file_name}: {file.detail}" for file in result.failed_files]
    failures += [f"{failed.question} could not be evaluated: {failed.error}" for failed in result.failed_questions]
    for text in failures:
        print(clean(text), file=sys.stderr)


def read_status(project: Project) -> dict[str, Any]:
    """Return the value of `status --json`.

    It is that of the warehouse, or of the snapshot while a run holds the warehouse.
    """
    service = running_service(project)
    return {
        "project": str(project.folder),
        "warehouse": str(project.warehouse),
        **_stored_status(project).to_json(),
        "publications": _publications(project),
        "service": service.to_json(datetime.now(UTC)) if service else None,
        "sizes": {
            name: _size(path)
            for name, path in (
                ("warehouse", project.warehouse),
                ("published", project.published),
                ("report", project.report),
                ("backups", project.backups),
                ("prefect", project.prefect_home),
            )
        },
    }


def _publications(project: Project) -> list[dict[str, Any]]:
    """Return what became of each target of the settings when it was last tried; null before the first time."""
    known = read_publications(project.publications)
    keys = ("status", "at", "written_at", "error")
    return [
        {"target": target.name, **{key: known.get(target.name, {}).get(key) for key in keys}}
        for target in publish_targets(project)
    ]


def _stored_status(project: Project) -> status.Status:
    try:
        with connect(project.warehouse, read_only=True, wait_seconds=0) as con:
            return status.read_status(con)
    except WarehouseError:
        with connect(project.snapshot, read_only=True) as con:
            return status.read_status(con)


def _size(path: Path) -> int:
    """Return the bytes of a file or a folder, 0 if it does not exist."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    return path.stat().st_size if path.exists() else 0


def print_status(status: dict[str, Any]) -> None:
    """Print the status of a project."""
    heading(
        f"{status['project']}: {counted(status['n_files'], 'file')} ({status['n_files_rejected']:,} not readable), "
        f"{counted(status['n_ratings'], 'rating')}, {counted(status['n_rejected'], 'rejected row')}"
    )
    print_table(
        [{**row, "interval": interval(row["low"], row["high"])} for row in status["questions"]],
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
    _print_regions(status["regions"])
    print_table(status["last_runs"], title="Last runs")
    for text in _schedule_lines(status):
        line(text)
    print_table(_alerts(status["open_alerts"]), title="Open alerts", headers=ALERTS, warn="evidence")


def _print_regions(rows: list[dict[str, Any]]) -> None:
    """Print how far raters agree on spans and boxes."""
    print_table(
        [{**row, "interval": interval(row["low"], row["high"])} for row in rows],
        title="Spans and boxes",
        headers={
            "question": "question",
            "n_regions": "marked",
            "n_items": "items",
            "n_raters": "raters",
            "coefficient": "coefficient",
            "estimate": "value",
            "interval": "interval",
        },
    )


def _alerts(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row | {"id": row["alert_id"][:ID_LENGTH], "state": state(row)} for row in rows]


def _schedule_lines(status: dict[str, Any]) -> list[str]:
    """Say when the next run is due, how soon ratings are evaluated, and how large the files are."""
    service = status["service"]
    lines = ["No `kappaflow serve` works on this project: runs start when you or your scheduler start them."]
    if service:
        next_run = service["next_run"].astimezone()
        lines = [f"Next run: {next_run:%Y-%m-%d %H:%M %Z} (`kappaflow serve`, process {service['pid']})."]
    if status["newest_ratings_at"]:
        came_in = f"The newest ratings came in at {status['newest_ratings_at']:%Y-%m-%d %H:%M} UTC"
        lag = status["evaluation_lag_s"]
        evaluated = "are not evaluated yet" if lag is None else f"were evaluated {duration(lag)} later"
        lines.append(f"{came_in} and {evaluated}.")
    lines += [_publication_line(publication) for publication in status["publications"]]
    sizes = [f"{name} {size / 1e6:,.1f} MB" for name, size in status["sizes"].items() if size]
    return [*lines, f"Sizes: {', '.join(sizes)}."]


def _publication_line(publication: dict[str, Any]) -> str:
    written_at = publication["written_at"]
    since = f"up to date at {datetime.fromisoformat(written_at):%Y-%m-%d %H:%M} UTC" if written_at else "never written"
    error = "" if publication["status"] in (None, "written", "unchanged") else f" Last try: {publication['error']}"
    return clean(f"Published to {publication['target']}: {since}.{error}")


def duration(seconds: float) -> str:
    """Return a duration in the unit that suits it.

    >>> [duration(seconds) for seconds in (3.2, 600, 40_000, 400_000)]
    ['3 seconds', '10 minutes', '11 hours', '5 days']
    """
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * size:
            return counted(round(seconds / size), unit)
    return counted(round(seconds), "second")


def print_rows(frame: pl.DataFrame) -> None:
    """Print the rows of a query, whatever their width."""
    if frame.is_empty():
        note(f"No rows. Columns: {', '.join(frame.columns)}.", style="dim")
    print_table(frame.to_dicts())
    console.print(counted(frame.height, "row"), style="dim")


def print_slices(agreement: pl.DataFrame) -> None:
    """Print a row of `latest_agreement` for each slice, if the settings have slices."""
    shown = agreement.filter(pl.col("scope").str.starts_with(SLICE), period="all", coefficient=SLICE_COEFFICIENT)
    shown = shown.with_columns(pl.col("scope").str.strip_prefix(SLICE)).sort("question", "scope")
    headers = {"question": "question", "scope": "slice", **AGREEMENT}
    print_table(_with_interval(shown), title="Agreement by slice", headers=headers)


def log_to_terminal() -> None:
    """Print the project's log lines on stderr, with the time, for `serve`."""
    logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("kappaflow").setLevel(logging.INFO)
    clean_log()


def _with_interval(rows: pl.DataFrame) -> list[dict[str, Any]]:
    return [{**row, "interval": interval(row["low"], row["high"])} for row in rows.to_dicts()]


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


def _print_agreement(rows: pl.DataFrame) -> None:
    shown = overall(rows).filter(pl.col("coefficient").is_in(PRINTED_COEFFICIENTS))
    print_table(_with_interval(shown), title="Agreement of the annotators", headers=AGREEMENT)


def _print_systems(accuracies: pl.DataFrame) -> None:
    """Print the headline accuracy of each system, with the range of all methods."""
    rows = headline_rows(accuracies)
    shown = [
        {**row, "outer": outer_interval(row), "models": interval(row["spread_low"], row["spread_high"])}
        for row in _with_interval(rows)
    ]
    audited = {row["question"] for row in shown if row["n_gold"]}
    for with_gold in (False, True):
        selected = [row for row in shown if (row["question"] in audited) is with_gold]
        headers = {**SYSTEMS, "n_gold": "gold"} if with_gold else SYSTEMS
        print_systems(selected, audited=with_gold, headers=headers)
    systems_by_warning: dict[str, list[str]] = {}
    for row in rows.iter_rows(named=True):
        for text in row["warnings"] or []:
            systems_by_warning.setdefault(text, []).append(f"{row['question']} {row['system']}")
    for text, systems in systems_by_warning.items():
        note(f"{', '.join(systems)}: {text}")


def _print_rejected(rows: pl.DataFrame, files: list[str]) -> None:
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


def _print_notes(result: "RunResult", alerts: pl.DataFrame) -> None:
    for file in result.files:
        for text in ([file.detail] if file.detail else []) + list(file.warnings):
            print_notes(text, f"{file.file_name}: ")
    for text in [text for question in result.questions for text in question.notes] + list(result.notes):
        note(text)
    for question in result.failed_questions:
        note(f"{question.question} could not be evaluated: {question.error}", style="red")
    for row in alerts.filter(pl.col("closed_at").is_null()).iter_rows(named=True):
        known = "" if row["state"] == "open" else f" ({state(row)})"
        style = "bold red" if row["state"] == "open" else "yellow"
        note(f"ALERT {row['question']}{known}: {row['detail']} {row['evidence']}", style=style)


def print_paths(project: Project, *, only_regions: bool = False) -> None:
    """Print where the files of the project are, and a query to try; `only_regions`: there are no labels of items."""
    heading("Where things are")
    for what, path in (
        ("warehouse", project.warehouse),
        ("snapshot for readers", project.snapshot),
        ("report", project.report),
    ):
        line(f"  {what:22}{path}")
    line(f'  {"try":22}kappaflow sql --project {project.folder} "{REGION_QUERY if only_regions else EXAMPLE_QUERY}"')
