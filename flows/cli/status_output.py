"""Print the status of a project."""

from datetime import datetime
from typing import Any

from flows.cli.alerts.alert_findings_output import print_alert_findings
from flows.cli.alerts.alerts_output import ID_LENGTH, state
from flows.cli.preferences.models_output import print_models
from flows.cli.project_output import with_intervals
from flows.cli.regions.regions_output import print_region_figures
from flows.cli.terminal import clean, headers_of, heading, line, note, note_no_width, print_table
from flows.project_folder import Project
from tasks.counted_words import counted

MAX_MODELS = 20
ALERTS = headers_of("id question kind subject severity state opened_at")


def print_status(status: dict[str, Any], project: Project) -> None:
    """Print the status of a project."""
    for text in status["problems"]:
        note(text)
    heading(
        f"{status['project']}: {counted(status['n_files'], 'file')} ({_not_counted(status)}), "
        f"{_n_current(status)}, {counted(status['n_rejected'], 'rejected row')}"
    )
    print_table(
        with_intervals(status["questions"]),
        title="Questions",
        headers={
            "question": "question",
            "n_ratings": "ratings",
            "n_items": "items",
            "n_annotators": "annotators",
            "n_systems": "systems",
            "weights": "weights",
            "krippendorff_alpha": "alpha",
            "interval": "interval",
        },
    )
    note_no_width(status["questions"])
    for text in (*status["outdated"], *status["contradictions"], *status["poor_agreement"], *status["low_slices"]):
        note(text)
    print_region_figures(status["regions"])
    print_models(status["models"][:MAX_MODELS])
    if (n_more := len(status["models"]) - MAX_MODELS) > 0:
        line(f"  and {counted(n_more, 'more model')}: in the report")
    print_table(status["last_runs"], title="Last runs")
    for text in _schedule_lines(status):
        line(text)
    print_table(
        [row | {"id": row["alert_id"][:ID_LENGTH], "state": state(row)} for row in status["open_alerts"]],
        title="Open alerts",
        headers=ALERTS,
    )
    print_alert_findings(status["open_alerts"], project)


def _not_counted(status: dict[str, Any]) -> str:
    withdrawn = f", {status['n_files_withdrawn']:,} withdrawn" if status["n_files_withdrawn"] else ""
    return f"{status['n_files_rejected']:,} not readable{withdrawn}"


def _n_current(status: dict[str, Any]) -> str:
    """Count the ratings in force, the votes, and the questions of spans, boxes, rankings and texts: what there is."""
    marked = len({row["question"] for row in status["regions"]})
    counts = {
        counted(status["n_ratings"], "current rating"): status["n_ratings"],
        counted(status["n_votes"], "current vote"): status["n_votes"],
        f"{counted(marked, 'question')} of spans, boxes, rankings or texts": marked,
    }
    return ", ".join([words for words, n in counts.items() if n] or [next(iter(counts))])


def _schedule_lines(status: dict[str, Any]) -> list[str]:
    """Say when the next run is due, how soon ratings are evaluated, and how large the files are."""
    service = status["service"]
    lines = ["`kappaflow serve` is not running: runs start when you or your scheduler start them."]
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
