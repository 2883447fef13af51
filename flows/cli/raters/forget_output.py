"""Print what forgetting a rater changes, and what it cannot reach."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flows.cli.terminal import line, note, print_table
from flows.settings.target_inputs import publish_targets
from tasks.counted_words import counted

if TYPE_CHECKING:
    from flows.project_folder import Project
    from tasks.raters.forget_rater import ForgetPlan, ForgottenRater
    from warehouse.raters.forget import Occurrences

HEADERS = {"table": "table", "column": "column", "n_rows": "rows"}


def plan_as_json(plan: "ForgetPlan", project: "Project") -> dict[str, object]:
    """Return the value of `forget-rater --dry-run --json`."""
    return {
        "pseudonym": plan.pseudonym,
        "dry_run": True,
        "n_ratings": plan.n_ratings,
        "tables": _rows(plan.occurrences),
        "not_reached": not_reached(project),
    }


def result_as_json(result: "ForgottenRater", project: "Project") -> dict[str, object]:
    """Return the value of `forget-rater --json`."""
    return {
        **plan_as_json(result.plan, project),
        "pseudonym": result.pseudonym,
        "dry_run": False,
        "left": _rows(result.left),
        "removed_snapshots": [str(path) for path in result.removed_snapshots],
        "key_file": str(result.key_file),
    }


def print_plan(plan: "ForgetPlan", project: "Project") -> None:
    """Print how many rows of each table name the rater, and where the name stays."""
    _print_occurrences(plan, "Rows that name the rater")
    _print_not_reached(project)


def print_result(result: "ForgottenRater", project: "Project") -> None:
    """Print the pseudonym, what was changed and where the name stays."""
    _print_occurrences(result.plan, "Rows that named the rater")
    line(f"The name is now: {result.pseudonym}")
    for path in result.removed_snapshots:
        note(f"An older snapshot was removed: {path.name}", style="dim")
    note(f"Keep {result.key_file.name}: with it a later file with the name is recognized. Never publish it.")
    for left in result.left:
        place = f"{_public(left.table)}.{left.column}"
        note(f"Not changed: {counted(left.n_rows, 'row')} of {place} with the name as a word.")
    note("The charts of the rater's questions are computed again by the next `kappaflow run`.", style="dim")
    _print_not_reached(project)


def not_reached(project: "Project") -> list[str]:
    """List where the name may still be."""
    backups = f" ({project.backups})" if project.backups.is_dir() else ""
    places = [
        "the export files in the sources, and their names; those that were moved to done/ included",
        f"backups of the warehouse{backups}, and other copies of it, of the snapshot and of the report",
        *(
            f"{target.name}, until the next run"
            + (f"; {counted(keep, 'former folder stays', 'former folders stay')} there" if keep else "")
            for target in publish_targets(project)
            for keep in [getattr(target, "keep", 0)]
        ),
        "messages that were sent",
        f"Prefect's own database and logs ({project.prefect_home}), and a Prefect server elsewhere",
        "texts that are not about raters: items, labels, metadata of items",
        "deleted blocks of the disk",
    ]
    if project.settings.raters.aliases:
        places.insert(1, "kappaflow.toml: [raters] aliases; take the names out there")
    return places


def _print_occurrences(plan: "ForgetPlan", title: str) -> None:
    note(f"What stays: {counted(plan.n_ratings, 'rating')} of the rater, with labels and times.", style="dim")
    print_table(_rows(plan.occurrences), title=title, headers=HEADERS)


def _print_not_reached(project: "Project") -> None:
    line("The name may still be in:")
    for place in not_reached(project):
        note(place, style="yellow")


def _rows(occurrences: Sequence["Occurrences"]) -> list[dict[str, object]]:
    return [{"table": _public(each.table), "column": each.column, "n_rows": each.n_rows} for each in occurrences]


def _public(table: str) -> str:
    return table.removeprefix("main.")
