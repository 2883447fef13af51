"""Print the results of `inspect`."""

from collections.abc import Sequence
from typing import Any

from flows.cli.files.agreement_output import print_columns
from flows.cli.terminal import heading, line, print_notes, print_table
from tasks.counted_words import counted, short_name

Inspection = dict[str, Any]
MAX_NAMES = 12  # in a cell of a table


def print_inspection(inspection: Inspection, *, several: bool = False) -> None:
    """Print what is in a file, what would be rejected, and the lines for kappaflow.toml.

    If it is one of several files, its name comes first.
    """
    name = f"{inspection['file']}: " if several else ""
    marked = inspection.get("n_regions") and not inspection["n_ratings"]
    contents = (
        counted(inspection["n_regions"], "span or box", "spans or boxes")
        if marked
        else counted(inspection["n_ratings"], "rating")
    )
    heading(
        f"{name}{inspection['format']}: {contents}, {inspection['n_skipped']:,} skipped, "
        f"{inspection['n_rejected']:,} rejected"
    )
    print_columns(inspection.get("columns"))
    print_table([{**row, "labels": _joined_names(row["labels"])} for row in inspection["questions"]], title="Questions")
    print_table(inspection["raters"], title="Raters")
    print_table(inspection.get("first_rows", []), title="First ratings")
    print_table(
        [{**row, "examples": _examples(row["examples"])} for row in inspection["rejects"]],
        title="Would be rejected",
        warn="reason",
    )
    for text in inspection["warnings"]:
        print_notes(text)
    _print_settings(inspection)


def print_dataset(inspection: Inspection) -> None:
    """Print what a dataset holds: its files, its columns, and what its first rows look like."""
    version = "" if inspection["version"] is None else f", version {inspection['version']} of a Delta table"
    heading(
        f"{inspection['file']}: {inspection['n_rows']:,} rows in {inspection['n_files']:,} Parquet files, "
        f"{inspection['n_bytes'] / 1e6:,.1f} MB{version}"
    )
    print_table([{"role": role, "column": name} for role, name in inspection["columns"].items()], title="Columns")
    print_table(inspection["unreadable"], title="Files that cannot be read", warn="detail")
    judged = f"of the first {inspection['n_judged']:,} rows"
    questions = [{**row, "labels": _joined_names(row["labels"])} for row in inspection["questions"]]
    print_table(questions, title=f"Questions {judged}")
    print_table(inspection["first_rows"], title="First ratings")
    rejects = [{**row, "examples": _examples(row["examples"])} for row in inspection["rejects"]]
    print_table(rejects, title=f"Would be rejected {judged}", warn="reason")
    for text in inspection["warnings"]:
        print_notes(text)
    _print_settings(inspection)


def _print_settings(inspection: Inspection) -> None:
    if inspection.get("toml"):
        heading("For kappaflow.toml:")
        line(inspection["toml"])


def _examples(rows: Sequence[Inspection]) -> str:
    return "; ".join(
        f"row {row['row_number']}"
        + (f", {row['column_name']}" if row["column_name"] else "")
        + (f": {row['value']!r}" if row["value"] else "")
        for row in rows
    )


def _joined_names(names: Sequence[str]) -> str:
    return ", ".join(map(short_name, names[:MAX_NAMES])) + (" ..." if len(names) > MAX_NAMES else "")
