"""Print the results of `agree` and `inspect`."""

from collections.abc import Sequence
from typing import Any

from flows.cli.files.breakdowns_output import print_details
from flows.cli.regions.answers_output import print_answers
from flows.cli.regions.regions_output import print_regions
from flows.cli.terminal import heading, interval, line, note, p_value, print_notes, print_table
from tasks.counted_words import counted, short_name
from tasks.formats.columns.column_roles import ColumnChoice

AgreementResult = dict[str, Any]
MAX_NAMES = 12  # in a cell of a table
COEFFICIENTS = {
    "name": "coefficient",
    "estimate": "estimate",
    "interval": "interval",
    "se": "se",
    "p_value": "p",
    "observed": "observed",
    "expected": "expected",
    "n_items": "items",
    "reason": "why not",
}


def print_agreement(results: Sequence[AgreementResult]) -> None:
    """Print a table of coefficients for each question, and below it the names of those that do not apply."""
    for result in results:
        if "n_regions" in result:
            print_regions(result)
            continue
        if "answers" in result:
            print_answers(result)
            print_columns(result["columns"])
            continue
        heading(
            f"{result['question']}: {counted(result['n_items'], 'item')}, {counted(result['n_raters'], 'rater')}, "
            f"{counted(result['n_ratings'], 'rating')}, {counted(len(result['labels']), 'label')} ({result['scale']})"
        )
        print_columns(result.get("columns"))
        rows = [
            {**row, "interval": interval(row["low"], row["high"]), "p_value": p_value(row["p_value"])}
            for row in result["coefficients"]
            if row["reason"] != "not_applicable"
        ]
        print_table(rows, headers=COEFFICIENTS)
        _not_applicable(result["coefficients"])
        _degenerate(result["coefficients"])
        _prevalence(result["prevalence"])
        print_details(result)
        for text in result["warnings"]:
            print_notes(text)


def print_inspection(inspection: AgreementResult, *, several: bool = False) -> None:
    """Print what is in a file, what would be rejected, and the lines for kappaflow.toml.

    If it is one of several files, its name comes first.
    """
    name = f"{inspection['file']}: " if several else ""
    marked = inspection.get("n_regions") and not inspection["n_ratings"]
    contents = f"{inspection['n_regions']:,} spans or boxes" if marked else f"{inspection['n_ratings']:,} ratings"
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
    if inspection.get("toml"):
        heading("For kappaflow.toml:")
        line(inspection["toml"])


def print_dataset(inspection: AgreementResult) -> None:
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


def print_columns(columns: AgreementResult | None) -> None:
    """Print which column has which role, and which columns are ignored."""
    if columns is not None:
        headers_by_role = {role: tuple(headers) for role, headers in columns["taken"].items()}
        print_notes(str(ColumnChoice(headers_by_role, tuple(columns["passed_over"]))))


def _prevalence(row: AgreementResult) -> None:
    if row["prevalence_index"] is not None:
        note(
            f"Most used label: {short_name(row['most_used_label'])} ({row['most_used_share']:.0%}); prevalence index "
            f"{row['prevalence_index']:.2f}, bias index {_decimals(row['bias_index'])}.",
            style="dim",
        )
    if row["note"]:
        note(row["note"])


def _examples(rows: Sequence[AgreementResult]) -> str:
    return "; ".join(
        f"row {row['row_number']}"
        + (f", {row['column_name']}" if row["column_name"] else "")
        + (f": {row['value']!r}" if row["value"] else "")
        for row in rows
    )


def _not_applicable(rows: Sequence[AgreementResult]) -> None:
    names = [row["name"] for row in rows if row["reason"] == "not_applicable"]
    if names:
        note(f"Not applicable here: {', '.join(names)}.", style="dim")


def _degenerate(rows: Sequence[AgreementResult]) -> None:
    """Warn about the interval of a coefficient: [1, 1] from five items does not mean certainty."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row["estimate"] is not None and row["detail"]:
            names.setdefault(row["detail"], []).append(row["name"])
    for detail, of in names.items():
        note(f"{', '.join(of)}: {detail}")


def _decimals(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _joined_names(names: Sequence[str]) -> str:
    return ", ".join(map(short_name, names[:MAX_NAMES])) + (" ..." if len(names) > MAX_NAMES else "")
